// A call that takes a caller's arrays: what it is given, how it is called, and what an independent implementation says to the
// same bytes. It is tried while its memory changes, by changing-memory.test.ts step by step and by raced-memory.test.ts from a
// second thread.
import { blake2b as nobleBlake2b, blake2s as nobleBlake2s } from "@noble/hashes/blake2.js";
import type { Algorithm } from "blake-simd";
import type * as hmacs from "blake-simd/hmac";
import type * as states from "blake-simd/states";
import type * as streams from "blake-simd/streams";
import { concat } from "../bao.ts";
import { keyed } from "../specification.ts";
import { type Subject, subjects } from "../subjects.ts";

export type Bytes = Uint8Array;
export type Arrays = Record<string, Bytes>;

/** A build of the package, as far as every build has it. */
export interface Library {
  readonly algorithms: Record<string, Algorithm<object>>;
  readonly states: typeof states;
  readonly streams: typeof streams;
  readonly hmacs: typeof hmacs;
}

/** Where a caller's code runs during a call. */
export interface Code {
  /** Options whose getters run it. */
  options<O extends object>(options: O): O;
  /** A list whose iterator runs it. */
  list<T>(items: readonly T[]): Iterable<T>;
}

export interface Call {
  readonly name: string;
  /** The algorithm whose kernel computes. */
  readonly subject: Subject;
  /** What a caller holds. Those in `BYTES` have to be Uint8Arrays; the others may be any input. */
  readonly arrays: Arrays;
  run(library: Library, arrays: Arrays, code: Code): Bytes | Promise<Bytes>;
  /** What the call returns for these bytes; throws, or returns undefined, if it has to refuse them. */
  expected(arrays: Arrays): Bytes | undefined;
  /** The changes after which the result is unspecified. */
  readonly unspecified?: RegExp;
}

/** Arrays that a call takes as Uint8Arrays only. */
export const BYTES: ReadonlySet<string> = new Set([
  "output",
  "state",
  "value",
  "groupValues",
  "left",
  "right",
  "tree",
  "data",
]);

export const SHORT = 100;
export const LONGER = 20_000;
export const LONG = 150_000;

/** Bytes that tell the arrays of a call from one another. */
export function bytesFor(name: string, length: number): Bytes {
  const seed = [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 65_521, 7);
  return new Uint8Array(length).map((_, i) => (seed + 1 + ((i * 2_654_435_761) >>> 13)) % 256);
}

export function arraysOf(lengths: Record<string, number>): Arrays {
  return Object.fromEntries(Object.entries(lengths).map(([name, length]) => [name, bytesFor(name, length)]));
}

interface Options {
  key?: Bytes;
  salt?: Bytes;
  personal?: Bytes;
  context?: Bytes;
  length?: number;
}

const OPTIONS = ["key", "salt", "personal", "context"] as const;

/** The options among a call's arrays. */
export function optionsIn(arrays: Arrays): Options | undefined {
  const names = OPTIONS.filter((name) => arrays[name] !== undefined);
  return names.length === 0 ? undefined : Object.fromEntries(names.map((name) => [name, arrays[name]!]));
}

/** The digest by an independent implementation; throws for options that the algorithm does not have. */
export function digest(subject: Subject, message: Bytes, options: Options = {}): Bytes {
  const { name, keyLengths, blockLength } = subject;
  const { key, salt, personal } = options;
  const word = blockLength / 16;
  if (key && !keyLengths.includes(key.length)) throw new RangeError("key");
  if (/^blake2[bsx]/.test(name)) {
    if ([salt, personal].some((bytes) => bytes && bytes.length > 2 * word)) throw new RangeError("salt");
    const padded = (bytes?: Bytes) => bytes && concat([bytes, new Uint8Array(2 * word - bytes.length)]);
    const plain = name === "blake2b" ? nobleBlake2b : name === "blake2s" ? nobleBlake2s : undefined;
    const settings = { ...(key && { key }), ...(salt && { salt: padded(salt)! }) };
    if (plain) return plain(message, { ...settings, ...(personal && { personalization: padded(personal)! }) });
    return subject
      .oracle({ ...settings, ...(personal && { personal: padded(personal)! }) })
      .update(message)
      .digest();
  }
  if (salt && salt.length !== 4 * word) throw new RangeError("salt");
  return subject
    .oracle(options as object)
    .update(message)
    .digest();
}

export const text = (string: string): Bytes => new TextEncoder().encode(string);

/** Updates a hasher, which has to go on as before if that throws, and disposes of it after use. */
export function updated<H extends { update(input: Bytes | string): unknown; dispose(): void }, T>(
  hasher: H,
  message: Bytes,
  read: (hasher: H) => Bytes,
  use: (hasher: H) => T,
): T {
  try {
    hasher.update(HEAD);
    const before = read(hasher);
    try {
      hasher.update(message);
    } catch (error) {
      if (Buffer.compare(read(hasher), before) !== 0) throw new Error("a refused update has changed the hasher");
      throw error;
    }
    return use(hasher);
  } finally {
    hasher.dispose();
  }
}

export const HEAD = "head";

export const of = (name: string): Subject => subjects.find((subject) => subject.name === name)!;
export const blake3 = of("blake3");

interface Passing {
  readonly writable: WritableStream<Bytes>;
  readonly readable: ReadableStream<Bytes>;
}

/** Whether nothing can be read of a view any more. */
function isDetached(bytes: Bytes): boolean {
  try {
    bytes.keys();
    return false;
  } catch {
    return true;
  }
}

/** Writes one chunk to a stream, and returns all that comes out. */
export async function through({ writable, readable }: Passing, chunk: Bytes): Promise<Bytes> {
  const writer = writable.getWriter();
  const pieces: Bytes[] = [];
  const read = async (): Promise<void> => {
    for await (const piece of readable) if (!isDetached(piece)) pieces.push(new Uint8Array(piece));
  };
  const steps = [writer.write(chunk), writer.close(), read()];
  const [failed] = (await Promise.allSettled(steps)).filter(({ status }) => status === "rejected");
  if (failed) throw (failed as PromiseRejectedResult).reason;
  return concat(pieces);
}

export const messageHashed = (a: Arrays): Bytes => digest(blake3, a.message!, optionsIn(a));
export const keyOf = (a: Arrays) => {
  if (a.key!.length !== 32) throw new RangeError("key");
  return keyed(a.key!);
};
