// Every call that reads a source, as one function from a source to a digest.
import { type Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { blake3 } from "blake-simd";
import { OutboardStream, outboardOf } from "blake-simd/bao";
import { hashThrough } from "blake-simd/node";
import { Blake3Pool, type Blake3Source } from "blake-simd/parallel";
import { DigestStream, digestOf, HashStream, type Source, VerifyStream, verified } from "blake-simd/streams";
import type { Group } from "./sources.ts";

export interface Given {
  readonly signal?: AbortSignal;
  readonly onProgress?: (bytesSoFar: number, total: number | undefined) => void;
}

export interface Read {
  readonly takes: readonly Group[];
  /** Whether it takes a signal or onProgress, if it is given one. */
  readonly signal?: boolean;
  readonly progress?: boolean;
  /** @param expected what the digest has to be, and the bytes that pass */
  run(source: Source, given: Given, expected: { digest: Uint8Array; message: Uint8Array }): Promise<Uint8Array>;
}

export const pool = new Blake3Pool({ threads: 1 });

const ANY: readonly Group[] = ["stream", "body", "iterable", "node", "whole", "pooled"];
const PIPED: readonly Group[] = ["stream", "body"];

const streamOf = (source: Source) => (source instanceof ReadableStream ? source : (source as Response).body!);

const bytesOf = (chunk: ArrayBufferView) => new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength).slice();

/** Reads to the end what passes, each chunk as it comes. */
async function drain(stream: ReadableStream, message: Uint8Array): Promise<void> {
  const chunks: Uint8Array[] = [];
  const reader = stream.getReader();
  for (let each = await reader.read(); !each.done; each = await reader.read()) chunks.push(bytesOf(each.value));
  requireEqual(Buffer.concat(chunks), message);
}

function requireEqual(got: Uint8Array, message: Uint8Array): void {
  if (Buffer.compare(got, message)) throw new Error(`passes other bytes: ${got.length} for ${message.length}`);
}

/** Pipes through a pair, and reads what passes. */
const through =
  <T>(
    make: (expected: Uint8Array) => T & ReadableWritablePair,
    digestOf: (made: T) => Promise<Uint8Array>,
  ): Read["run"] =>
  async (source, { signal }, { digest, message }) => {
    const made = make(digest);
    const piped = streamOf(source).pipeTo(made.writable, signal && { signal });
    const [result] = await Promise.all([digestOf(made), piped, drain(made.readable, message)]);
    return result;
  };

export const reads: Record<string, Read> = {
  digestOf: { takes: ANY, run: (source) => digestOf(blake3, source) },
  "digestOf with {}": { takes: ANY, run: (source) => digestOf(blake3, source, {}) },
  "digestOf with a signal": {
    takes: ANY,
    signal: true,
    run: (source, { signal }) => digestOf(blake3, source, { signal: signal ?? new AbortController().signal }),
  },
  "digestOf with onProgress": {
    takes: ANY,
    progress: true,
    run: (source, { onProgress = () => {} }) => digestOf(blake3, source, { onProgress }),
  },
  outboardOf: { takes: ANY, run: async (source) => (await outboardOf(source)).root },
  "outboardOf with both": {
    takes: ANY,
    signal: true,
    progress: true,
    run: async (source, { signal = new AbortController().signal, onProgress = () => {} }) =>
      (await outboardOf(source, { signal, onProgress })).root,
  },
  HashStream: {
    takes: PIPED,
    signal: true,
    run: through(
      () => new HashStream(blake3),
      ({ digest }) => digest,
    ),
  },
  VerifyStream: {
    takes: PIPED,
    signal: true,
    run: through(
      (expected) => new VerifyStream(blake3, expected),
      ({ digest }) => digest,
    ),
  },
  OutboardStream: {
    takes: PIPED,
    signal: true,
    run: through(
      () => new OutboardStream(),
      async ({ outboard }) => (await outboard).root,
    ),
  },
  DigestStream: {
    takes: PIPED,
    signal: true,
    run: async (source, { signal }) => {
      const made = new DigestStream(blake3);
      const [digest] = await Promise.all([made.digest, streamOf(source).pipeTo(made, signal && { signal })]);
      return digest;
    },
  },
  verified: {
    takes: ["body"],
    run: async (source, _, { digest, message }) => {
      // What a Request has cannot be verified.
      const response = source instanceof Response ? source : new Response((source as Request).body);
      await drain(verified(blake3, response, digest).body!, message);
      return digest;
    },
  },
  hashThrough: {
    takes: ["node"],
    signal: true,
    run: async (source, { signal }, { message }) => {
      const digests: Uint8Array[] = [];
      const chunks: Uint8Array[] = [];
      const sink = new Writable({
        write(chunk, _encoding, done) {
          chunks.push(bytesOf(chunk));
          done();
        },
      });
      const hashing = hashThrough(blake3, (bytes) => void digests.push(bytes));
      try {
        await pipeline(source as Readable, hashing, sink, signal ? { signal } : {});
      } catch (error) {
        throw (error as Error).name === "AbortError" ? signal?.reason : error;
      }
      requireEqual(Buffer.concat(chunks), message);
      return Uint8Array.from(digests[0]!);
    },
  },
  "Blake3Pool.hash": {
    takes: ["pooled"],
    run: (source) => pool.hash(source as Blake3Source, { onProgress: () => {} }),
  },
  "outboardOf with a pool": {
    takes: ["pooled"],
    run: async (source) => (await outboardOf(source as Blake3Source, { pool })).root,
  },
};

/** Milliseconds after which a read has hung. */
const HUNG = 5_000;

/** Fails where a promise does not settle. */
export async function settled<T>(promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const hung = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("hangs")), HUNG);
  });
  try {
    return await Promise.race([promise, hung]);
  } finally {
    clearTimeout(timer);
  }
}
