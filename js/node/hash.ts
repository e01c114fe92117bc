// The Hash of node:crypto: a hasher's methods, and a Node stream.
import type { TransformCallback } from "node:stream";
import type { Bytes, Input } from "../input/bytes.js";
import { proxied } from "../input/errors.js";
import { encode, isEncoding } from "../input/text.js";
import { invalidType, withCode } from "./error-codes.js";
import { LazyTransform } from "./lazy-transform.js";
import { type HashOptions, requireFixedLength, type StreamOptions, splitOptions } from "./options.js";

/** What a Hash needs of a hasher, or of an HMAC. */
interface Incremental {
  readonly digestLength: number;
  update(input: Input): unknown;
  digest(): Bytes;
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
  #digest: Bytes | undefined;
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
    const hasher = this.hasherFor("update");
    if (typeof data === "string") updateText(hasher, this.#name, data, inputEncoding);
    else if (ArrayBuffer.isView(data)) hasher.update(data);
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
    // Converted first: if toString throws, the hash can still be used.
    const name = encoding && `${encoding}`;
    if (this.#called) return asNode(this.digestAgain(), name);
    const result = asNode(this.#finish(), name);
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
    const hasher = this.hasherFor("copy");
    const { stream, outputLength } = splitOptions(this.#name, options, `${this.#name}.copy`);
    requireFixedLength({ name: this.#name, fixedLength: hasher.digestLength }, "outputLength", outputLength);
    return new Hash(this.#name, hasher.clone(), this.#keyed, stream);
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    try {
      this.hasherFor("write").update(chunk);
    } catch (error) {
      done(error as Error);
      return;
    }
    done();
  }

  override _flush(done: TransformCallback): void {
    this.push(ownBuffer(this.#finish()));
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (this.#keyed) this.#dispose();
    done(error);
  }

  #finish(): Bytes {
    this.#digest ??= this.hasherFor("digest").digest();
    this.#dispose();
    return this.#digest;
  }

  #dispose(): void {
    const hasher = this.#hasher;
    this.#hasher = undefined;
    hasher?.dispose();
  }

  /** @internal Returns the hasher; throws once the digest was taken. */
  hasherFor(method: string): Incremental {
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
