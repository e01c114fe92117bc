// Checks files against lists, and reports as b2sum does.
import { equal } from "../../index.js";
import type { Algorithm } from "../digests/algorithms.js";
import type { FileJob, Outcome, RunOptions } from "../digests/job-list.js";
import { eachDigest } from "../digests/run.js";
import { isStandardInput } from "../files/read.js";
import { escapeName, jsonLine } from "../lists/checksum-line.js";
import { looksLike } from "../lists/guess.js";
import { LONG_LINE, linesOf, PAUSE } from "../lists/lines.js";
import { type Expectation, ListedFiles, type ListOptions } from "../lists/listed-files.js";
import { codeOf, isTerminal } from "../system/descriptors.js";
import { failureOf } from "../system/errors.js";
import { print, printError, printFileError, shown } from "../system/output.js";

export interface CheckOptions extends ListOptions {
  readonly ignoreMissing: boolean;
  readonly quiet: boolean;
  readonly status: boolean;
  readonly warn: boolean;
  readonly json: boolean;
  /** Whether failures are red. */
  readonly colour: boolean;
  readonly runOptions: RunOptions;
}

/** Whether a hint at the algorithm has been printed for any list. */
let hinted = false;

/** Checks every list; returns true if every line names a file with the listed digest. */
export async function checkLists(lists: readonly string[], options: CheckOptions): Promise<boolean> {
  let good = true;
  for (const list of lists) good = (await new Check(list, options).run()) && good;
  return good;
}

/** What is printed of a file, as text and in JSON. */
const VERDICTS = {
  matched: { verdict: "OK", status: "ok" },
  mismatched: { verdict: "FAILED", status: "failed" },
  unreadable: { verdict: "FAILED open or read", status: "unreadable" },
};

type Verdict = keyof typeof VERDICTS;

/** A line of the list; without what it says, if it is malformed. */
type Entry = FileJob & Partial<Expectation> & { readonly number: number };

/** The check of one list. */
class Check {
  readonly #list: string;
  readonly #options: CheckOptions;
  readonly #files: ListedFiles;
  readonly #title: string;
  readonly #tally = { matched: 0, mismatched: 0, unreadable: 0, missing: 0, malformed: 0 };

  /** The algorithm that the first tagged line of a hash that is no BLAKE names. */
  #foreign: string | undefined;
  /** Why the list cannot be read to its end. */
  #failure: Error | undefined;

  constructor(list: string, options: CheckOptions) {
    this.#list = list;
    this.#options = options;
    this.#files = new ListedFiles(options);
    this.#title = isStandardInput(list) ? "standard input" : list;
  }

  async run(): Promise<boolean> {
    await eachDigest(this.#entries(), this.#options.runOptions, (entry, outcome) => this.#judge(entry, outcome));
    if (this.#failure === undefined) return this.#conclude();
    printFileError(this.#title, this.#failure);
    return false;
  }

  *#entries(): Generator<Entry, void, undefined> {
    let number = 0;
    try {
      for (const line of linesOf(this.#list)) {
        if (line === PAUSE) {
          yield { name: "", number: 0, last: true };
          continue;
        }
        number++;
        if (line !== LONG_LINE && /^(?:[#;]|\r?$)/.test(line)) continue;
        const expected = line === LONG_LINE ? undefined : this.#read(line);
        if (line !== LONG_LINE && !expected) this.#foreign ??= /^\\?((?:SHA|MD)[-\w]*) ?\(/i.exec(line)?.[1];
        yield { name: "", number, ...expected };
      }
    } catch (error) {
      this.#failure = failureOf(error);
    }
  }

  #read(line: string): Expectation | undefined {
    const expected = this.#files.read(line.endsWith("\r") ? line.slice(0, -1) : line);
    const ownList = expected && isStandardInput(this.#list) && isStandardInput(expected.listed);
    return ownList ? undefined : expected;
  }

  #judge({ number, listed, digest }: Entry, outcome: Outcome | undefined): void {
    if (number === 0) return;
    if (listed === undefined || digest === undefined) {
      this.#tally.malformed++;
      if (this.#options.warn) printError(`${this.#title}: ${number}: improperly formatted checksum line`);
      return;
    }
    const result = this.#resultOf(listed, digest, outcome);
    this.#tally[result]++;
    const silent = this.#options.status || (this.#options.quiet && result === "matched");
    if (result !== "missing" && !silent) this.#show(listed, result);
  }

  #resultOf(name: string, digest: Uint8Array, outcome: Outcome | undefined): Verdict | "missing" {
    if (outcome instanceof Uint8Array) return equal(outcome, digest) ? "matched" : "mismatched";
    if (this.#options.ignoreMissing && codeOf(outcome) === "ENOENT") return "missing";
    printFileError(name, outcome);
    return "unreadable";
  }

  /** Prints a verdict as b2sum does, which here escapes only names that contain a line feed. */
  #show(name: string, result: Verdict): void {
    const { verdict, status } = VERDICTS[result];
    if (this.#options.json) {
      print(jsonLine(name, { status }));
      return;
    }
    const text = shown(name.includes("\n") ? `\\${escapeName(name)}` : name);
    print(`${text}: ${this.#options.colour && result !== "matched" ? `\x1b[31m${verdict}\x1b[0m` : verdict}\n`);
  }

  #conclude(): boolean {
    const { matched, mismatched, unreadable, missing, malformed } = this.#tally;
    if (matched + mismatched + unreadable + missing === 0) {
      const why =
        this.#foreign === undefined ? "" : `; its lines are of ${this.#foreign}, which blakesum does not check`;
      printError(`${this.#title}: no properly formatted checksum lines found${why}`);
      return false;
    }
    if (!this.#options.status) this.#warn();
    return matched > 0 && mismatched + unreadable + malformed === 0;
  }

  #warn(): void {
    const { matched, mismatched, unreadable, malformed } = this.#tally;
    this.#warnOf(malformed, "line is improperly formatted", "lines are improperly formatted");
    this.#warnOf(unreadable, "listed file could not be read", "listed files could not be read");
    this.#warnOf(mismatched, "computed checksum did NOT match", "computed checksums did NOT match");
    if (this.#options.ignoreMissing && matched === 0) printError(`${this.#title}: no file was verified`);
    const length = this.#files.untaggedLength;
    if (matched === 0 && mismatched > 0 && length !== undefined && !hinted) {
      hinted = true;
      printError(`${this.#title}: ${hintFor(length, this.#options.algorithm, this.#files.tried)}`);
    }
  }

  #warnOf(count: number, one: string, several: string): void {
    if (count > 0) printError(`${this.#title}: WARNING: ${count} ${count === 1 ? one : several}`);
  }
}

/** Says of a list in which nothing matches which algorithm it appears to use, and the option for it. */
function hintFor(length: number, chosen: Algorithm | undefined, tried: ReadonlySet<string>): string {
  const digits = `its digests have ${length * 2} digits, like ${looksLike(length)}`;
  if (chosen && !looksLike(length).includes(` ${chosen.algorithm})`)) {
    return `no file matches as ${chosen.algorithm}: ${digits}; without --algorithm it is detected`;
  }
  const names = chosen ? chosen.algorithm : [...tried].join(", ");
  return `no file matches as ${names}: ${digits}; if the files are good, the list is of another --algorithm, or of keyed digests (--key, --keyed, --derive-key)`;
}

export type When = "auto" | "always" | "never";

/** Whether output is coloured: https://no-color.org. */
export function isColoured(when: When): boolean {
  const { NO_COLOR, TERM } = process.env;
  return when === "always" || (when === "auto" && !NO_COLOR && TERM !== "dumb" && isTerminal(1));
}
