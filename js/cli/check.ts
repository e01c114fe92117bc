// Checks files against lists, and reports as b2sum does.
import { equal } from "../index.js";
import { fileErrorOf } from "./file-error.js";
import { isStandardInput } from "./files.js";
import type { Item, Job, Outcome, RunOptions } from "./job.js";
import { eachDigest } from "./jobs.js";
import { escapeName } from "./line-formats.js";
import { type Line, LONG_LINE, PAUSE } from "./lines.js";
import type { Messages } from "./messages.js";
import { print } from "./output.js";
import { codeOf } from "./system.js";

/** Which results a check prints, and which problems it ignores. */
export interface Report {
  readonly ignoreMissing: boolean;
  readonly quiet: boolean;
  readonly status: boolean;
  readonly strict: boolean;
  readonly warn: boolean;
}

/** One parsed line of a list. */
export interface Expectation {
  readonly name: string;
  readonly digest: Uint8Array;
  /** The job to run; omitted if the outcome is already known. */
  readonly job?: Job;
  readonly later?: () => Promise<Outcome>;
  readonly outcome?: Outcome;
}

/** How a program parses lists and formats results. */
export interface CheckStyle {
  readonly messages: Messages;
  readonly linesOf: (list: string) => Iterator<Line, void>;
  /** The name of a list in messages. */
  titleOf(list: string): string;
  /** Reports that a list cannot be read. */
  listError(list: string, error: unknown): void;
  /** Returns undefined if the line is not a checksum line. */
  read(line: string): Expectation | undefined;
  /** Prints the result for a file; `verdict` is b2sum's text for it. */
  show(name: string, verdict: string, outcome: Verdict): void;
  readonly malformed: string;
  noLines(title: string): string;
  /** Formats a warning about a number of lines or files. */
  warning(title: string, sentence: string): string;
  /** Called when a list is finished. */
  conclude?(title: string, tally: Readonly<Tally>): void;
}

export type Verdict = "matched" | "mismatched" | "unreadable";
type Result = Verdict | "missing" | "malformed";
export type Tally = Record<Result, number>;

/** Checks every list; returns true if every file has the listed digest. */
export async function checkLists(
  lists: readonly string[],
  styleFor: (list: string) => CheckStyle,
  report: Report,
  runOptions: RunOptions,
): Promise<boolean> {
  let good = true;
  for (const list of lists) good = (await new Check(list, styleFor(list), report, runOptions).run()) && good;
  return good;
}

interface Entry extends Item {
  readonly number: number;
  readonly expected: Expectation | undefined;
}

/** The check of one list. */
class Check {
  readonly #list: string;
  readonly #style: CheckStyle;
  readonly #report: Report;
  readonly #runOptions: RunOptions;
  readonly #title: string;
  readonly #tally: Tally = { matched: 0, mismatched: 0, unreadable: 0, missing: 0, malformed: 0 };

  constructor(list: string, style: CheckStyle, report: Report, runOptions: RunOptions) {
    this.#list = list;
    this.#style = style;
    this.#report = report;
    this.#runOptions = runOptions;
    this.#title = style.titleOf(list);
  }

  async run(): Promise<boolean> {
    let failure: unknown;
    const entries = this.#entries((error) => {
      failure = error;
    });
    await eachDigest(entries, this.#runOptions, (entry, outcome) => this.#judge(entry, outcome));
    if (failure !== undefined) {
      this.#style.listError(this.#list, failure);
      return false;
    }
    return this.#conclude();
  }

  *#entries(onError: (error: unknown) => void): Generator<Entry, void, undefined> {
    let number = 0;
    const lines = this.#style.linesOf(this.#list);
    for (;;) {
      const next = nextOf(lines, onError);
      if (next === undefined) return;
      if (next === PAUSE) {
        yield { number: 0, expected: undefined, last: true };
        continue;
      }
      number++;
      if (next !== LONG_LINE && (next.startsWith("#") || next === "" || next === "\r")) continue;
      const expected = next === LONG_LINE ? undefined : this.#read(next);
      yield { number, expected, job: expected?.job, later: expected?.later };
    }
  }

  #read(line: string): Expectation | undefined {
    const expected = this.#style.read(line.endsWith("\r") ? line.slice(0, -1) : line);
    const ownList = expected && isStandardInput(this.#list) && isStandardInput(expected.name);
    return ownList ? undefined : expected;
  }

  #judge({ number, expected }: Entry, outcome: Outcome | undefined): void {
    if (number === 0) return;
    const result = expected ? this.#resultOf(expected, outcome ?? expected.outcome) : "malformed";
    this.#tally[result]++;
    if (result === "malformed") {
      if (this.#report.warn) this.#style.messages.error(`${this.#title}: ${number}: ${this.#style.malformed}`);
    } else if (result !== "missing" && expected && !this.#report.status) {
      if (!(this.#report.quiet && result === "matched")) this.#style.show(expected.name, VERDICTS[result], result);
    }
  }

  #resultOf({ name, digest }: Expectation, outcome: Outcome | undefined): Result {
    if (outcome instanceof Uint8Array) return equal(outcome, digest) ? "matched" : "mismatched";
    if (this.#report.ignoreMissing && codeOf(outcome) === "ENOENT") return "missing";
    this.#style.messages.fileError(name, outcome);
    return "unreadable";
  }

  #conclude(): boolean {
    const { matched, mismatched, unreadable, missing, malformed } = this.#tally;
    const { messages } = this.#style;
    if (matched + mismatched + unreadable + missing === 0) {
      messages.error(this.#style.noLines(this.#title));
      return false;
    }
    if (!this.#report.status) {
      this.#warn();
      this.#style.conclude?.(this.#title, this.#tally);
    }
    return matched > 0 && mismatched + unreadable === 0 && !(this.#report.strict && malformed > 0);
  }

  #warn(): void {
    const { matched, mismatched, unreadable, malformed } = this.#tally;
    this.#warnOf(malformed, "line is improperly formatted", "lines are improperly formatted");
    this.#warnOf(unreadable, "listed file could not be read", "listed files could not be read");
    this.#warnOf(mismatched, "computed checksum did NOT match", "computed checksums did NOT match");
    if (this.#report.ignoreMissing && matched === 0) this.#style.messages.error(`${this.#title}: no file was verified`);
  }

  #warnOf(count: number, one: string, several: string): void {
    if (count === 0) return;
    this.#style.messages.error(this.#style.warning(this.#title, `${count} ${count === 1 ? one : several}`));
  }
}

const VERDICTS: Readonly<Record<Verdict, string>> = {
  matched: "OK",
  mismatched: "FAILED",
  unreadable: "FAILED open or read",
};

/** Returns the next line, or undefined at the end or after a read error. */
function nextOf<T>(lines: Iterator<T>, onError: (error: unknown) => void): T | undefined {
  try {
    const next = lines.next();
    return next.done ? undefined : next.value;
  } catch (error) {
    onError(fileErrorOf(error));
    return undefined;
  }
}

/** Prints a verdict as b2sum does, which here escapes only names that contain a line feed. */
export function showVerdict(name: string, verdict: string): void {
  const shown = name.includes("\n") ? `\\${escapeName(name)}` : name;
  print(`${shown}: ${verdict}\n`);
}
