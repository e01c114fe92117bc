// `blakesum bao`: compatible with the bao program, reading and writing the same formats.
import { sliceOf } from "../../bao/encode.js";
import { BaoDecodeStream, BaoEncodeStream, Outboard, outboardOf, rangeOf, VerifiedRangeStream } from "../../bao.js";
import { blake3, toHex } from "../../index.js";
import { digestOf } from "../../streams.js";
import { OutputFile, requireOther, temporaryCopy } from "../files/output-file.js";
import { File, fileBytes } from "../files/read.js";
import { type ParsedOptions, parseOptions, requireOperands, suggestion, wholeNumber } from "../options/parse.js";
import { FileFailure, failureOf, runFor, UsageError } from "../system/errors.js";
import { forTerminal, print, printFileError } from "../system/output.js";

const HELP = `Usage: blakesum bao hash [INPUT]...
       blakesum bao encode INPUT (OUTPUT | --outboard=FILE) [--group=BYTES]
       blakesum bao outboard INPUT [OUTPUT] [--group=BYTES]
       blakesum bao decode HASH [INPUT [OUTPUT]] [--outboard=FILE] [--start=BYTE] [--count=BYTES] [--group=BYTES]
       blakesum bao slice START COUNT [INPUT [OUTPUT]] [--outboard=FILE] [--group=BYTES]
       blakesum bao decode-slice HASH START COUNT [INPUT [OUTPUT]] [--group=BYTES]
Make and decode verified streams: whatever is decoded has been checked against the BLAKE3 hash before it is written.
With no INPUT or OUTPUT, or if it is -, use standard input or output.

  hash          print BLAKE3 hashes
  encode        write content with its tree's nodes in between, or, with --outboard, the nodes alone
  outboard      write the nodes alone
  decode        write the content of an encoding, or of INPUT with the nodes of --outboard; or a range of it
  slice         write the part of an encoding that a range of content needs
  decode-slice  write the content of a slice

      --group BYTES        bytes in a group, a power of 2 from 1024 to 1048576 (default 1024, as the bao program has)

The files are those of the bao program. If one is wrong, all output up to the error is correct.

Exit status: 0 all went well; 1 a file could not be read or written, or is not what the hash stands for;
2 the command line was wrong.
`;

/** A subcommand: its number of operands, its options, and its action. */
interface Command {
  readonly operands: readonly [least: number, most: number];
  readonly options: readonly string[];
  run(operands: readonly string[], values: Values): Promise<boolean>;
}

/** The values of the options, those of `--start` and `--count` as a range. */
interface Values {
  readonly group: number;
  readonly outboard: string | undefined;
  readonly range: Range | undefined;
}

interface Range {
  readonly start: number;
  readonly end: number;
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

/** Runs what the arguments after `bao` ask for; returns true on success. */
export async function bao(args: readonly string[]): Promise<boolean> {
  const parsed = parseOptions(args, OPTIONS);
  if (parsed.has("help")) {
    print(HELP);
    return true;
  }
  const [name, ...operands] = parsed.operands;
  const known = Object.keys(COMMANDS);
  const commands = known.join(", ");
  if (name === undefined) throw new UsageError(`bao needs a command, one of ${commands}`);
  if (!Object.hasOwn(COMMANDS, name)) {
    throw new UsageError(`bao's command must be one of ${commands}, was "${name}"${suggestion(name, known)}`);
  }
  const command = COMMANDS[name] as Command;
  requireOperands(`bao ${name}`, operands, ...command.operands);
  const unusable = Object.keys(OPTIONS).find((option) => parsed.has(option) && !command.options.includes(option));
  if (unusable) throw new UsageError(`--${unusable} cannot be used with bao ${name}`);
  return command.run(operands, valuesOf(parsed));
}

function valuesOf(parsed: ParsedOptions): Values {
  const group = Number(wholeNumber("--group", parsed.value("group") ?? "1024", 0n, BigInt(MAX), " of bytes"));
  if (group < 1024 || group > 2 ** 20 || !Number.isInteger(Math.log2(group))) {
    throw new UsageError(`--group must be a power of 2 from 1024 to 1048576, was "${parsed.value("group")}"`);
  }
  const [start, count] = [parsed.value("start"), parsed.value("count")];
  const isWhole = start === undefined && count === undefined;
  const range = isWhole ? undefined : toRange(start, count, ["--start", "--count"]);
  return { group, outboard: parsed.value("outboard"), range };
}

const MAX = Number.MAX_SAFE_INTEGER;

/** Positions are clamped to the largest safe integer, beyond which no content reaches. */
function toRange(start = "0", count = `${MAX}`, names: readonly string[] = ["START", "COUNT"]): Range {
  const [from, length] = [start, count].map((text, i) =>
    Math.min(Number(wholeNumber(names[i] as string, text, 0n, 2n ** 64n - 1n, " of bytes")), MAX),
  ) as [number, number];
  return { start: from, end: Math.min(from + length, MAX) };
}

function toHash(text: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) return text;
  throw new UsageError(`the hash must be 64 hexadecimal digits, was "${text}"`);
}

/** Runs `work` on a file, whose name its errors get. */
async function withFile<T>(name: string, work: (file: File) => Promise<T>): Promise<T> {
  const file = runFor(name, () => File.open(name));
  try {
    const result = await work(file);
    file.requireUnchanged();
    return result;
  } catch (error) {
    throw failureOf(name, error);
  } finally {
    file.close();
  }
}

/** Runs `work` on an input, and on an output that is neither it nor the outboard. */
function withFiles(
  input: string,
  output: string,
  outboard: string | undefined,
  work: (file: File, output: OutputFile) => Promise<void>,
): Promise<boolean> {
  return withFile(input, async (file) => {
    requireOther(output, outboard === undefined ? [input] : [input, outboard]);
    const sink = new OutputFile(output);
    try {
      await work(file, sink);
      sink.end();
    } finally {
      sink.close();
    }
    return true;
  });
}

async function hash(names: readonly string[]): Promise<boolean> {
  let complete = true;
  for (const name of names.length > 0 ? names : [STDIO]) {
    try {
      const digest = await withFile(name, (file) => digestOf(blake3, file.chunks()));
      print(names.length > 1 ? `${toHex(digest)}  ${forTerminal(name)}\n` : `${toHex(digest)}\n`);
    } catch (error) {
      if (!(error instanceof FileFailure)) throw error;
      printFileError(error.file, error.cause);
      complete = false;
    }
  }
  return complete;
}

function encode([input = STDIO, output]: readonly string[], values: Values): Promise<boolean> {
  const { outboard, group } = values;
  if (outboard !== undefined && output !== undefined)
    throw new UsageError("bao encode takes an output or --outboard, not both");
  if (outboard !== undefined) return writeOutboard([input, outboard], values);
  if (output === undefined) throw new UsageError("bao encode needs an output, or --outboard");
  return withFiles(input, output, undefined, (file, sink) => {
    // An encoding begins with the root node, so its content is read twice.
    const write = async (content: File): Promise<void> => {
      const tree = await outboardOf(content.chunks(0), { group });
      await pass(content.chunks(0), new BaoEncodeStream(tree), sink);
    };
    return file.isRegular ? write(file) : temporaryCopy(file, write);
  });
}

function writeOutboard([input = STDIO, output = STDIO]: readonly string[], { group }: Values): Promise<boolean> {
  return withFiles(input, output, undefined, async (file, sink) => {
    const tree = await outboardOf(file.chunks(), { group });
    sink.write(tree.toBytes("bao"));
  });
}

function decode(
  [hash = "", input = STDIO, output = STDIO]: readonly string[],
  { outboard, group, range }: Values,
): Promise<boolean> {
  const root = toHash(hash);
  return withFiles(input, output, outboard, async (file, sink) => {
    if (outboard !== undefined) {
      const tree = runFor(outboard, () => Outboard.from(fileBytes(outboard), { root, group }));
      return decodeWith(tree, file, range ?? { start: 0, end: MAX }, sink);
    }
    const encoding = range ? sliceFrom(file, range, group) : file.chunks();
    await pass(encoding, new BaoDecodeStream(root, { group, ...range }), sink);
  });
}

async function decodeWith(tree: Outboard, file: File, { start, end }: Range, sink: OutputFile): Promise<void> {
  const first = Math.min(start, tree.length);
  const range = { start: first, end: Math.max(first, end) };
  const from = rangeOf(tree, range);
  const content = file.isRegular ? file.chunks(from.start, from.end) : skipped(file.chunks(), from.start, from.end);
  await pass(content, new VerifiedRangeStream(tree, range), sink);
}

function slice(
  [begin = "", count = "", input = STDIO, output = STDIO]: readonly string[],
  { outboard, group }: Values,
): Promise<boolean> {
  const range = toRange(begin, count);
  return withFiles(input, output, outboard, async (file, sink) => {
    const nodes = outboard === undefined ? undefined : runFor(outboard, () => fileBytes(outboard));
    for (const bytes of sliceFrom(file, range, group, nodes)) sink.write(bytes);
  });
}

/** Yields the slice for a range from an encoding, or from content with its nodes. */
function sliceFrom(file: File, range: Range, group: number, nodes?: Uint8Array) {
  if (!file.isRegular) throw new Error("a range needs a file that can be read anywhere in it");
  const outboard = nodes && ((at: number, length: number) => nodes.subarray(at, at + length));
  return sliceOf(range, group, (at, length) => file.part(at, length), outboard);
}

function decodeSlice(operands: readonly string[], { group }: Values): Promise<boolean> {
  const [hash = "", start = "", count = "", input = STDIO, output = STDIO] = operands;
  const root = toHash(hash);
  const range = toRange(start, count);
  return withFiles(input, output, undefined, (file, sink) =>
    pass(file.chunks(), new BaoDecodeStream(root, { group, ...range }), sink),
  );
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
