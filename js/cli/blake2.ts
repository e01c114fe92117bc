// The command when called as blake2: compatible with the crate blake2_bin.

import { fromHex } from "../index.js";
import { type Algorithm, algorithmNamed, limitsOf, type Options } from "./algorithms.js";
import { BLAKE2_HELP } from "./blake2-help.js";
import { asUtf8 } from "./byte-strings.js";
import { type ClapLine, type ClapProgram, fail, unsigned } from "./clap.js";
import { rustReasonOf } from "./file-error.js";
import type { Given } from "./given.js";
import { hashFiles, type Source } from "./hash-files.js";
import { bareLine, type LineFormat } from "./line-formats.js";
import { type Messages, rustMessages } from "./messages.js";
import { Progress } from "./progress.js";
import { PANIC, rustProgram } from "./rust-program.js";

const PROGRAM: ClapProgram = {
  usage: "Usage: blake2 [OPTIONS] [INPUTS]...",
  options: {
    b: { short: "b" },
    s: { short: "s" },
    p: { short: "p" },
    length: { value: "<LENGTH>" },
    key: { value: "<KEY>" },
    salt: { value: "<SALT>" },
    personal: { value: "<PERSONAL>" },
    fanout: { value: "<FANOUT>" },
    "max-depth": { value: "<MAX_DEPTH>" },
    "max-leaf-length": { value: "<MAX_LEAF_LENGTH>" },
    "node-offset": { value: "<NODE_OFFSET>" },
    "node-depth": { value: "<NODE_DEPTH>" },
    "inner-hash-length": { value: "<INNER_HASH_LENGTH>" },
    "last-node": {},
    mmap: {},
  },
};

const rust = rustMessages("blake2");
const messages: Messages = {
  ...rust,
  fileError: (name, error) =>
    name === "-" && !(error as { named?: boolean }).named
      ? rust.error(`stdin: ${rustReasonOf(error)}`)
      : rust.fileError(name, error),
};

export const blake2 = rustProgram({ messages, syntax: PROGRAM, help: BLAKE2_HELP, version: "blake2 1.0", prepare });

function prepare({ given, operands }: ClapLine): () => boolean | Promise<boolean> {
  const { algorithm, options } = recipeOf(given);
  return () =>
    hashFiles({
      sources: sourcesOf(operands, given.has("mmap")),
      recipe: { algorithm, options, seek: 0n },
      format: operands.length > 1 ? named : bareLine("\n"),
      messages,
      runOptions: { threads: undefined, observer: Progress.silent() },
    });
}

const named: LineFormat = (name) => ["", `  ${asUtf8(name)}\n`];

function sourcesOf(operands: readonly string[], maps: boolean): Source[] {
  if (operands.length > 0) return operands.map((name) => ({ name, path: name === "-" ? "./-" : name }));
  return [maps ? { name: "-", error: new Error("--mmap not supported for stdin") } : { name: "-" }];
}

/** Reads the options in the order in which blake2 checks them. */
function recipeOf(given: Given): { algorithm: Algorithm; options: Options } {
  const numbers = numbersOf(given);
  if (given.has("b") && given.has("s")) fail("blake2: -b and -s can't be used together");
  const name = `blake2${given.has("s") ? "s" : "b"}${given.has("p") ? "p" : ""}`;
  const algorithm = algorithmNamed(name) as Algorithm;
  const limits = limitsOf(algorithm);
  const options: Options = {};
  if (numbers.length !== undefined) options.length = within("length", Number(numbers.length), limits.length);
  const key = given.value("key");
  // An empty key means an unkeyed hash.
  if (key) options.key = bounded("key", hexBytes(key), limits.key);
  for (const parameter of ["salt", "personal"] as const) {
    const text = given.value(parameter);
    if (text === undefined) continue;
    const bytes = hexBytes(text);
    if (given.has("p")) fail(`blake2: --${parameter} not supported`);
    options[parameter] = bounded(parameter, bytes, limits[parameter]);
  }
  const foreign = given.first(...TREE);
  if (foreign && given.has("p")) fail(`blake2: --${foreign} not supported`);
  return { algorithm, options: { ...options, ...treeOf(given, numbers, limits.length[1], limits.nodeOffset ?? 0n) } };
}

const TREE = ["fanout", "max-depth", "max-leaf-length", "node-offset", "node-depth", "inner-hash-length", "last-node"];

type Numbers = ReturnType<typeof numbersOf>;

function numbersOf(given: Given) {
  return {
    length: unsigned(PROGRAM, given, "length", 64),
    fanout: unsigned(PROGRAM, given, "fanout", 8),
    maxDepth: unsigned(PROGRAM, given, "max-depth", 8),
    maxLeafLength: unsigned(PROGRAM, given, "max-leaf-length", 32),
    nodeOffset: unsigned(PROGRAM, given, "node-offset", 64),
    nodeDepth: unsigned(PROGRAM, given, "node-depth", 8),
    innerHashLength: unsigned(PROGRAM, given, "inner-hash-length", 64),
  };
}

function treeOf(given: Given, numbers: Numbers, longest: number, lastOffset: bigint): Options {
  const { fanout, maxDepth, maxLeafLength, nodeOffset, nodeDepth, innerHashLength } = numbers;
  const options: Options = {};
  if (fanout !== undefined) options.fanout = Number(fanout);
  if (maxDepth !== undefined) options.maxDepth = within("max-depth", Number(maxDepth), [1, 255]);
  if (maxLeafLength !== undefined) options.maxLeafLength = Number(maxLeafLength);
  if (nodeOffset !== undefined) {
    if (nodeOffset > lastOffset) fail(`blake2: --node-offset must be at most ${lastOffset}, was ${nodeOffset}`, PANIC);
    options.nodeOffset = nodeOffset;
  }
  if (nodeDepth !== undefined) options.nodeDepth = Number(nodeDepth);
  if (innerHashLength !== undefined) {
    options.innerHashLength = within("inner-hash-length", Number(innerHashLength), [0, longest]);
  }
  if (given.has("last-node")) options.lastNode = true;
  return options;
}

function within(option: string, value: number, [least, most]: readonly [number, number]): number {
  if (value >= least && value <= most) return value;
  return fail(`blake2: --${option} must be ${least} to ${most}, was ${value}`, PANIC);
}

function bounded(option: string, bytes: Uint8Array, [, most]: readonly [number, number] = [0, 0]): Uint8Array {
  if (bytes.length <= most) return bytes;
  return fail(`blake2: --${option} must have at most ${most} bytes, had ${bytes.length}`, PANIC);
}

function hexBytes(text: string): Uint8Array {
  if (text.length % 2 !== 0) fail("blake2: Odd number of digits");
  const wrong = /[^0-9a-f]/i.exec(text);
  if (wrong) fail(`blake2: Invalid character '${wrong[0]}' at position ${wrong.index}`);
  return fromHex(text);
}
