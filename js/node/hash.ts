// The Hash of node:crypto: a hasher's methods, and a Node stream.
import { addAbortSignal, Transform, type TransformCallback } from "node:stream";
import type { Input } from "../input/bytes.js";
import { requireArguments } from "../input/errors.js";
import { invalidType, withCode } from "./error-codes.js";
import { type HashOptions, requireFixedLength, requireNoMore, type StreamOptions, splitOptions } from "./options.js";

/** What a Hash needs of a hasher, or of an HMAC. */
interface Incremental {
  readonly digestLength: number;
  update(input: Input): unknown;
  digest(): Uint8Array<ArrayBuffer>;
  clone(): Incremental;
  dispose(): void;
}

/** Makes a stream. If it throws, the hasher, which may hold a key, is wiped. */
export function makeStream<S>(
  Stream: new (name: string, hasher: Incremental, options: StreamOptions) => S,
  name: string,
  hasher: Incremental,
  options: StreamOptions,
): S {
  try {
    return new Stream(name, hasher, options);
  } catch (error) {
    hasher.dispose();
    throw error;
  }
}

/**
 * A hash with the methods and stream interface of node:crypto's Hash, created by `createHash`.
 *
 * As a stream it accepts bytes or text and emits the digest at its end; `digest` may still be called once after that. A
 * stream that is destroyed before its end is wiped and has no digest.
 */
export class Hash extends Transform {
  readonly #name: string;
  /** None once the digest is known. */
  #hasher: Incremental | undefined;
  #digest: Buffer<ArrayBuffer> | undefined;
  /** Whether `digest` has been called. */
  #called = false;

  /** @internal */
  constructor(name: string, hasher: Incremental, options: StreamOptions) {
    const { signal, ...rest } = options;
    super(rest);
    this.#name = name;
    this.#hasher = hasher;
    // After the fields are set: a signal that is already aborted destroys the stream at once.
    if (signal) addAbortSignal(signal, this);
  }

  /**
   * Appends to the message. Text is UTF-8, unless `inputEncoding` names another of Node's encodings.
   *
   * @throws TypeError with code ERR_INVALID_ARG_TYPE for a value that is neither text nor a view of a buffer, or
   *   ERR_INVALID_ARG_VALUE for an odd number of hex digits; Error with code ERR_CRYPTO_HASH_FINALIZED after `digest`
   *   or the stream's end
   * @example
   * createHash("blake3").update("616263", "hex").digest("hex");
   */
  update(data: string | NodeJS.ArrayBufferView, inputEncoding?: BufferEncoding | "buffer"): this {
    this.#requireArguments("update", arguments.length, 2);
    const hasher = this.#open("update");
    if (typeof data !== "string" && !ArrayBuffer.isView(data))
      throw invalidType(`${this.#name}.update`, "data", "a string or a view of a buffer", data);
    hasher.update(typeof data === "string" ? this.#decode(data, inputEncoding) : data);
    return this;
  }

  #requireArguments(method: string, count: number, most: number): void {
    requireArguments(`${this.#name}.${method}`, count, most);
  }

  #decode(text: string, encoding: string | undefined): string | Buffer {
    // As in node:crypto, an unknown encoding means UTF-8.
    if (encoding === undefined || !Buffer.isEncoding(encoding)) return text;
    if (encoding.toLowerCase() === "hex" && text.length % 2) {
      throw withCode(
        new TypeError(`${this.#name}.update: data must have an even number of hex digits, got ${text.length}`),
        "ERR_INVALID_ARG_VALUE",
      );
    }
    return Buffer.from(text, encoding);
  }

  /**
   * Finishes the hash and returns its digest, as a Buffer or as text in one of Node's encodings.
   *
   * @throws Error with code ERR_CRYPTO_HASH_FINALIZED if it has been called before or the stream was destroyed
   * @example
   * createHash("blake3").update("hello").digest("base64");
   */
  digest(encoding?: "buffer"): Buffer<ArrayBuffer>;
  digest(encoding: BufferEncoding): string;
  digest(encoding?: BufferEncoding | "buffer"): Buffer<ArrayBuffer> | string;
  digest(encoding?: BufferEncoding | "buffer"): Buffer<ArrayBuffer> | string {
    this.#requireArguments("digest", arguments.length, 1);
    const digest = this.#called ? this.digestAgain() : this.#finish();
    // As in node:crypto, an unknown encoding means a Buffer.
    const spelled =
      typeof encoding === "string" && Buffer.isEncoding(encoding) ? digest.toString(encoding) : Buffer.from(digest);
    this.#called = true;
    return spelled;
  }

  /** @internal What the second call of `digest` returns. */
  protected digestAgain(): Buffer<ArrayBuffer> {
    throw this.#finalized("digest");
  }

  /**
   * Returns an independent hash that continues from the current state.
   *
   * @param options a stream's options; `outputLength`, if given, must equal the digest length
   * @throws Error with code ERR_CRYPTO_HASH_FINALIZED after `digest` or the stream's end
   * @example
   * hash.copy().digest("hex"); // the digest so far; hash can still be updated
   */
  copy(options?: StreamOptions & Pick<HashOptions, "outputLength">): Hash {
    this.#requireArguments("copy", arguments.length, 1);
    const hasher = this.#open("copy");
    const { stream, hash, outputLength } = splitOptions(this.#name, options);
    requireNoMore(`${this.#name}.copy`, hash);
    requireFixedLength({ name: this.#name, fixedLength: hasher.digestLength }, "outputLength", outputLength);
    return makeStream(Hash, this.#name, hasher.clone(), stream);
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    try {
      this.#open("write").update(chunk);
    } catch (error) {
      done(error as Error);
      return;
    }
    done();
  }

  override _flush(done: TransformCallback): void {
    this.push(Buffer.from(this.#finish()));
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#dispose();
    done(error);
  }

  #finish(): Buffer<ArrayBuffer> {
    this.#digest ??= Buffer.from(this.#open("digest").digest().buffer);
    this.#dispose();
    return this.#digest;
  }

  #dispose(): void {
    this.#hasher?.dispose();
    this.#hasher = undefined;
  }

  #open(method: string): Incremental {
    if (this.#hasher) return this.#hasher;
    throw this.#finalized(method);
  }

  #finalized(method: string): Error {
    const text = `${this.#name}: ${method} must be called before the digest is taken and the stream ends, got a finished hash`;
    return withCode(new Error(text), "ERR_CRYPTO_HASH_FINALIZED");
  }
}

/** The Hmac of node:crypto. */
export class Hmac extends Hash {
  /** A bundle would rename one of two classes called Hmac. */
  static override readonly name = "Hmac";

  /** @internal As in node:crypto, nothing. */
  protected override digestAgain(): Buffer<ArrayBuffer> {
    return Buffer.alloc(0);
  }
}
