// The Hash of node:crypto: a hasher's methods, and a Node stream.
import type { TransformCallback } from "node:stream";
import type { Bytes, Input } from "../input/bytes.js";
import { proxied } from "../input/errors.js";
import { type Encoding, encode, isEncoding } from "../input/text.js";
import { invalidType, withCode } from "./error-codes.js";
import { LazyTransform } from "./lazy-transform.js";
import { type HashOptions, requireFixedLength, type StreamOptions, splitOptions } from "./options.js";

/** What a Hash needs of a hasher, or of an HMAC. */
interface Incremental {
  readonly digestLength: number;
  update(input: Input): unknown;
  digest(encoding?: Encoding): Bytes | string;
  clone(): Incremental;
  dispose(): void;
}

/**
 * A hash with the methods and stream interface of node:crypto's Hash, created by `createHash`.
 *
 * As a stream it accepts bytes or text and emits the digest at its end; `digest` may still be called once after that.
 * If the stream is destroyed before its end, `digest` has what was hashed so far, as in node:crypto; but a hash with a
 * key is wiped.
 */
export class Hash extends LazyTransform {
  readonly #name: string;
  /** None once the digest is known. */
  #hasher: Incremental | undefined;
  readonly #keyed: boolean;
  /** Text in an encoding if `digest` was asked for that. */
  #digest: Bytes | string | undefined;
  #encoding: Encoding | undefined;
  /** Whether `digest` has been called. */
  #called = false;

  /** @internal */
  constructor(name: string, hasher: Incremental, keyed: boolean, options?: StreamOptions) {
    super(options);
    this.#name = name;
    this.#hasher = hasher;
    this.#keyed = keyed;
  }

  /** @internal So that Vue does not wrap a hash. */
  get [Symbol.toStringTag](): string {
    return this.constructor.name;
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
    const hasher = this.held("update");
    if (typeof data === "string") updateText(hasher, this.#name, data, inputEncoding);
    else if (ArrayBuffer.isView(data)) this.#updateBytes("update", hasher, data);
    else throw invalidType(`${this.#name}.update`, "data", "a string or a view of a buffer", data);
    return this;
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
    // What is not text may throw as it becomes text, which must not end the hash.
    const name = encoding && `${encoding}`;
    if (this.#called) return asNode(this.digestAgain(), name);
    const digest = this.#digest ?? this.#finish(isEncoding(name) ? name : undefined);
    const result = typeof digest === "string" ? digest : asNode(digest, name);
    this.#called = true;
    return result;
  }

  /** @internal What the second call of `digest` returns. */
  protected digestAgain(): Bytes {
    return this.#finalized("digest");
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
    const { digestLength } = this.held("copy");
    const { stream, outputLength } = splitOptions(this.#name, options, `${this.#name}.copy`);
    requireFixedLength({ name: this.#name, fixedLength: digestLength }, "outputLength", outputLength);
    // Asked again, since a getter among the options may have taken the digest.
    return new Hash(this.#name, this.held("copy").clone(), this.#keyed, stream);
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    try {
      this.#updateBytes("write", this.held("write"), chunk);
    } catch (error) {
      done(error as Error);
      return;
    }
    done();
  }

  override _flush(done: TransformCallback): void {
    const digest = this.#digest ?? this.#finish();
    this.push(typeof digest === "string" ? Buffer.from(digest, this.#encoding) : ownBuffer(digest));
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (this.#keyed) this.#dispose();
    done(error);
  }

  /** What is text already is needed as bytes only by a stream that ends later. */
  #finish(encoding?: Encoding): Bytes | string {
    const digest = this.held("digest").digest(encoding);
    this.#encoding = encoding;
    this.#digest = digest;
    this.#dispose();
    return digest;
  }

  #dispose(): void {
    const hasher = this.#hasher;
    this.#hasher = undefined;
    hasher?.dispose();
  }

  #updateBytes(method: string, hasher: Incremental, bytes: NodeJS.ArrayBufferView): void {
    try {
      hasher.update(bytes);
    } catch (error) {
      // A getter of the bytes' may have taken the digest.
      this.held(method);
      throw error;
    }
  }

  /** @internal */
  held(method: string): Incremental {
    let hasher: Incremental | undefined;
    try {
      hasher = this.#hasher;
    } catch {
      throw proxied();
    }
    return hasher ?? this.#finalized(method);
  }

  #finalized(method: string): never {
    throw withCode(new Error(`${this.#name}.${method}: the digest was already taken`), "ERR_CRYPTO_HASH_FINALIZED");
  }
}

/** Appends text, as the bytes that it has in an encoding; as UTF-8 if that is, as in node:crypto, unknown. */
function updateText(hasher: Incremental, name: string, text: string, encoding: string | undefined): void {
  if (encoding === undefined || !Buffer.isEncoding(encoding)) {
    hasher.update(text);
    return;
  }
  const bytes = decode(name, text, encoding);
  try {
    hasher.update(bytes);
  } finally {
    // They may lie in the memory that all small Buffers share.
    bytes.fill(0);
  }
}

function decode(name: string, text: string, encoding: BufferEncoding): Buffer {
  if (encoding.toLowerCase() === "hex" && text.length % 2) {
    throw withCode(
      new TypeError(`${name}.update: data must have an even number of hex digits, got ${text.length}`),
      "ERR_INVALID_ARG_VALUE",
    );
  }
  return Buffer.from(text, encoding);
}

/**
 * Returns a copy in memory of its own: what small Buffers share would go along to whoever gets the digest's `buffer`.
 */
function ownBuffer(digest: Bytes): Buffer<ArrayBuffer> {
  const copy = Buffer.allocUnsafeSlow(digest.length);
  copy.set(digest);
  return copy as Buffer<ArrayBuffer>;
}

/** Returns a digest as text or, as in node:crypto for an unknown encoding, as a Buffer. */
function asNode(digest: Bytes, encoding: string | undefined): Buffer<ArrayBuffer> | string {
  if (isEncoding(encoding)) return encode(digest, encoding);
  const buffer = ownBuffer(digest);
  return encoding && Buffer.isEncoding(encoding) ? buffer.toString(encoding) : buffer;
}

/** The Hmac of node:crypto. */
export class Hmac extends Hash {
  /** A getter, since a bundle would rename one of two classes Hmac, and some compilers assign fields, which throws. */
  static override get name(): string {
    return "Hmac";
  }

  /** @internal As in node:crypto, nothing. */
  protected override digestAgain(): Bytes {
    return new Uint8Array();
  }
}
