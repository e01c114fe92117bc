// `blakesum bao`: compatible with the bao program, reading and writing the same formats.
import {
  BaoDecodeStream,
  BaoEncodeStream,
  IntegrityError,
  Outboard,
  outboardOf,
  rangeOf,
  VerifiedRangeStream,
} from "../bao.js";
import { blake3, toHex } from "../index.js";
import { digestOf } from "../streams.js";
import { BAO_HELP, BAO_USAGE } from "./bao-help.js";
import { sliceOf } from "./bao-slice.js";
import { FileFailure, named, UsageError } from "./errors.js";
import { bytesOf, File } from "./files.js";
import { printFileError } from "./messages.js";
import { print, requireOutput } from "./output.js";
import { OutputFile, requireOther, temporaryCopy } from "./output-file.js";
import { type ParsedOptions, parseOptions, wholeNumber } from "./parsed-options.js";

/** A subcommand: its number of operands, its options, and its action. */
interface Command {
  readonly operands: readonly [least: number, most: number];
  readonly options: readonly string[];
  run(operands: readonly string[], parsed: ParsedOptions): Promise<boolean>;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  hash: { operands: [0, Number.POSITIVE_INFINITY], options: [], run: hash },
  encode: { operands: [1, 2], options: ["outboard", "group"], run: encode },
  outboard: { operands: [1, 2], options: ["group"], run: writeOutboard },
  decode: { operands: [1, 3], options: ["outboard", "start", "count", "group"], run: decode },
  slice: { operands: [2, 4], options: ["outboard", "group"], run: slice },
  "decode-slice": { operands: [3, 5], options: ["group"], run: decodeSlice },
};

const OPTIONS = {
  help: { short: "h" },
  outboard: { value: "FILE" },
  start: { value: "BYTE" },
  count: { value: "BYTES" },
  group: { value: "BYTES" },
};

const STDIO = "-";
const GROUP = "1024";

export const bao = { usage: `${BAO_USAGE} (blakesum bao --help says more)`, prepare };

/** Parses the arguments after `bao`. The returned function does the work, and returns true on success. */
function prepare(args: readonly string[]): () => Promise<boolean> {
  const parsed = parseOptions(args, OPTIONS);
  return async () => {
    if (!parsed.has("help")) return perform(parsed);
    print(BAO_HELP);
    return true;
  };
}

function inWordsOfBao(error: unknown): unknown {
  const isMismatch = error instanceof IntegrityError && (error.reason === "bytes" || error.reason === "node");
  return isMismatch ? new Error(`hash mismatch at byte ${error.offset} of the content`) : error;
}

function perform(parsed: ParsedOptions): Promise<boolean> {
  const [name, ...operands] = parsed.operands;
  const known = Object.keys(COMMANDS).join(", ");
  if (name === undefined) throw new UsageError(`bao needs a command, one of ${known}`);
  if (!Object.hasOwn(COMMANDS, name)) throw new UsageError(`bao's command must be one of ${known}, was "${name}"`);
  const command = COMMANDS[name] as Command;
  const [least, most] = command.operands;
  if (operands.length < least || operands.length > most) {
    throw new UsageError(`bao ${name} takes ${least} to ${most} operands, was given ${operands.length}`);
  }
  const foreign = Object.keys(OPTIONS).find((option) => parsed.has(option) && !command.options.includes(option));
  if (foreign) throw new UsageError(`--${foreign} cannot be used with bao ${name}`);
  return command.run(operands, parsed);
}

const LAST_BYTE = BigInt(Number.MAX_SAFE_INTEGER);

const toCount = (name: string, text: string): number => Number(wholeNumber(name, text, 0n, LAST_BYTE, " of bytes"));

function groupFrom(parsed: ParsedOptions): number {
  const text = parsed.value("group") ?? GROUP;
  const value = toCount("--group", text);
  if (value >= 1024 && value <= 2 ** 20 && Number.isInteger(Math.log2(value))) return value;
  throw new UsageError(`--group must be a power of 2 from 1024 to 1048576, was "${text}"`);
}

function toHash(text: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) return text;
  throw new UsageError(`the hash must be 64 hexadecimal digits, was "${text}"`);
}

/** The end of a range, clamped to the largest safe integer. */
const endOf = (start: number, count: number): number => Math.min(start + count, Number.MAX_SAFE_INTEGER);

/** Opens a file for reading and runs `work` on it. */
function withFile<T>(name: string, work: (file: File) => Promise<T>): Promise<T> {
  return naming(name, async () => {
    const file = File.open(name);
    try {
      return await work(file);
    } finally {
      file.close();
    }
  });
}

/** Runs `work`, whose errors get a file's name. */
async function naming<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw named(name, inWordsOfBao(error));
  }
}

/** Runs `work` on an output that is none of the inputs. */
async function withOutput(
  name: string,
  inputs: readonly string[],
  work: (output: OutputFile) => Promise<void>,
): Promise<boolean> {
  requireOther(name, inputs);
  const output = new OutputFile(name);
  try {
    await work(output);
    output.end();
  } finally {
    output.close();
  }
  return true;
}

async function hash(names: readonly string[]): Promise<boolean> {
  requireOutput();
  let complete = true;
  for (const name of names.length > 0 ? names : [STDIO]) {
    try {
      const digest = await withFile(name, (file) => digestOf(blake3, file.chunks()));
      print(names.length > 1 ? `${toHex(digest)}  ${name}\n` : `${toHex(digest)}\n`);
    } catch (error) {
      if (!(error instanceof FileFailure)) throw error;
      printFileError(error.file, error.cause);
      complete = false;
    }
  }
  return complete;
}

/** Has content read twice, as an encoding begins with the root node. */
function twice(file: File, work: (content: File) => Promise<void>): Promise<void> {
  return file.isRegular ? work(file) : temporaryCopy(file, work);
}

function encode([input, output]: readonly string[], parsed: ParsedOptions): Promise<boolean> {
  const [outboard, group] = [parsed.value("outboard"), groupFrom(parsed)];
  if (outboard !== undefined && output !== undefined)
    throw new UsageError("bao encode takes an output or --outboard, not both");
  if (outboard !== undefined) return writeOutboard([input as string, outboard], parsed);
  if (output === undefined) throw new UsageError("bao encode needs an output, or --outboard");
  if (output === STDIO) requireOutput();
  return withFile(input as string, (file) =>
    withOutput(output, [input as string], (sink) =>
      twice(file, async (content) => {
        const tree = await outboardOf(content.chunks(0), { group });
        await pass(content.chunks(0), new BaoEncodeStream(tree), sink);
      }),
    ),
  );
}

function writeOutboard([input, output = STDIO]: readonly string[], parsed: ParsedOptions): Promise<boolean> {
  const group = groupFrom(parsed);
  if (output === STDIO) requireOutput();
  return withFile(input as string, (file) =>
    withOutput(output, [input as string], async (sink) => {
      const tree = await outboardOf(file.chunks(), { group });
      sink.write(tree.toBytes("bao"));
    }),
  );
}

function decode([hash, input = STDIO, output = STDIO]: readonly string[], parsed: ParsedOptions): Promise<boolean> {
  const [outboard, group] = [parsed.value("outboard"), groupFrom(parsed)];
  const root = toHash(hash as string);
  const start = toCount("--start", parsed.value("start") ?? "0");
  const count = parsed.value("count");
  const range = { start, end: count === undefined ? undefined : endOf(start, toCount("--count", count)) };
  const isWhole = parsed.first("start", "count") === undefined;
  const inputs = outboard === undefined ? [input] : [input, outboard];
  return withFile(input, (file) =>
    withOutput(output, inputs, async (sink) => {
      if (outboard !== undefined) return decodeWith(await readOutboard(outboard, root, group), file, range, sink);
      const encoding = isWhole ? file.chunks() : sliceOf(requireRegular(file), range.start, range.end, group);
      await pass(encoding, new BaoDecodeStream(root, { group, ...(!isWhole && range) }), sink);
    }),
  );
}

async function decodeWith(
  tree: Outboard,
  file: File,
  { start, end }: { start: number; end: number | undefined },
  sink: OutputFile,
): Promise<void> {
  const range = {
    start: Math.min(start, tree.length),
    end: end === undefined ? undefined : Math.max(Math.min(start, tree.length), end),
  };
  const from = rangeOf(tree, range);
  const content = file.isRegular ? file.chunks(from.start, from.end) : skipped(file.chunks(), from.start, from.end);
  await pass(content, new VerifiedRangeStream(tree, range), sink);
}

function slice(
  [start, count, input = STDIO, output = STDIO]: readonly string[],
  parsed: ParsedOptions,
): Promise<boolean> {
  const [outboard, group] = [parsed.value("outboard"), groupFrom(parsed)];
  const from = toCount("the start", start as string);
  const end = endOf(from, toCount("the count", count as string));
  if (output === STDIO) requireOutput();
  const inputs = outboard === undefined ? [input] : [input, outboard];
  return withFile(input, (file) =>
    withOutput(output, inputs, async (sink) => {
      requireRegular(file);
      const nodes = outboard === undefined ? undefined : await naming(outboard, async () => bytesOf(outboard));
      for (const bytes of sliceOf(file, from, end, group, nodes)) sink.write(bytes);
    }),
  );
}

function decodeSlice(operands: readonly string[], parsed: ParsedOptions): Promise<boolean> {
  const [hash, start, count, input = STDIO, output = STDIO] = operands;
  const group = groupFrom(parsed);
  const root = toHash(hash as string);
  const from = toCount("the start", start as string);
  const end = endOf(from, toCount("the count", count as string));
  return withFile(input, (file) =>
    withOutput(output, [input], (sink) =>
      pass(file.chunks(), new BaoDecodeStream(root, { group, start: from, end }), sink),
    ),
  );
}

const readOutboard = (name: string, root: string, group: number): Promise<Outboard> =>
  naming(name, async () => Outboard.from(bytesOf(name), { root, group }));

function requireRegular(file: File): File {
  if (file.isRegular) return file;
  throw new Error("a range needs a file that can be read anywhere in it");
}

/** Yields the bytes from `start` to `end` of a sequence of chunks. */
function* skipped(chunks: Iterable<Uint8Array>, start: number, end: number): Generator<Uint8Array> {
  let at = 0;
  for (const chunk of chunks) {
    const part = chunk.subarray(Math.max(0, start - at), Math.max(0, end - at));
    at += chunk.length;
    if (part.length > 0) yield part;
    if (at >= end) return;
  }
}

/** Pipes chunks through a stream and writes its output, until the stream ends or fails. */
async function pass(
  chunks: Iterable<Uint8Array>,
  stream: { readable: ReadableStream<Uint8Array>; writable: WritableStream },
  sink: OutputFile,
): Promise<void> {
  const iterator = chunks[Symbol.iterator]();
  const source = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const { done, value } = iterator.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => void iterator.return?.(),
    },
    { highWaterMark: 0 },
  );
  await source.pipeThrough(stream).pipeTo(new WritableStream({ write: (bytes) => sink.write(bytes) }));
}
