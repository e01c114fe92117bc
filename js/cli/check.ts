import { equal } from "../index.js";
import type { CheckCommand, CheckReport } from "./arguments.js";
import { type Checksum, escapeName, parseLine } from "./checksums.js";
import { type DigestJob, digestFile } from "./digests.js";
import { isStandardInput, LONG_LINE, linesOf } from "./files.js";
import { complain, complainAbout, OutputError, print } from "./output.js";
import { codeOf } from "./system.js";

type Outcome = "matched" | "mismatched" | "unreadable" | "missing" | "malformed";
type Tally = Record<Outcome, number>;

/** Checks every list; true where each file of each list is as listed. */
export async function checkLists({ names, ...command }: CheckCommand): Promise<boolean> {
  let good = true;
  for (const list of names) good = (await checkList(list, command)) && good;
  return good;
}

type Manner = Omit<CheckCommand, "names">;

async function checkList(list: string, manner: Manner): Promise<boolean> {
  const { report } = manner;
  const tally: Tally = { matched: 0, mismatched: 0, unreadable: 0, missing: 0, malformed: 0 };
  const title = isStandardInput(list) ? "standard input" : list;
  let number = 0;
  try {
    for (const line of linesOf(list)) {
      number++;
      if (line !== LONG_LINE && (line === "" || line.startsWith("#"))) continue;
      const outcome = line === LONG_LINE ? "malformed" : await checkLine(line, list, manner);
      tally[outcome]++;
      if (outcome === "malformed" && report.warn) complain(`${title}: ${number}: improperly formatted checksum line`);
    }
  } catch (error) {
    if (error instanceof OutputError) throw error;
    complainAbout(title, error);
    return false;
  }
  return concludeList(title, tally, report);
}

async function checkLine(line: string, list: string, { algorithm, report, threads }: Manner): Promise<Outcome> {
  const checksum = parseLine(line, algorithm);
  const job = checksum && jobFor(checksum, threads);
  if (!job || (isStandardInput(list) && isStandardInput(checksum.name))) return "malformed";
  const outcome = await checkFile(checksum, job, report);
  const verdict = VERDICTS[outcome];
  if (verdict && !report.status && !(report.quiet && outcome === "matched"))
    print(`${shownName(checksum.name)}: ${verdict}\n`);
  return outcome;
}

const VERDICTS: Readonly<Partial<Record<Outcome, string>>> = {
  matched: "OK",
  mismatched: "FAILED",
  unreadable: "FAILED open or read",
};

/** b2sum escapes here only the names that would break the line. */
const shownName = (name: string): string => (/[\n\r]/.test(name) ? `\\${escapeName(name)}` : name);

/** The line's digest tells the length; a length that the algorithm does not have makes no checksum line. */
function jobFor({ algorithm, digest }: Checksum, threads: number | undefined): DigestJob | undefined {
  const options = digest.length === algorithm.digestLength ? {} : { length: digest.length };
  try {
    return { algorithm, options, hasher: algorithm.create(options), threads };
  } catch {
    return undefined;
  }
}

async function checkFile({ name, digest }: Checksum, job: DigestJob, report: CheckReport): Promise<Outcome> {
  try {
    return equal(await digestFile(name, job), digest) ? "matched" : "mismatched";
  } catch (error) {
    if (report.ignoreMissing && codeOf(error) === "ENOENT") return "missing";
    complainAbout(name, error);
    return "unreadable";
  } finally {
    job.hasher.dispose();
  }
}

function concludeList(title: string, tally: Tally, report: CheckReport): boolean {
  const { matched, mismatched, unreadable, missing, malformed } = tally;
  if (matched + mismatched + unreadable + missing === 0) {
    complain(`${title}: no properly formatted checksum lines found`);
    return false;
  }
  if (!report.status) {
    warnOf(title, malformed, "line is improperly formatted", "lines are improperly formatted");
    warnOf(title, unreadable, "listed file could not be read", "listed files could not be read");
    warnOf(title, mismatched, "computed checksum did NOT match", "computed checksums did NOT match");
    if (matched + mismatched + unreadable === 0) complain(`${title}: no file was verified`);
  }
  return matched > 0 && mismatched + unreadable + malformed === 0;
}

function warnOf(title: string, count: number, one: string, several: string): void {
  if (count > 0) complain(`${title}: WARNING: ${count} ${count === 1 ? one : several}`);
}
