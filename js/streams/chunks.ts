// Hashes a message that comes in chunks: what the streams and digestOf share.

import type { Hasher } from "../engine/hasher.js";
import { type Input, toMessage } from "../input/bytes.js";
import { describe } from "../input/errors.js";

/** A piece of a message: bytes of any kind, or text. */
export type Chunk = Input;

/** What is needed of an algorithm, whatever its options. */
interface Creator {
  readonly algorithm: string;
  create(options?: object): Hasher;
}

/** A hasher for one message. Text in several chunks hashes as the whole text does, wherever it was cut. */
export class ChunkHasher {
  /** The algorithm's name, for error messages. */
  readonly name: string;
  /** In bytes. */
  readonly digestLength: number;
  readonly #hasher: Hasher;
  /** A high surrogate at the end of the text so far: half a character, whose other half may come in the next chunk. */
  #half = "";

  /** @param user who asks, for the error where `algorithm` is none */
  constructor(user: string, algorithm: Creator, options: object | undefined) {
    requireAlgorithm(user, algorithm);
    this.name = algorithm.algorithm;
    this.#hasher = algorithm.create(options);
    this.digestLength = this.#hasher.digestLength;
  }

  /** Bytes so far. */
  get bytesHashed(): number {
    return Number(this.#hasher.bytesHashed);
  }

  /** @throws TypeError for what is no chunk, or a detached one */
  update(chunk: unknown): void {
    const message = toMessage(this.name, "chunk", chunk as Chunk);
    if (typeof message === "string") this.#updateText(this.#half + message);
    else this.#endText().update(message);
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

  digest(): Uint8Array<ArrayBuffer> {
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

function requireAlgorithm(user: string, algorithm: unknown): void {
  if (typeof (algorithm as Partial<Creator> | null | undefined)?.create === "function") return;
  throw new TypeError(`${user}: algorithm must be one of this package's, such as blake3, got ${describe(algorithm)}`);
}
