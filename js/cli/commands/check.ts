// `blakesum -c LIST...`: checks files against lists, and reports as b2sum does.
import { existsSync } from "node:fs";
import { equal } from "../../index.js";
import { isStandardInput } from "../files/read.js";
import { candidates } from "../hashing/algorithms.js";
import { FileHasher } from "../hashing/file-hasher.js";
import { folderOutput } from "../hashing/folder.js";
import { type Checksum, escapeName, jsonLine, parseLine } from "../lists/checksum-line.js";
import { Guesser, hintFor } from "../lists/guess.js";
import { linesOf } from "../lists/lines.js";
import type { ParsedOptions } from "../options/parse.js";
import { chosenAlgorithm, keyReader, recipeMaker, statedLength } from "../options/recipe.js";
import { settingsFrom } from "../options/settings.js";
import { pathOf } from "../system/byte-strings.js";
import { codeOf, rethrowFatal } from "../system/errors.js";
import { forTerminal, print, printError, printFileError } from "../system/output.js";
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
  const { threads, showsProgress, color, walk } = settingsFrom(parsed);
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
    files: new FileHasher(progress, threads),
    // Undefined if the names are those of files.
    folders: parsed.has("folder") ? walk : undefined,
    // Whether failures are red.
    color,
  };
}

/** What is printed of a file, as text and in JSON. */
const VERDICTS = {
  matched: { verdict: "OK", status: "ok" },
  mismatched: { verdict: "FAILED", status: "failed" },
  unreadable: { verdict: "FAILED open or read", status: "unreadable" },
};

type Verdict = keyof typeof VERDICTS;

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

  constructor(list: string, options: CheckOptions) {
    this.#list = list;
    this.#options = options;
    this.#guesser = new Guesser(options.makeRecipe, options.files);
    this.#title = isStandardInput(list) ? "standard input" : list;
  }

  async run(): Promise<boolean> {
    let lines: string[];
    try {
      lines = linesOf(this.#list);
    } catch (error) {
      printFileError(this.#title, error);
      return false;
    }
    for (const [i, text] of lines.entries()) {
      const line = text.replace(/\r$/, "");
      if (line !== "" && !/^[#;]/.test(line)) await this.#check(line, i + 1);
    }
    return this.#conclude();
  }

  async #check(line: string, number: number): Promise<void> {
    const checksum = parseLine(line);
    const refusal = checksum ? this.#refusalOf(checksum) : foreignTag(line);
    if (refusal !== undefined) this.#reason ??= `line ${number} ${refusal}`;
    const result = checksum && refusal === undefined ? await this.#resultOf(checksum) : undefined;
    if (!checksum || !result) {
      this.#tally.malformed++;
      if (this.#options.parsed.has("warn")) printError(`${this.#title}: ${number}: improperly formatted checksum line`);
      return;
    }
    if (this.#options.parsed.has("strict-names") && escapesDirectory(checksum.name)) {
      printError(`WARNING: ${checksum.name}: the name leads out of the folder`);
    }
    this.#tally[result]++;
    const silent = this.#options.parsed.has("status") || (result === "matched" && this.#options.parsed.has("quiet"));
    if (result !== "missing" && !silent) this.#show(checksum.name, result);
  }

  /** Says what is wrong with the length of a digest, unless its line states it. */
  #refusalOf({ digest, statesLength }: Checksum): string | undefined {
    const { length } = this.#options;
    const has = `has a digest of ${digest.length} byte${digest.length === 1 ? "" : "s"}`;
    if (statesLength) return undefined;
    if (length !== undefined) return digest.length === length ? undefined : `${has}, --length is ${length}`;
    return digest.length < LEAST_LENGTH ? `${has}, which --length ${digest.length} accepts` : undefined;
  }

  /** Returns undefined if no algorithm suits the line. */
  async #resultOf(checksum: Checksum): Promise<Verdict | "missing" | undefined> {
    const { name, digest } = checksum;
    // Standard input is the list itself.
    if (isStandardInput(this.#list) && isStandardInput(name)) return undefined;
    if (checksum.algorithm === undefined) this.#untaggedLength = digest.length;
    try {
      const computed = await this.#digestFor(checksum, pathFor(checksum));
      return computed && (equal(computed, digest) ? "matched" : "mismatched");
    } catch (error) {
      rethrowFatal(error);
      if (this.#options.parsed.has("ignore-missing") && codeOf(error) === "ENOENT") return "missing";
      printFileError(name, error);
      return "unreadable";
    }
  }

  /** Returns what the digest of a line should be. */
  async #digestFor(checksum: Checksum, path: string): Promise<Uint8Array | undefined> {
    const { algorithm, files, folders, makeRecipe } = this.#options;
    const { digest } = checksum;
    // For folders, only the likeliest algorithm: trying several would take too long.
    const chosen = checksum.algorithm ?? algorithm ?? (folders && candidates(digest.length)[0]);
    if (!chosen) return folders ? undefined : this.#guesser.digest(path, digest);
    const stated = checksum.length ?? (checksum.statesLength ? undefined : this.#options.length);
    const recipe = makeRecipe(chosen, digest.length, stated !== undefined);
    if (!recipe) return undefined;
    return folders
      ? Buffer.concat([...(await folderOutput(path, recipe, folders, files))])
      : files.digest(path, recipe);
  }

  /** Prints a verdict as b2sum does, which here escapes only names that contain a line feed. */
  #show(name: string, result: Verdict): void {
    const { verdict, status } = VERDICTS[result];
    if (this.#options.parsed.has("json")) {
      print(jsonLine(name, { status }));
      return;
    }
    const text = forTerminal(name.includes("\n") ? `\\${escapeName(name)}` : name);
    print(`${text}: ${this.#options.color && result !== "matched" ? `\x1b[31m${verdict}\x1b[0m` : verdict}\n`);
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
    const { algorithm, folders, parsed } = this.#options;
    this.#warnOf(malformed, "line is improperly formatted", "lines are improperly formatted");
    if (this.#reason !== undefined) printError(`${this.#title}: ${this.#reason}`);
    this.#warnOf(unreadable, "listed file could not be read", "listed files could not be read");
    this.#warnOf(mismatched, "computed checksum did NOT match", "computed checksums did NOT match");
    if (parsed.has("ignore-missing") && matched === 0) printError(`${this.#title}: no file was verified`);
    const length = this.#untaggedLength;
    // Of a folder only this command writes digests.
    if (folders || matched > 0 || mismatched === 0 || length === undefined || hinted) return;
    hinted = true;
    printError(`${this.#title}: ${hintFor(length, algorithm ? [algorithm.algorithm] : this.#guesser.tried)}`);
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
