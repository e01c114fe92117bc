// Hashes a message that arrives in chunks: the part that the streams and digestOf share.
import type { Hasher } from "../engine/hasher.js";
import { type Bytes, toMessage } from "../input/bytes.js";
import { requireAlgorithm } from "../input/errors.js";
import { readGlobal } from "../input/globals.js";
import type { Chunk } from "../sources/chunks.js";

/** The members of an algorithm that are used here, whatever its options. */
interface Creator {
  readonly algorithm: string;
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
    this.name = name;
    this.algorithm = algorithm.algorithm;
    this.#hasher = (algorithm as Creator).create(options);
    this.digestLength = this.#hasher.digestLength;
  }

  /** Bytes hashed so far. */
  get bytesHashed(): number {
    return Number(this.#hasher.bytesHashed);
  }

  /**
   * Hashes a chunk.
   *
   * @returns whether it is empty
   * @throws TypeError for a value that is not a chunk, or for a detached or shrunk buffer
   */
  update(chunk: unknown): boolean {
    const message = toMessage(this.name, "chunk", chunk as Chunk);
    const length = message.length;
    if (typeof message === "string") this.#updateText(this.#half + message);
    else if (length > 0) this.#flushHalf().update(message);
    return length === 0;
  }

  #updateText(text: string): void {
    const last = text.charCodeAt(text.length - 1);
    const end = text.length - (last >= 0xd800 && last <= 0xdbff ? 1 : 0);
    this.#hasher.update(text.slice(0, end));
    this.#half = text.slice(end);
  }

  /** Hashes a high surrogate that the last text ended with, and returns the hasher. */
  #flushHalf(): Hasher {
    if (this.#half !== "") this.#hasher.update(this.#half);
    this.#half = "";
    return this.#hasher;
  }

  digest(): Bytes {
    return this.#flushHalf().digest();
  }

  /** Wipes the message's state and the key. */
  dispose(): void {
    this.#hasher.dispose();
  }
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

  /** Rejects with the reason that the stream ended, or an AbortError if there is none. */
  fail(reason: unknown): void {
    this.#reject(reason ?? abortError(`${this.name}: the stream was aborted`));
    this.dispose();
  }
}

/** A DOMException where there are any. */
function abortError(message: string): Error {
  const name = "AbortError";
  return readGlobal(() => new DOMException(message, name)) ?? Object.assign(new Error(message), { name });
}
