// `blakesum -c LIST...`: checks files against lists, and reports as b2sum does.

import { existsSync } from "node:fs";
import { types } from "node:util";
import { equal } from "../../index.js";
import { candidates } from "../digests/algorithms.js";
import type { Outcome } from "../digests/computation.js";
import { folderHasher } from "../digests/folder.js";
import { eachDigest, type FileJob } from "../digests/run.js";
import { isStandardInput } from "../files/read.js";
import { type Checksum, escapeName, jsonLine, parseLine } from "../lists/checksum-line.js";
import { Guesser, hintFor } from "../lists/guess.js";
import { type Line, linesOf } from "../lists/lines.js";
import { chosenAlgorithm, keyReader, recipeMaker, statedLength } from "../options/digest.js";
import type { ParsedOptions } from "../options/parse.js";
import { settingsFrom } from "../options/settings.js";
import { pathOf } from "../system/byte-strings.js";
import { codeOf } from "../system/descriptors.js";
import { failureOf } from "../system/errors.js";
import { print, printError, printFileError, shown } from "../system/output.js";
import { Progress } from "../system/progress.js";

/** Checks every list; returns true if every line names a file with the listed digest. */
export async function check(parsed: ParsedOptions): Promise<boolean> {
  const lists = parsed.operands.length > 0 ? parsed.operands : ["-"];
  const options = checkOptions(parsed, lists);
  let good = true;
  for (const list of lists) good = (await new ListCheck(list, options).run()) && good;
  options.progress.end();
  options.folders?.excluded.report();
  return good;
}

type CheckOptions = ReturnType<typeof checkOptions>;

function checkOptions(parsed: ParsedOptions, lists: readonly string[]) {
  const { threads, showsProgress, colour, walk } = settingsFrom(parsed);
  const progress = new Progress(showsProgress && !parsed.has("status"));
  // Of untagged lines; undefined if it must be detected.
  const algorithm = chosenAlgorithm(parsed)?.algorithm;
  return {
    parsed,
    progress,
    algorithm,
    // Of digests whose lines do not state it; undefined if it may be any that is long enough.
    length: statedLength(parsed),
    makeRecipe: recipeMaker(parsed, algorithm, keyReader(parsed, lists)),
    runOptions: { threads, observer: progress },
    // Undefined if the names are those of files.
    folders: parsed.has("folder") ? walk : undefined,
    // Whether failures are red.
    colour,
  };
}

/** What is printed of a file, as text and in JSON. */
const VERDICTS = {
  matched: { verdict: "OK", status: "ok" },
  mismatched: { verdict: "FAILED", status: "failed" },
  unreadable: { verdict: "FAILED open or read", status: "unreadable" },
};

type Verdict = keyof typeof VERDICTS;

/** A line of the list, and the job that computes what it should name. */
interface Entry extends FileJob {
  /** Its number; undefined if the line is none to check. */
  readonly number?: number;
  /** What the line says; undefined if it is malformed. `name` is the path that is read. */
  readonly checksum?: Checksum;
}

/** A digest of fewer bytes could match a wrong file by chance, or be a part of a longer one. */
const LEAST_LENGTH = 16;

/** Whether a hint at the algorithm has been printed for any list. */
let hinted = false;

class ListCheck {
  readonly #list: string;
  readonly #options: CheckOptions;
  readonly #guesser: Guesser;
  readonly #title: string;
  readonly #tally = { matched: 0, mismatched: 0, unreadable: 0, missing: 0, malformed: 0 };

  /** The length of the last untagged digest. */
  #untaggedLength: number | undefined;
  /** Why the first malformed line for which there is more to say is malformed. */
  #reason: string | undefined;
  /** Why the list cannot be read to its end. */
  #failure: Error | undefined;

  constructor(list: string, options: CheckOptions) {
    this.#list = list;
    this.#options = options;
    this.#guesser = new Guesser(options.makeRecipe, options.runOptions.observer);
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
        number++;
        const isComment = line.text !== undefined && /^(?:[#;]|\r?$)/.test(line.text);
        if (!isComment) yield this.#entry(number, line);
        else if (line.last) yield { name: "", last: true };
      }
    } catch (error) {
      this.#failure = failureOf(error);
    }
  }

  #entry(number: number, { text, isCut, last }: Line): Entry {
    const line = text?.replace(/\r$/, "") ?? "";
    const checksum = parseLine(line);
    const refusal = checksum ? this.#refusalOf(checksum, isCut) : foreignTag(line);
    if (refusal !== undefined) this.#reason ??= `line ${number} ${refusal}`;
    const job = checksum && refusal === undefined ? this.#jobFor(checksum) : undefined;
    if (!checksum || !job) return { name: "", last, number };
    if (this.#options.parsed.has("strict-names") && escapesDirectory(checksum.name)) {
      printError(`WARNING: ${checksum.name}: the name leads out of the folder`);
    }
    return { name: job.name, recipe: job.recipe, outcome: job.outcome, last, number, checksum };
  }

  /** Says what is wrong with the length of a digest, unless its line states it. */
  #refusalOf({ algorithm, digest, statesLength }: Checksum, isCut: boolean): string | undefined {
    const { length } = this.#options;
    const has = `has a digest of ${digest.length} byte${digest.length === 1 ? "" : "s"}`;
    if (statesLength) return undefined;
    if (length !== undefined) return digest.length === length ? undefined : `${has}, --length is ${length}`;
    if (digest.length < LEAST_LENGTH) return `${has}, which --length ${digest.length} accepts`;
    return isCut && algorithm ? `${has}, and may be cut off: it does not end with a line feed` : undefined;
  }

  /** Returns undefined if no algorithm suits the line. */
  #jobFor(checksum: Checksum): FileJob | undefined {
    const { algorithm, folders, makeRecipe } = this.#options;
    const { name: listed, digest } = checksum;
    // It is the list.
    if (isStandardInput(this.#list) && isStandardInput(listed)) return undefined;
    if (checksum.algorithm === undefined) this.#untaggedLength = digest.length;
    try {
      const name = pathFor(checksum);
      // For folders, only the likeliest algorithm: trying several would take too long.
      const chosen = checksum.algorithm ?? algorithm ?? (folders && candidates(digest.length)[0]);
      if (!chosen) return folders ? undefined : this.#guesser.guess(name, digest);
      const stated = checksum.length ?? (checksum.statesLength ? undefined : this.#options.length);
      const recipe = makeRecipe(chosen, digest.length, stated !== undefined);
      if (!recipe) return undefined;
      return folders ? { name, outcome: folderHasher(name, recipe, folders) } : { name, recipe };
    } catch (error) {
      return { name: listed, outcome: failureOf(error) };
    }
  }

  #judge({ number, checksum }: Entry, outcome: Outcome | undefined): void {
    if (number === undefined) return;
    if (!checksum) {
      this.#tally.malformed++;
      if (this.#options.parsed.has("warn")) printError(`${this.#title}: ${number}: improperly formatted checksum line`);
      return;
    }
    const result = this.#resultOf(checksum, outcome);
    this.#tally[result]++;
    const silent = this.#options.parsed.has("status") || (result === "matched" && this.#options.parsed.has("quiet"));
    if (result !== "missing" && !silent) this.#show(checksum.name, result);
  }

  #resultOf({ name, digest }: Checksum, outcome: Outcome | undefined): Verdict | "missing" {
    if (types.isUint8Array(outcome)) return equal(outcome, digest) ? "matched" : "mismatched";
    if (this.#options.parsed.has("ignore-missing") && codeOf(outcome) === "ENOENT") return "missing";
    printFileError(name, outcome);
    return "unreadable";
  }

  /** Prints a verdict as b2sum does, which here escapes only names that contain a line feed. */
  #show(name: string, result: Verdict): void {
    const { verdict, status } = VERDICTS[result];
    if (this.#options.parsed.has("json")) {
      print(jsonLine(name, { status }));
      return;
    }
    const text = shown(name.includes("\n") ? `\\${escapeName(name)}` : name);
    print(`${text}: ${this.#options.colour && result !== "matched" ? `\x1b[31m${verdict}\x1b[0m` : verdict}\n`);
  }

  #conclude(): boolean {
    const { matched, mismatched, unreadable, missing, malformed } = this.#tally;
    if (matched + mismatched + unreadable + missing === 0) {
      const why = this.#reason === undefined ? "" : `; ${this.#reason}`;
      printError(`${this.#title}: no properly formatted checksum lines found${why}`);
      return false;
    }
    if (!this.#options.parsed.has("status")) this.#warn();
    return matched > 0 && mismatched + unreadable + malformed === 0;
  }

  #warn(): void {
    const { matched, mismatched, unreadable, malformed } = this.#tally;
    const { algorithm, length: stated, folders } = this.#options;
    this.#warnOf(malformed, "line is improperly formatted", "lines are improperly formatted");
    if (this.#reason !== undefined) printError(`${this.#title}: ${this.#reason}`);
    this.#warnOf(unreadable, "listed file could not be read", "listed files could not be read");
    this.#warnOf(mismatched, "computed checksum did NOT match", "computed checksums did NOT match");
    if (this.#options.parsed.has("ignore-missing") && matched === 0) printError(`${this.#title}: no file was verified`);
    const length = this.#untaggedLength;
    // Of a folder only this command writes digests.
    if (folders || matched > 0 || mismatched === 0 || length === undefined || hinted) return;
    hinted = true;
    printError(`${this.#title}: ${hintFor(length, algorithm, stated !== undefined, this.#guesser.tried)}`);
  }

  #warnOf(count: number, one: string, several: string): void {
    if (count > 0) printError(`${this.#title}: WARNING: ${count} ${count === 1 ? one : several}`);
  }
}

/** Says of which hash that is not BLAKE a line is. */
function foreignTag(line: string): string | undefined {
  const [, tag] = /^\\?((?:SHA|MD)[-\w]*) ?\(/i.exec(line) ?? [];
  return tag && `is of ${tag}, which blakesum does not check`;
}

/** Whether a name is absolute or contains "..". */
const escapesDirectory = (name: string): boolean => /^[/\\]|^[a-z]:/i.test(name) || name.split(/[/\\]/).includes("..");

/** Lists from Windows separate folders with "\": unless a file has that very name, "\" is read as a separator. */
function pathFor({ name, escaped }: Checksum): string {
  if (escaped || !name.includes("\\") || existsSync(pathOf(name))) return name;
  const path = name.replaceAll("\\", "/");
  return existsSync(pathOf(path)) ? path : name;
}
