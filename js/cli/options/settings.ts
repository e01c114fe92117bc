// The options that hashing and checking share.
import { availableParallelism } from "node:os";
import { isatty } from "node:tty";
import { Exclusion } from "../files/exclusion.js";
import type { WalkOptions } from "../files/walk.js";
import { UsageError } from "../system/errors.js";
import { type ParsedOptions, wholeNumber } from "./parse.js";
import { WHEN } from "./table.js";

const MAX_THREADS = 1024n;

export function settingsFrom(parsed: ParsedOptions) {
  const inside = parsed.anyOf("follow", "exclude");
  if (inside && !parsed.has("recursive") && !parsed.has("folder")) {
    throw new UsageError(`--${inside} cannot be used without --recursive or --folder`);
  }
  const { NO_COLOR, TERM } = process.env;
  const walk: WalkOptions = { follow: parsed.has("follow"), excluded: new Exclusion(parsed.values("exclude")) };
  return {
    threads: threadsFrom(parsed),
    showsProgress: isOn(choice(parsed, "progress", WHEN), 2),
    // https://no-color.org
    color: isOn(choice(parsed, "color", WHEN), 1, !NO_COLOR && TERM !== "dumb"),
    walk,
  };
}

/** @param mayBe whether `auto` means yes if the descriptor is a terminal */
const isOn = (when: (typeof WHEN)[number] = "auto", descriptor: number, mayBe = true): boolean =>
  when === "always" || (when === "auto" && mayBe && isatty(descriptor));

export function choice<T extends string>(parsed: ParsedOptions, option: string, choices: readonly T[]): T | undefined {
  const value = parsed.value(option);
  const found = choices.find((each) => each === value);
  if (value === undefined || found !== undefined) return found;
  throw new UsageError(`--${option} must be one of ${choices.join(", ")}, was "${value}"`);
}

/** The most threads to use: by default one per core. */
function threadsFrom(parsed: ParsedOptions): number {
  const option = parsed.last("threads", "num-threads");
  const given = option && wholeNumber(`--${option}`, parsed.value(option) as string, 0n, MAX_THREADS);
  return Number(given) || availableParallelism();
}
