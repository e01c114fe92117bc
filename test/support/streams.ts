// What the tests of streams share: messages with independent digests, watched hashers, and unhandled rejections.
import { blake2b as nobleBlake2b, blake2s as nobleBlake2s } from "@noble/hashes/blake2.js";
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import { type Algorithm, blake2b, blake2s, blake3, type Hasher } from "blake-simd";
import { afterEach, beforeEach, expect } from "vitest";

export interface Options {
  length?: number;
  key?: Uint8Array;
}

type Oracle = (message: Uint8Array, options?: { dkLen?: number; key?: Uint8Array }) => Uint8Array;

interface Pair {
  readonly name: string;
  readonly algorithm: Algorithm<Options>;
  /** An independent implementation. */
  oracle(message: Uint8Array, options?: Options): Uint8Array;
}

function pair(algorithm: Algorithm<Options>, digestLength: number, oracle: Oracle): Pair {
  return {
    name: algorithm.algorithm,
    algorithm,
    oracle: (message, { length = digestLength, key } = {}) => oracle(message, { dkLen: length, ...(key && { key }) }),
  };
}

export const pairs: readonly Pair[] = [
  pair(blake2b as Algorithm<Options>, 64, nobleBlake2b),
  pair(blake2s as Algorithm<Options>, 32, nobleBlake2s),
  pair(blake3 as Algorithm<Options>, 32, nobleBlake3),
];

/** Those of Node that `createHash` takes. */
export const ENCODINGS = [
  "hex",
  "HEX",
  "base64",
  "base64url",
  "latin1",
  "binary",
  "ascii",
  "utf8",
  "UTF-8",
  "ucs2",
  "utf16le",
];

export const nobleDigest = (message: Uint8Array | string): Uint8Array =>
  nobleBlake3(typeof message === "string" ? new TextEncoder().encode(message) : message);

/** Bytes 0 to 250 over and over. */
export function bytes(length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(length).map((_, i) => i % 251);
}

export function cut(message: Uint8Array<ArrayBuffer>, size: number): Uint8Array<ArrayBuffer>[] {
  const count = Math.ceil(message.length / size);
  return Array.from({ length: count }, (_, i) => message.subarray(i * size, (i + 1) * size));
}

/** A stream of these chunks, that gives one when asked. */
export function streamOf<C>(chunks: Iterable<C>): ReadableStream<C> {
  const iterator = chunks[Symbol.iterator]();
  return new ReadableStream<C>(
    {
      pull(controller) {
        const { done, value } = iterator.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
    },
    { highWaterMark: 0 },
  );
}

export interface Watched {
  readonly algorithm: Algorithm<Options>;
  readonly log: string[];
  /** Whether each hasher that was made is wiped. */
  disposed(): boolean;
}

/** An algorithm that logs what becomes of its hashers. */
export function watched(algorithm: Algorithm<Options> = blake3 as Algorithm<Options>): Watched {
  const hashers: Hasher[] = [];
  const log: string[] = [];
  const create = (options?: Options) => {
    const hasher = algorithm.create(options);
    hashers.push(hasher);
    const { update } = hasher;
    hasher.update = (input) => {
      log.push("update");
      return update.call(hasher, input);
    };
    return hasher;
  };
  return {
    algorithm: Object.create(algorithm, { create: { value: create }, algorithm: { value: algorithm.algorithm } }),
    log,
    disposed: () => hashers.length > 0 && hashers.every(isDisposed),
  };
}

function isDisposed(hasher: Hasher): boolean {
  try {
    hasher.reset();
    return false;
  } catch (error) {
    return /disposed/.test((error as Error).message);
  }
}

/** Lets everything happen that is under way. */
export function quiet(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5));
}

/** Whether a promise is settled by the time that all is quiet. */
export async function isPending(promise: Promise<unknown>): Promise<boolean> {
  let pending = true;
  const done = () => {
    pending = false;
  };
  promise.then(done, done);
  await quiet();
  return pending;
}

/** What a promise rejects with. */
export function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => new Error("fulfilled"),
    (error: unknown) => error,
  );
}

/** Fails each test of a file that leaves a rejected promise unhandled. */
export function forbidUnhandledRejections(): void {
  const unhandled: unknown[] = [];
  const listen = (reason: unknown) => unhandled.push(reason);
  beforeEach(() => {
    unhandled.length = 0;
    process.on("unhandledRejection", listen);
  });
  afterEach(async () => {
    await quiet();
    process.off("unhandledRejection", listen);
    expect(unhandled).toEqual([]);
  });
}

/** A stream of a message's bytes that fills the reader's own buffer, or one that does as `source` says. */
export function byteStream(
  message: Uint8Array,
  source: Partial<UnderlyingByteSource> = {},
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0;
  return new ReadableStream({
    type: "bytes",
    autoAllocateChunkSize: 65_536,
    pull(controller) {
      const view = controller.byobRequest?.view as Uint8Array<ArrayBuffer>;
      const piece = message.subarray(at, at + Math.min(view.length, 30_000));
      view.set(piece);
      at += piece.length;
      if (piece.length === 0) controller.close();
      controller.byobRequest?.respond(piece.length);
    },
    ...source,
  });
}
