// Hashes a message that arrives in chunks: the part that the streams and digestOf share.
import type { Hasher } from "../engine/hasher.js";
import { type ByteInput, type Bytes, inputLength, toMessage } from "../input/bytes.js";
import { bufferOf, type CallerBytes, copyBytes, copyOf, isSharedBuffer, kindOf } from "../input/caller-bytes.js";
import { requireAlgorithm } from "../input/errors.js";
import { readGlobal } from "../input/globals.js";
import { OwnPromise } from "../input/promises.js";
import type { Chunk } from "../sources/chunks.js";

/** Returns whether a chunk is in memory that other threads can change at any time. */
export function isShared(chunk: unknown): boolean {
  return isSharedBuffer(ArrayBuffer.isView(chunk) ? bufferOf(chunk) : chunk);
}

/**
 * Returns a copy of a chunk that nothing else refers to, in memory that is not shared: of the same kind, if that is one
 * of the engine's. Text is its own copy.
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
  readonly digestLength: number;
  /** The function or class that hashes with it; undefined for the one that was called. */
  readonly usedBy?: string | undefined;
  create(options?: object): Hasher;
}

/** A first chunk of at most this many bytes is copied: if it is the only one, its digest takes no hasher. */
const MAX_COPIED = 1024;

/** A hasher for one message. Text in several chunks has the digest of the whole text, wherever it is split. */
export class ChunkHasher {
  /** The function or class that hashes, for error messages. */
  readonly name: string;
  /** The algorithm's name. */
  readonly algorithm: string;
  /** In bytes. */
  readonly digestLength: number;
  readonly #creator: Creator;
  /** Undefined until it is needed, if there are no options, which it would have to check. */
  #hasher: Hasher | undefined;
  /** A copy of a short message so far, which the hasher does not have. */
  #short: Bytes | undefined;
  /** A high surrogate at the end of the text so far; its low surrogate may be in the next chunk. */
  #half = "";

  constructor(name: string, algorithm: Creator, options: object | undefined) {
    requireAlgorithm(name, algorithm, "blake3");
    // A function would read that of `Object.prototype`.
    this.name = (typeof algorithm === "object" ? (algorithm as Creator).usedBy : undefined) ?? name;
    this.algorithm = algorithm.algorithm;
    this.#creator = algorithm;
    if (typeof algorithm !== "function" || options !== undefined) this.#hasher = algorithm.create(options);
    this.digestLength = (this.#hasher ?? algorithm).digestLength;
  }

  /** Bytes hashed so far. */
  get bytesHashed(): number {
    return this.#short?.length ?? Number(this.#hasher?.bytesHashed ?? 0);
  }

  /**
   * Hashes or copies a chunk.
   *
   * @returns whether it is empty
   * @throws TypeError for a value that is not a chunk, or for a detached or shrunk buffer
   */
  update(chunk: unknown): boolean {
    const message = toMessage(this.name, "chunk", chunk as Chunk);
    const length = inputLength(message);
    if (typeof message === "string") this.#updateText(this.#half + message);
    else if (length > 0 && !this.#keep(message, length)) this.#hasherWithAll().update(chunk as Chunk);
    return length === 0;
  }

  /** Keeps a copy of a short first chunk; returns whether it has. */
  #keep(message: CallerBytes, length: number): boolean {
    if (this.#hasher || this.#short || this.#half !== "" || length > MAX_COPIED) return false;
    this.#short = new Uint8Array(length);
    copyBytes(this.#short, 0, message, length);
    return true;
  }

  /** Returns the hasher, which has all chunks so far. */
  #hasherWithAll(): Hasher {
    this.#hasher ??= this.#creator.create();
    if (this.#short) this.#hasher.update(this.#short);
    this.#forgetShort();
    if (this.#half !== "") this.#hasher.update(this.#half);
    this.#half = "";
    return this.#hasher;
  }

  #forgetShort(): void {
    this.#short?.fill(0);
    this.#short = undefined;
  }

  #updateText(text: string): void {
    const end = text.length - (endsInHalf(text) ? 1 : 0);
    this.#half = "";
    this.#hasherWithAll().update(text.slice(0, end));
    this.#half = text.slice(end);
  }

  digest(): Bytes {
    if (this.#hasher || this.#half !== "") return this.#hasherWithAll().digest();
    return this.#digestAlone(this.#short ?? new Uint8Array());
  }

  /** Returns the digest of a message that is here already, and the only one. */
  digestOf(whole: ByteInput): Bytes {
    return this.#hasher ? this.#hasher.update(whole).digest() : this.#digestAlone(whole);
  }

  #digestAlone(message: ByteInput): Bytes {
    return (this.#creator as unknown as (message: ByteInput) => Bytes)(message);
  }

  /** Wipes the message's state and the key. */
  dispose(): void {
    this.#forgetShort();
    this.#hasher?.dispose();
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
    this.promise = new OwnPromise((resolve, reject) => {
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
