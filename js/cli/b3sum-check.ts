// Checks files against lists as b3sum 1.8 does: any line that is not a checksum line counts as a failure.
import { equal } from "../index.js";
import { blake3 } from "./algorithms.js";
import { asUtf8, bytesOfHex } from "./byte-strings.js";
import { unescapeName } from "./checksum-lines.js";
import { rustReasonOf } from "./file-error.js";
import { UsageError } from "./given.js";
import type { Item, RunOptions } from "./job.js";
import { eachDigest } from "./jobs.js";
import { LONG_LINE, PAUSE, plainLinesOf } from "./lines.js";
import type { Messages } from "./messages.js";
import { print } from "./output.js";
import { plainRecipe } from "./recipes.js";

interface B3sumLine {
  /** As it is written in the list. */
  readonly shown: string;
  readonly name: string;
  readonly digest: Uint8Array;
}

const recipe = plainRecipe(blake3);
const HEX_LENGTH = 64;

/** The reason that a line is invalid. */
class LineError extends Error {}

/** Returns true if every line of every list names a file with the listed digest. */
export async function checkB3sumLists(
  lists: readonly string[],
  quiet: boolean,
  runOptions: RunOptions,
  messages: Messages,
): Promise<boolean> {
  let failed = 0;
  for (const list of lists) {
    await eachDigest(itemsOf(list), runOptions, ({ line, error }, outcome) => {
      if (error) {
        messages.error(error.message);
        failed++;
      } else if (line && outcome) {
        const good = outcome instanceof Uint8Array && equal(outcome, line.digest);
        if (!good) failed++;
        const verdict = good ? "OK" : outcome instanceof Uint8Array ? "FAILED" : `FAILED (${rustReasonOf(outcome)})`;
        if (!(good && quiet)) print(`${line.shown}: ${verdict}\n`);
      }
    });
  }
  if (failed > 0) messages.error(`WARNING: ${failed} computed checksum${failed === 1 ? "" : "s"} did NOT match`);
  return failed === 0;
}

interface LineItem extends Item {
  readonly line?: B3sumLine;
  readonly error?: LineError;
}

function* itemsOf(list: string): Generator<LineItem, void, undefined> {
  try {
    for (const line of plainLinesOf(list)) {
      if (line === PAUSE) yield { last: true };
      else yield itemOf(line === LONG_LINE ? "" : line);
    }
  } catch (error) {
    throw new UsageError(`Error: ${rustReasonOf(error)}\n`, 1);
  }
}

function itemOf(text: string): LineItem {
  try {
    const line = parseB3sumLine(text);
    return { line, job: { name: line.name, recipe } };
  } catch (error) {
    if (error instanceof LineError) return { error };
    throw error;
  }
}

export function parseB3sumLine(text: string): B3sumLine {
  if (asUtf8(text) !== text) throw new UsageError("Error: stream did not contain valid UTF-8\n", 1);
  const line = text.replace(/\r+$/, "");
  if (line === "") throw new LineError("Empty line");
  const escaped = line.startsWith("\\");
  const [hex, written] = splitLine(escaped ? line.slice(1) : line);
  if (Buffer.from(hex, "latin1").length !== HEX_LENGTH) throw new LineError("Invalid hash length");
  if (!/^[0-9a-f]*$/.test(hex)) throw new LineError("Invalid hex");
  const name = escaped ? unescapeName(written) : written;
  if (name === undefined) throw new LineError("Invalid backslash escape");
  requireClear(name);
  return { shown: `${escaped ? "\\" : ""}${written}`, name, digest: bytesOfHex(hex) };
}

function splitLine(body: string): [hex: string, name: string] {
  const untagged = body.indexOf("  ");
  if (untagged >= 0) return [body.slice(0, untagged), body.slice(untagged + 2)];
  const tagged = body.startsWith("BLAKE3 (") ? body.lastIndexOf(") = ") : -1;
  if (tagged < 8) throw new LineError("Invalid check line format");
  return [body.slice(tagged + 4), body.slice(8, tagged)];
}

/** The replacement character of UTF-8, as a byte string. */
const REPLACEMENT = "\xef\xbf\xbd";

function requireClear(name: string): void {
  if (name === "") throw new LineError("empty file path");
  if (name.includes("\0")) throw new LineError("Null character in path");
  if (name.includes(REPLACEMENT)) throw new LineError("Unicode replacement character in path");
  if (process.platform === "win32" && name.includes("\\")) throw new LineError("Backslash in path");
}
