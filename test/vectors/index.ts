// Reads the vector files in this folder, in the types of the public API.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Blake3Mode } from "blake-simd/hazmat";

type Bytes = Uint8Array<ArrayBuffer>;
type Mode = "hash" | "keyed" | "derive";
type Pattern = "counting" | "ascending" | "zeros";

/** Any algorithm's options, under their public names. */
export interface Options {
  length?: number;
  key?: Bytes;
  context?: string;
  salt?: Bytes;
  personal?: Bytes;
  fanout?: number;
  maxDepth?: number;
  maxLeafLength?: number;
  nodeOffset?: number | bigint;
  nodeDepth?: number;
  innerHashLength?: number;
  lastNode?: boolean;
}

/** `input` is the number of counting bytes to hash; digests are lower-case hex. */
export interface Message {
  input: number;
  options?: Options;
}

export interface Case extends Message {
  digest: string;
}

/** An output too long to write down: `sha256` is `hashOfHex` of it. */
export interface LongCase extends Message {
  sha256: string;
}

/** All inputs of `from` to `to` bytes: `sha256` is `hashOfHex` of their digests. */
export interface Sweep {
  from: number;
  to: number;
  options?: Options;
  sha256: string;
}

/** All declared output lengths from `from` to `to`, each of the same input. */
export interface OutputSweep extends Sweep {
  input: number;
}

/** Hashed as if `count` bytes (BLAKE2bp/sp: shared by the leaves) had come before and left the chaining value alone. */
interface Preset extends Case {
  count: bigint;
}

/** The chaining value while the input's last block waits in the buffer, its words in the algorithm's byte order. */
interface Chain extends Message {
  chain: string;
}

/** Part of an output whose length was not declared. */
interface XofRead extends Message {
  position: bigint;
  output: string;
}

/** A node hashes the bytes `from` to `to` of the tree's input, or the digests of the nodes whose numbers it names. */
type TreeNode = { options: Options; digest: string } & ({ from: number; to: number } | { children: number[] });

export interface Tree {
  pattern: Pattern;
  input: number;
  nodes: TreeNode[];
}

interface Blake1 {
  cases: Case[];
  sweeps: Sweep[];
  presets: Preset[];
}

/** `large` inputs carry a counter over for real; they take seconds each. */
interface SmallBlake1 extends Blake1 {
  chains: Chain[];
  large: Case[];
}

interface Blake2 extends SmallBlake1 {
  trees: Tree[];
}

interface Blake2X {
  cases: Case[];
  long: LongCase[];
  sweeps: OutputSweep[];
  xof: XofRead[];
}

interface Blake3 {
  modes: Record<Mode, Options & Blake3Mode>;
  modeCases: ({ input: number } & Record<Mode, string>)[];
  cases: Case[];
  long: LongCase[];
  sweeps: Sweep[];
  xof: ({ mode: Mode } & XofRead)[];
  subtrees: { mode: Mode; offset: bigint; input: number; chainingValue: string }[];
  merges: { mode: Mode; left: string; right: string; parent: string; root: string }[];
  leftSizes: { size: bigint; leftSize: bigint }[];
  /** 0 stands for no limit. */
  longestSubtrees: { offset: bigint; longest: bigint }[];
  large: Case[];
}

interface Files {
  blake224: SmallBlake1;
  blake256: SmallBlake1;
  blake384: Blake1;
  blake512: Blake1;
  blake2b: Blake2;
  blake2s: Blake2;
  blake2bp: Blake1;
  blake2sp: Blake1;
  blake2xb: Blake2X;
  blake2xs: Blake2X;
  blake3: Blake3;
}

export type Algorithm = keyof Files;

const inHex = new Set(["key", "salt", "personal", "message"]);
const inDecimal = new Set(["nodeOffset", "count", "position", "offset", "size", "leftSize", "longest"]);

function revive(name: string, value: unknown): unknown {
  if (typeof value !== "string") return value;
  if (inHex.has(name)) return bytes(value);
  return inDecimal.has(name) ? BigInt(value) : value;
}

function read(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`${name}.json`, import.meta.url), "utf8"), revive);
}

/** The vectors of one algorithm. */
export function vectors<Name extends Algorithm>(name: Name): Files[Name] {
  return read(name) as Files[Name];
}

/** BLAKE3's three modes as cases like any other. */
export function modeCases({ modes, modeCases }: Blake3): Required<Case>[] {
  const names = Object.keys(modes) as Mode[];
  return modeCases.flatMap((row) =>
    names.map((mode) => {
      const options = { ...modes[mode], length: row[mode].length / 2 };
      return { input: row.input, options, digest: row[mode] };
    }),
  );
}

export function bytes(hex: string): Bytes {
  return new Uint8Array(Buffer.from(hex, "hex"));
}

/** Byte i is i % 251: no block is like its neighbour. */
export function counting(length: number): Bytes {
  return new Uint8Array(length).map((_, i) => i % 251);
}

/** Counting bytes in pieces, for inputs larger than memory; a piece is good until the next one. */
export function* countingPieces(length: number): Generator<Bytes> {
  const piece = counting(251 * 4096);
  for (let left = length; left > 0; left -= piece.length) yield piece.subarray(0, Math.min(left, piece.length));
}

/** A tree's input, or that of an official set. */
export function patterned(pattern: Pattern, length: number): Bytes {
  if (pattern === "counting") return counting(length);
  return new Uint8Array(length).map((_, i) => (pattern === "zeros" ? 0 : i));
}

/** SHA-256 of the outputs' lower-case hex, one after the other. */
export function hashOfHex(outputs: Iterable<Uint8Array>): string {
  const hash = createHash("sha256");
  for (const output of outputs) hash.update(Buffer.from(output).toString("hex"));
  return hash.digest("hex");
}

/** An official set: `sha256` is `hashOfHex` of the outputs of its requests, in order. */
interface OfficialSet {
  name: string;
  algorithm: Algorithm;
  sha256: string;
  requests: { input: Bytes; options: Options }[];
}

type Ranges = [first: number, last: number][];
type SetFields = Omit<OfficialSet, "requests"> & { options?: Options };
type SetOfMessages = SetFields & { messages: "nist" | "dcrd" };
type SetOfSizes = SetFields & { pattern: Pattern; sizes: Ranges; lengths?: Ranges };
type OfficialMessage = { message: Bytes; salt?: Bytes };

function numbers(ranges: Ranges): number[] {
  return ranges.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, i) => first + i));
}

function requestsOfSizes({ pattern, sizes, lengths, options = {} }: SetOfSizes): OfficialSet["requests"] {
  const choices = lengths ? numbers(lengths).map((length) => ({ ...options, length })) : [options];
  const inputs = numbers(sizes).map((size) => patterned(pattern, size));
  return inputs.flatMap((input) => choices.map((options) => ({ input, options })));
}

export function officialSets(): OfficialSet[] {
  const { sets } = read("official") as { sets: (SetOfMessages | SetOfSizes)[] };
  const messages = read("messages") as Record<SetOfMessages["messages"], OfficialMessage[]>;
  return sets.map((set) => {
    const { name, algorithm, sha256 } = set;
    if ("sizes" in set) return { name, algorithm, sha256, requests: requestsOfSizes(set) };
    const requests = messages[set.messages].map(({ message, ...options }) => ({ input: message, options }));
    return { name, algorithm, sha256, requests };
  });
}
