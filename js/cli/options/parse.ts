// Command lines, parsed by node:util, and the values of their options.
import { parseArgs } from "node:util";
import { fromHex } from "../../index.js";
import { expand } from "../files/wildcards.js";
import { UsageError } from "../system/errors.js";
import { closest } from "./closest.js";

export interface OptionShape {
  readonly short?: string;
  /** The name of the option's value; undefined if it takes none. */
  readonly value?: string;
}

type OptionShapes = Readonly<Record<string, OptionShape>>;

interface GivenOption {
  readonly name: string;
  /** With its dashes, as it was written. */
  readonly rawName: string;
  readonly value: string;
}

/** The options of a command line, in their order, and its operands. */
export class ParsedOptions {
  readonly operands: readonly string[];
  readonly #given: readonly GivenOption[];

  constructor(given: readonly GivenOption[], operands: readonly string[]) {
    this.#given = given;
    this.operands = operands;
  }

  has(name: string): boolean {
    return this.#given.some((option) => option.name === name);
  }

  /** Whether an option was given last by its letter. */
  isLetter(name: string): boolean {
    return this.#given.findLast((option) => option.name === name)?.rawName.startsWith("--") === false;
  }

  /** The value that was given last. */
  value(name: string): string | undefined {
    return this.#given.findLast((option) => option.name === name)?.value;
  }

  values(name: string): string[] {
    return this.#given.filter((option) => option.name === name).map(({ value }) => value);
  }

  /** Which of several options was given last. */
  last(...names: readonly string[]): string | undefined {
    return this.#given.findLast(({ name }) => names.includes(name))?.name;
  }

  /** One of these names that was given. */
  anyOf(...names: readonly string[]): string | undefined {
    return names.find((name) => this.has(name));
  }
}

/** @throws UsageError for an option that is unknown, lacks its value or has one that it does not take */
export function parseOptions(args: readonly string[], shapes: OptionShapes): ParsedOptions {
  const options = Object.fromEntries(
    Object.entries(shapes).map(([name, { short, value }]) => [
      name,
      { type: value === undefined ? "boolean" : "string", ...(short !== undefined && { short }) } as const,
    ]),
  );
  // In its strict mode, parseArgs has messages of several lines, and refuses values that begin with "-".
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  const given: GivenOption[] = [];
  const operands: string[] = [];
  for (const token of tokens) {
    const arg = args[token.index] as string;
    if (token.kind === "positional") operands.push(...expand(token.value));
    else if (token.kind === "option") given.push(requireShape(token, shapes, arg));
    // It reads the last letter of "-t-" as the end of the options.
    else if (arg !== "--") throw unknownLetter("-", arg, shapes);
  }
  return new ParsedOptions(given, operands);
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
}

function requireShape({ name, rawName, value }: OptionToken, shapes: OptionShapes, arg: string): GivenOption {
  const shape = Object.hasOwn(shapes, name) ? shapes[name] : undefined;
  if (!shape) throw rawName.startsWith("--") ? unknownName(name, shapes) : unknownLetter(name, arg, shapes);
  if (shape.value === undefined && value !== undefined) throw new UsageError(`--${name} takes no value`);
  if (shape.value !== undefined && value === undefined) {
    throw new UsageError(`--${name} needs a value: --${name} ${shape.value}`);
  }
  return { name, rawName, value: value ?? "" };
}

/** A mistyped `--keyHEX` contains the key, so no message may repeat it. */
const SECRET = /^(?:key|derive-key)/;

function unknownName(name: string, shapes: OptionShapes): UsageError {
  const said = SECRET.test(name) ? "such option" : `option --${name}`;
  return new UsageError(`there is no ${said}${suggestion(name, Object.keys(shapes), "--")}`);
}

/** Ends a message about an unknown name with the known one that was probably meant, if there is one. */
export function suggestion(name: string, known: readonly string[], prefix = ""): string {
  const meant = closest(name, known);
  return meant === undefined ? "" : `; did you mean ${prefix}${meant}?`;
}

/** The rest of an argument with short options may be a secret value, and is said only if it is an option's name. */
function unknownLetter(letter: string, arg: string, shapes: OptionShapes): UsageError {
  const meant = Object.hasOwn(shapes, arg.slice(1)) ? `; did you mean -${arg}?` : "";
  return new UsageError(`there is no option -${letter}${meant}`);
}

/** @throws UsageError for too few or too many operands of a command or an option */
export function requireOperands(what: string, operands: readonly string[], least: number, most: number): void {
  if (operands.length >= least && operands.length <= most) return;
  throw new UsageError(`${what} takes ${least} to ${most} operands, was given ${operands.length}`);
}

/** Decodes a value in hexadecimal digits. The value may be secret, so no message repeats it. */
export function hexBytes(option: string, text: string): Uint8Array {
  if (/^(?:[0-9a-f]{2})*$/i.test(text)) return fromHex(text);
  throw new UsageError(`${option} must be hexadecimal digits, two for each byte`);
}

/** Parses a whole number within bounds. */
export function wholeNumber(what: string, text: string, least: bigint, most: bigint, unit = ""): bigint {
  const value = /^\d{1,40}$/.test(text) ? BigInt(text) : undefined;
  if (value !== undefined && value >= least && value <= most) return value;
  throw new UsageError(`${what} must be a whole number${unit} from ${least} to ${most}, was "${text}"`);
}
