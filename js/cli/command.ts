import { toHex } from "../index.js";
import { type Command, createHasher, type HashCommand, parseArguments, UsageError } from "./arguments.js";
import { checkLists } from "./check.js";
import { lineAround } from "./checksums.js";
import { digestFile } from "./digests.js";
import { chunksOf } from "./files.js";
import { helpText, USAGE } from "./help.js";
import { complain, complainAbout, isBrokenPipe, print, writeErrorLine } from "./output.js";
import { reasonOf } from "./system.js";

/** Set by scripts/bundle.mjs. */
declare const PACKAGE_VERSION: string;

/** Does what the arguments say, byte strings all; returns the exit status. */
export async function run(args: readonly string[]): Promise<number> {
  try {
    return (await perform(parseArguments(args))) ? 0 : 1;
  } catch (error) {
    return explain(error);
  }
}

function explain(error: unknown): number {
  if (error instanceof UsageError) {
    complain(error.message);
    writeErrorLine(`${USAGE} (blakesum --help tells more)`);
    return 2;
  }
  if (!isBrokenPipe(error)) complain(reasonOf(error));
  return 1;
}

/** True where all went well. */
async function perform(command: Command): Promise<boolean> {
  switch (command.action) {
    case "help":
      print(helpText());
      return true;
    case "version":
      print(`blakesum ${PACKAGE_VERSION}\n`);
      return true;
    case "hash":
      return hashFiles(command);
    case "check":
      return checkLists(command);
  }
}

async function hashFiles(command: HashCommand): Promise<boolean> {
  const { names, algorithm, threads, keyed, style } = command;
  const options = keyed ? { ...command.options, key: readKey() } : command.options;
  const hasher = createHasher(algorithm, options);
  let complete = true;
  for (const name of names) {
    const digest = await digestOrComplain(name, () =>
      digestFile(name, { algorithm, options, hasher: hasher.reset(), threads }),
    );
    if (!digest) complete = false;
    else if (style.content === "raw") print(digest);
    else printHex(digest, ...lineAround(algorithm, digest.length, portableName(name), style));
  }
  hasher.dispose();
  return complete;
}

async function digestOrComplain(name: string, digest: () => Promise<Uint8Array>): Promise<Uint8Array | undefined> {
  try {
    return await digest();
  } catch (error) {
    complainAbout(name, error);
    return undefined;
  }
}

/** Bytes whose hex digits are printed at once: a digest may be longer than a string can be. */
const PIECE = 32 * 1024;

function printHex(digest: Uint8Array, before: string, after: string): void {
  let text = before;
  let at = 0;
  for (; at + PIECE < digest.length; at += PIECE) {
    print(text + toHex(digest.subarray(at, at + PIECE)));
    text = "";
  }
  print(text + toHex(digest.subarray(at)) + after);
}

/** Lists made on Windows are to be checked elsewhere too: b3sum writes names so. */
const portableName = (name: string): string => (process.platform === "win32" ? name.replaceAll("\\", "/") : name);

/** No algorithm takes a key this long; it bounds what is kept of an endless standard input. */
const KEY_LIMIT = 1024;

function readKey(): Uint8Array {
  const parts: Uint8Array[] = [];
  let length = 0;
  for (const bytes of chunksOf("-")) {
    length += bytes.length;
    if (length > KEY_LIMIT) throw new UsageError(`the key on standard input is longer than ${KEY_LIMIT} bytes`);
    parts.push(bytes.slice());
  }
  return Buffer.concat(parts);
}
