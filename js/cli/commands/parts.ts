// `blakesum --subtree` and `blakesum --merge`: an object whose parts are hashed by any engine that can run a command.
import { type Blake3Mode, SubtreeCollector, SubtreeHasher } from "../../hazmat.js";
import { fromHex, toHex } from "../../index.js";
import { File } from "../files/read.js";
import { linesOf } from "../lists/lines.js";
import { type ParsedOptions, requireOperands, wholeNumber } from "../options/parse.js";
import { keyReader, recipeFrom } from "../options/recipe.js";
import { optionEntries } from "../options/table.js";
import { failureOf, UsageError } from "../system/errors.js";
import { print } from "../system/output.js";

const STDIO = "-";
/** The call of the library that an error begins with. */
const SUBTREE_CALL = /^Subtree(Hasher|Collector)(\.\w+)?: /;
const LAST_BYTE = BigInt(Number.MAX_SAFE_INTEGER);

const WITH_PARTS = ["keyed", "key", "derive-key"];

/** @param file the index of the operand that names the file */
function modeFrom(parsed: ParsedOptions, option: string, file: number): Blake3Mode {
  const unusable = optionEntries.find(([name]) => parsed.has(name) && name !== option && !WITH_PARTS.includes(name));
  if (unusable) throw new UsageError(`--${option} cannot be used with --${unusable[0]}`);
  const { options } = recipeFrom(parsed, keyReader(parsed, [parsed.operands[file] ?? STDIO]));
  return options;
}

/** Prints the chaining value of a part of a file. */
export function subtree(parsed: ParsedOptions): boolean {
  const mode = modeFrom(parsed, "subtree", 0);
  const [range, name = STDIO] = [parsed.value("subtree") as string, ...parsed.operands];
  requireOperands("--subtree", parsed.operands, 0, 1);
  const { offset, length } = parseRange(range);
  const hasher = orMisuse("subtree", () => new SubtreeHasher({ ...mode, offset }));
  return using(name, hasher, () => {
    hashPart(name, hasher, offset, length);
    print(`${offset}+${hasher.bytesHashed} ${toHex(hasher.chainingValue())}\n`);
  });
}

/** Without a length, a part ends where the file does. */
function parseRange(text: string): { offset: number; length: number | undefined } {
  const [offset = "", length, ...more] = text.split("+");
  if (more.length > 0) throw new UsageError(`--subtree must be OFFSET or OFFSET+LENGTH in bytes, was "${text}"`);
  return {
    offset: Number(wholeNumber("--subtree", offset, 0n, LAST_BYTE)),
    length: length === undefined ? undefined : Number(wholeNumber("--subtree", length, 1n, LAST_BYTE)),
  };
}

function hashPart(name: string, hasher: SubtreeHasher, offset: number, length?: number): void {
  const file = File.open(name);
  try {
    const end = length === undefined ? Number.POSITIVE_INFINITY : offset + length;
    for (const bytes of isSeekable(file) ? file.chunks(offset, end) : file.chunks()) hasher.update(bytes);
  } finally {
    file.close();
  }
  const { bytesHashed } = hasher;
  if (bytesHashed === 0n) throw new Error(`has no byte at offset ${offset}`);
  if (length !== undefined && bytesHashed > length) throw new Error(`has more than ${length} bytes`);
}

/** Pipes, and standard input even if it is a file, hold the bytes of the part alone. */
const isSeekable = ({ isRegular, descriptor, status }: File): boolean =>
  isRegular || (descriptor > 0 && status.isBlockDevice());

/** Reads the lines that `subtree` printed, and prints the digest. */
export function merge(parsed: ParsedOptions): boolean {
  const mode = modeFrom(parsed, "merge", 1);
  requireOperands("--merge", parsed.operands, 1, 2);
  const [part = "", name = STDIO] = parsed.operands;
  const length = Number(wholeNumber("--merge", parsed.value("merge") as string, 1n, LAST_BYTE));
  const partLength = Number(wholeNumber("--merge", part, 1024n, LAST_BYTE));
  const collector = orMisuse("merge", () => new SubtreeCollector(length, partLength, mode));
  return using(name, collector, () => {
    collect(name, collector, (offset) => Math.min(partLength, length - offset));
    print(`${toHex(collector.digest())}\n`);
  });
}

/** Sets the values of a list; an error has the number of the line. */
function collect(name: string, collector: SubtreeCollector, lengthAt: (offset: number) => number): void {
  for (const [i, line] of linesOf(name).entries()) {
    try {
      const [offset, length, value] = parseLine(line);
      if (length !== lengthAt(offset))
        throw new Error(`the part at ${offset} has ${lengthAt(offset)} bytes, not ${length}`);
      collector.set(offset, value);
    } catch (error) {
      throw new Error(`line ${i + 1}: ${messageOf(error)}`);
    }
  }
}

function parseLine(line: string): [offset: number, length: number, value: Uint8Array] {
  const [, offset, length, value] = /^(\d{1,16})\+(\d{1,16})[ \t]+([0-9a-fA-F]{64})\r?$/.exec(line) ?? [];
  if (value === undefined) throw new Error("must be OFFSET+LENGTH and a chaining value in 64 hexadecimal digits");
  return [Number(offset), Number(length), fromHex(value)];
}

/** Runs `make` on values from the command line; an error of the library about them names the option. */
function orMisuse<T>(option: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw SUBTREE_CALL.test((error as Error).message) ? new UsageError(`--${option}: ${messageOf(error)}`) : error;
  }
}

/** Runs `work`, whose errors get the name of a file, and disposes of what it used. */
function using(name: string, used: { dispose(): void }, work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    throw failureOf(name, SUBTREE_CALL.test((error as Error).message) ? new Error(messageOf(error)) : error);
  } finally {
    used.dispose();
  }
}

/** Returns an error's message without the call of the library. */
const messageOf = (error: unknown): string => (error as Error).message.replace(SUBTREE_CALL, "");
