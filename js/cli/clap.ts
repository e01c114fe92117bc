// Parses command lines, and reports errors, as Rust programs that use clap do.
import { CLAP, type OptionTable, parseOptions, type Refusals } from "./getopt.js";
import { Given, UsageError } from "./given.js";

export interface ClapOption {
  readonly short?: string;
  /** As clap shows it: <LEN>. */
  readonly value?: string;
  readonly conflicts?: readonly string[];
  readonly requires?: string;
}

export interface ClapProgram {
  readonly usage: string;
  readonly options: Readonly<Record<string, ClapOption>>;
  /** Options that have their letter alone. */
  readonly lettersOnly?: string;
}

export interface ClapLine {
  readonly given: Given;
  readonly operands: readonly string[];
  /** Set if the line asks for help or the version, whatever else it contains. */
  readonly early: "help" | "version" | undefined;
}

const MISUSE = 2;

export function parseClap(args: readonly string[], program: ClapProgram): ClapLine {
  const table: OptionTable = { ...program.options, help: { short: "h" }, version: { short: "V" } };
  const { options, operands } = parseOptions(args, table, CLAP, refusalsOf(program));
  const given = new Given(options);
  // clap stops at the first of these, whatever else is wrong.
  const early = options.find(({ name }) => name === "help" || name === "version")?.name as
    | "help"
    | "version"
    | undefined;
  if (!early) {
    requireOnce(program, given);
    requireConsistent(program, given);
  }
  return { given, operands, early };
}

/** Throws a usage error in clap's format. */
export function refuse(message: string, usage?: string): never {
  const about = usage === undefined ? "" : `\n${usage}\n`;
  throw new UsageError(`error: ${message}\n${about}\nFor more information, try '--help'.\n`, MISUSE);
}

export const shownOption = (name: string, { value }: ClapOption = {}): string =>
  value === undefined ? `--${name}` : `--${name} ${value}`;

function refusalsOf({ usage, options }: ClapProgram): Refusals {
  const unexpected = (shown: string, whole: string): never =>
    refuse(`unexpected argument '${shown}' found\n\n  tip: to pass '${whole}' as a value, use '-- ${whole}'`, usage);
  return {
    unknownLong: (argument) => unexpected(argument.replace(/=.*/s, ""), argument),
    unknownShort: (letter, argument) => unexpected(`-${letter}`, argument),
    missingValue: (name) =>
      refuse(`a value is required for '${shownOption(name, options[name])}' but none was supplied`),
    unexpectedValue: (name, value) =>
      refuse(`unexpected value '${value}' for '--${name}' found; no more were expected`, usage),
  };
}

function requireOnce({ usage, options }: ClapProgram, given: Given): void {
  const twice = Object.keys(options).find((name) => given.values(name).length > 1);
  if (twice) refuse(`the argument '${shownOption(twice, options[twice])}' cannot be used multiple times`, usage);
}

function requireConsistent({ usage, options }: ClapProgram, given: Given): void {
  for (const [name, option] of Object.entries(options)) {
    if (!given.has(name)) continue;
    const conflict = option.conflicts?.find((each) => given.has(each));
    if (conflict) {
      refuse(
        `the argument '${shownOption(conflict, options[conflict])}' cannot be used with '${shownOption(name, option)}'`,
        usage,
      );
    }
    if (option.requires && !given.has(option.requires)) {
      refuse(`the following required arguments were not provided:\n  --${option.requires}`, usage);
    }
  }
}

/** Parses an unsigned integer of `bits` bits as Rust does. */
export function unsigned(program: ClapProgram, given: Given, name: string, bits: 8 | 32 | 64): bigint | undefined {
  const text = given.value(name);
  if (text === undefined) return undefined;
  const shown = `invalid value '${text}' for '${shownOption(name, program.options[name])}'`;
  if (text === "") refuse(`${shown}: cannot parse integer from empty string`);
  if (!/^\+?\d+$/.test(text)) refuse(`${shown}: invalid digit found in string`);
  const value = BigInt(text);
  const most = 2n ** BigInt(bits) - 1n;
  if (value <= most) return value;
  return refuse(
    bits === 64 ? `${shown}: number too large to fit in target type` : `${shown}: ${text} is not in 0..=${most}`,
  );
}

/** Throws a usage error in the program's own words. */
export function fail(message: string, status = 1): never {
  throw new UsageError(`${message}\n`, status);
}
