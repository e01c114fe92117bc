// Hashes a message that arrives in chunks: the part that the streams and digestOf share.
import type { Hasher } from "../engine/hasher.js";
import { type ByteInput, type Bytes, type Input, toMessage } from "../input/bytes.js";
import { bufferOf, copyOf, isSharedBuffer, kindOf } from "../input/caller-bytes.js";
import { requireAlgorithm } from "../input/errors.js";
import { readGlobal } from "../input/globals.js";

/** A piece of a message: bytes of any kind, or text. */
export type Chunk = Input;

/** Returns whether a chunk is in memory that other threads can change at any time. */
export function isShared(chunk: unknown): boolean {
  return isSharedBuffer(ArrayBuffer.isView(chunk) ? bufferOf(chunk) : chunk);
}

/**
 * Returns a copy of a chunk that nothing else refers to, in memory that is not shared: of the same kind, if that is one of the
 * engine's. Text is its own copy.
 */
export function copyOfChunk<C>(name: string, chunk: C): C {
  const message = toMessage(name, "chunk", chunk as Chunk);
  if (typeof message === "string") return chunk;
  const copy = copyOf(message);
  return viewLike(chunk as ByteInput, copy) as C;
}

function viewLike(chunk: ByteInput, { buffer }: Bytes): ByteInput {
  if (!ArrayBuffer.isView(chunk)) return buffer;
  const kinds = globalThis as unknown as Record<string, new (buffer: ArrayBuffer) => ArrayBufferView>;
  if (readGlobal(() => globalThis.Buffer.isBuffer(chunk))) return globalThis.Buffer.from(buffer);
  const Kind = kinds[kindOf(chunk)] ?? Uint8Array;
  return new Kind(buffer);
}

/** The members of an algorithm that are used here, whatever its options. */
interface Creator {
  readonly algorithm: string;
  /** The function or class that hashes with it; undefined for the one that was called. */
  readonly usedBy?: string | undefined;
  create(options?: object): Hasher;
}

/** A hasher for one message. Text in several chunks has the digest of the whole text, wherever it is split. */
export class ChunkHasher {
  /** The function or class that hashes, for error messages. */
  readonly name: string;
  /** The algorithm's name. */
  readonly algorithm: string;
  /** In bytes. */
  readonly digestLength: number;
  readonly #hasher: Hasher;
  /** A high surrogate at the end of the text so far; its low surrogate may be in the next chunk. */
  #half = "";

  constructor(name: string, algorithm: Creator, options: object | undefined) {
    requireAlgorithm(name, algorithm, "blake3");
    // A function would read that of `Object.prototype`.
    this.name = (typeof algorithm === "object" ? (algorithm as Creator).usedBy : undefined) ?? name;
    this.algorithm = algorithm.algorithm;
    this.#hasher = algorithm.create(options);
    this.digestLength = this.#hasher.digestLength;
  }

  /** Bytes hashed so far. */
  get bytesHashed(): number {
    return Number(this.#hasher.bytesHashed);
  }

  /**
   * @returns whether the chunk is empty. A view's own getters could say anything, so the bytes are counted that were hashed.
   * @throws the same errors as `append`
   */
  update(chunk: unknown): boolean {
    const before = typeof chunk === "string" ? undefined : this.#endText().bytesHashed;
    this.append(chunk);
    return chunk === "" || this.#hasher.bytesHashed === before;
  }

  /** @throws TypeError for a value that is not a chunk, or for a detached or shrunk buffer */
  append(chunk: unknown): void {
    const message = toMessage(this.name, "chunk", chunk as Chunk);
    if (typeof message === "string") this.#updateText(this.#half + message);
    else this.#endText().update(chunk as Chunk);
  }

  #updateText(text: string): void {
    const end = text.length - (endsInHalf(text) ? 1 : 0);
    this.#hasher.update(text.slice(0, end));
    this.#half = text.slice(end);
  }

  #endText(): Hasher {
    if (this.#half !== "") this.#hasher.update(this.#half);
    this.#half = "";
    return this.#hasher;
  }

  digest(): Bytes {
    return this.#endText().digest();
  }

  /** Wipes the message's state and the key. */
  dispose(): void {
    this.#hasher.dispose();
  }
}

function endsInHalf(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}

/** A hasher with a promise of its digest. It is disposed of when the promise settles. */
export class PromisedDigest extends ChunkHasher {
  readonly promise: Promise<Bytes>;
  #resolve!: (digest: Bytes) => void;
  #reject!: (error: unknown) => void;

  constructor(name: string, algorithm: Creator, options: object | undefined) {
    super(name, algorithm, options);
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // Code that only pipes gets the error from the pipe: an unused digest must not end the process.
    this.promise.catch(() => {});
  }

  fulfil(digest: Bytes): void {
    this.#resolve(digest);
    this.dispose();
  }

  /** Rejects with the reason that the stream ended, or an AbortError if there is none. Returns that error. */
  fail(reason: unknown): unknown {
    const error = reason ?? abortError(`${this.name}: the stream was aborted`);
    this.#reject(error);
    this.dispose();
    return error;
  }
}

/** A DOMException where there are any. */
function abortError(message: string): Error {
  const name = "AbortError";
  return readGlobal(() => new DOMException(message, name)) ?? Object.assign(new Error(message), { name });
}
