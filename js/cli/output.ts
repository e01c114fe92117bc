import { writeSync } from "node:fs";
import { toHex } from "../index.js";
import { toBytes } from "./byte-strings.js";
import { codeOf, reasonOf, whenReady } from "./system.js";

const STDOUT = 1;
const STDERR = 2;

/** Standard output cannot be written. */
export class OutputError extends Error {}

export function print(output: string | Uint8Array): void {
  try {
    writeAll(STDOUT, output);
  } catch (error) {
    throw new OutputError(`standard output: ${reasonOf(error)}`, { cause: error });
  }
}

export const isBrokenPipe = (error: unknown): boolean =>
  error instanceof OutputError && codeOf(error.cause) === "EPIPE";

export const complain = (message: string): void => writeErrorLine(`blakesum: ${message}`);

/** Tells why a file could not be had. A name of no characters is shown as the shell writes it. */
export const complainAbout = (name: string, error: unknown): void => complain(`${name || "''"}: ${reasonOf(error)}`);

/** Writes one line to standard error; names in it can neither break the line nor steer a terminal. */
export function writeErrorLine(text: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
  const line = text.replace(/[\0-\x1f\x7f]/g, (character) => `\\x${toHex(toBytes(character))}`);
  try {
    writeAll(STDERR, `${line}\n`);
  } catch {
    // Nobody listens; the exit status still tells.
  }
}

function writeAll(descriptor: number, output: string | Uint8Array): void {
  let rest = typeof output === "string" ? toBytes(output) : output;
  while (rest.length > 0) {
    const written = whenReady(() => writeSync(descriptor, rest));
    rest = rest.subarray(written);
  }
}
