// Web Streams that hash the chunks that pass through them.
import type { Algorithm } from "../engine/algorithm.js";
import { type Input, toMessage } from "../input/bytes.js";
import { describe } from "../input/errors.js";
import { encode, equal, fromBase64, fromHex } from "../input/text.js";
import { lengthOf } from "../input/views.js";
import { type Chunk, ChunkHasher } from "./chunks.js";

export type { Chunk } from "./chunks.js";
export { type DigestOfOptions, digestOf, type ResponseOptions, type Source } from "./digest-of.js";

type Digest = Uint8Array<ArrayBuffer>;

/** A hasher with a promise of its digest. The hasher is disposed of when the promise settles. */
class PromisedDigest {
  readonly promise: Promise<Digest>;
  readonly #hasher: ChunkHasher;
  #resolve!: (digest: Digest) => void;
  #reject!: (error: unknown) => void;

  constructor(hasher: ChunkHasher) {
    this.#hasher = hasher;
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // Code that only pipes gets the error from the pipe: an unused digest must not end the process.
    this.promise.catch(() => {});
  }

  update(chunk: unknown): void {
    this.#hasher.update(chunk);
  }

  digest(): Digest {
    return this.#hasher.digest();
  }

  fulfil(digest: Digest): void {
    this.#resolve(digest);
    this.#hasher.dispose();
  }

  /** Rejects with the reason that the stream ended, or an AbortError if there is none. Returns that error. */
  fail(reason: unknown): unknown {
    const error = reason ?? new DOMException(`${this.#hasher.name}: the stream was aborted`, "AbortError");
    this.#reject(error);
    this.#hasher.dispose();
    return error;
  }
}

/** Decides when hashed chunks are forwarded to the reader. */
interface Forwarding<C> {
  pass(chunk: C, send: (chunk: C) => void): void;
  /** Called after the last chunk. If it throws, the stream fails. */
  end(digest: Digest, send: (chunk: C) => void): void;
}

/**
 * A writable side and a readable side with a hasher between them, and the back-pressure of a TransformStream: a chunk
 * is accepted when the reader asks for one. Not every engine notifies a TransformStream's transformer that the reader
 * has cancelled, but all notify a ReadableStream's source.
 */
class HashingPair<C> {
  readonly readable: ReadableStream<C>;
  readonly writable: WritableStream<C>;
  readonly #digest: PromisedDigest;
  readonly #forwarding: Forwarding<C>;
  #source!: ReadableStreamDefaultController<C>;
  #sink!: WritableStreamDefaultController;
  /** Whether the reader is waiting for a chunk. */
  #wanted = false;
  /** The chunk that is waiting for the reader, and the functions that settle its write. */
  #waiting: { chunk: C; written(): void; fail(error: unknown): void } | undefined;
  #settled = false;

  constructor(digest: PromisedDigest, forwarding: Forwarding<C>) {
    this.#digest = digest;
    this.#forwarding = forwarding;
    this.readable = new ReadableStream<C>(
      {
        start: (controller) => {
          this.#source = controller;
        },
        pull: () => this.#pull(),
        cancel: (reason) => this.#cancel(reason),
      },
      { highWaterMark: 0 },
    );
    this.writable = new WritableStream<C>({
      start: (controller) => this.#start(controller),
      write: (chunk) => this.#write(chunk),
      close: () => this.#close(),
      abort: (reason) => void this.#fail(reason),
    });
  }

  #start(controller: WritableStreamDefaultController): void {
    this.#sink = controller;
    // The sink's abort is called only after the write in progress, which may be waiting for the reader.
    controller.signal?.addEventListener("abort", () => this.#fail(controller.signal.reason));
  }

  #pull(): void {
    this.#wanted = true;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (!waiting) return;
    try {
      this.#take(waiting.chunk);
      waiting.written();
    } catch (error) {
      waiting.fail(error);
    }
  }

  #write(chunk: C): Promise<void> | undefined {
    if (this.#wanted) return this.#take(chunk);
    return new Promise((written, fail) => {
      this.#waiting = { chunk, written, fail };
    });
  }

  #take(chunk: C): undefined {
    this.#attempt(() => {
      this.#digest.update(chunk);
      this.#forwarding.pass(chunk, this.#send);
    });
  }

  #close(): void {
    this.#attempt(() => {
      const digest = this.#digest.digest();
      this.#forwarding.end(digest, this.#send);
      this.#settled = true;
      this.#digest.fulfil(digest);
      this.#source.close();
    });
  }

  readonly #send = (chunk: C): void => {
    // Before enqueue, which may call pull for the next chunk.
    this.#wanted = false;
    this.#source.enqueue(chunk);
  };

  #attempt(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#fail(error);
      throw error;
    }
  }

  #cancel(reason: unknown): void {
    if (!this.#settled) this.#sink.error(this.#fail(reason));
  }

  /** Ends everything except the writable side, where most failures originate. Returns the error. */
  #fail(reason: unknown): unknown {
    if (this.#settled) return undefined;
    this.#settled = true;
    const error = this.#digest.fail(reason);
    this.#source.error(error);
    this.#waiting?.fail(error);
    return error;
  }
}

/** The base of HashStream and VerifyStream: a TransformStream whose two sides are those of a HashingPair. */
class HashingTransformStream<C extends Chunk> extends TransformStream<C, C> {
  /** The digest of all bytes. Rejects with the reason if the stream fails, is aborted, or is cancelled. */
  readonly digest: Promise<Uint8Array<ArrayBuffer>>;

  /** @internal */
  constructor(hasher: ChunkHasher, forwarding: Forwarding<C>) {
    super();
    // The original sides are unused; the lock keeps them from being transferred by mistake.
    this.readable.getReader();
    const digest = new PromisedDigest(hasher);
    const { readable, writable } = new HashingPair(digest, forwarding);
    Object.defineProperties(this, { readable: { value: readable }, writable: { value: writable } });
    this.digest = digest.promise;
  }
}

const FORWARD_AT_ONCE: Forwarding<never> = {
  pass: (chunk, send) => send(chunk),
  end: () => {},
};

/**
 * Passes chunks through and hashes them. Each chunk is hashed before it is forwarded, and is forwarded unchanged, as
 * the same object. Chunks are bytes of any kind or strings (as UTF-8); any other chunk fails the stream with a
 * TypeError.
 *
 * The readable side must be read: chunks are accepted as the reader asks for them. If the stream fails, is aborted, or
 * is cancelled, `digest` rejects and the hasher is wiped. To send a stream to a worker, transfer its `readable` and
 * `writable`.
 *
 * @throws TypeError for a value that is not an algorithm; what the algorithm's `create` throws for its options
 * @example
 * const hash = new HashStream(blake3);
 * await response.body.pipeThrough(hash).pipeTo(file);
 * toHex(await hash.digest);
 */
export class HashStream<
  C extends Chunk = Uint8Array<ArrayBuffer>,
  Options extends object = object,
> extends HashingTransformStream<C> {
  constructor(algorithm: Algorithm<Options>, options?: Options) {
    super(new ChunkHasher("HashStream", algorithm, options), FORWARD_AT_ONCE);
  }
}

/**
 * Hashes what is written to it. Chunks are bytes of any kind or strings (as UTF-8); any other chunk fails the stream
 * with a TypeError.
 *
 * @throws TypeError for a value that is not an algorithm; what the algorithm's `create` throws for its options
 * @example
 * const hash = new DigestStream(blake2b, { length: 32 });
 * await response.body.pipeTo(hash);
 * toHex(await hash.digest);
 */
export class DigestStream<Options extends object = object> extends WritableStream<Chunk> {
  /** The digest of all bytes. Rejects with the reason if the stream fails or is aborted. */
  readonly digest: Promise<Uint8Array<ArrayBuffer>>;

  constructor(algorithm: Algorithm<Options>, options?: Options) {
    const digest = new PromisedDigest(new ChunkHasher("DigestStream", algorithm, options));
    const attempt = (step: () => void): void => {
      try {
        step();
      } catch (error) {
        digest.fail(error);
        throw error;
      }
    };
    super({
      write: (chunk) => attempt(() => digest.update(chunk)),
      close: () => attempt(() => digest.fulfil(digest.digest())),
      abort: (reason) => void digest.fail(reason),
    });
    this.digest = digest.promise;
  }
}

/**
 * A message is not the expected one. The error contains neither digest: under a key, the right digest is an
 * authenticator that must stay secret.
 */
export class IntegrityError extends Error {
  static {
    Object.defineProperty(IntegrityError.prototype, "name", {
      value: "IntegrityError",
      configurable: true,
      writable: true,
    });
  }
}

/**
 * Passes chunks through as {@link HashStream} does, and fails with an {@link IntegrityError} at the end if their digest
 * is not the expected one. The comparison takes constant time.
 *
 * If the readable side closes, the consumer has received exactly the expected message; until then, everything that it
 * has received is unverified. The last non-empty chunk is held back until the digest is known to match, so a consumer
 * never receives the whole of a wrong message, and receives nothing of a one-chunk message before it is verified. A
 * consumer that acts on the first bytes at once should be able to undo that, or verify first. Chunks are forwarded as
 * the same objects, so the writer must not change them afterwards.
 *
 * @param expected the digest, of exactly the digest's length: bytes, hexadecimal text, base64 or base64url, or base64 after
 *   the algorithm's name as in the integrity of a script: `"blake3-6o8WPbOGgpJeRJHF5Y1Ls1BuvxTut4qG6QjFYkpnIA8="`
 * @throws TypeError for what is no algorithm or of a wrong kind; RangeError for an expected digest of another length;
 *   what the algorithm's `create` throws for its options
 * @example
 * const { readable } = response.body.pipeThrough(new VerifyStream(blake3, "ea8f163d…"));
 * await pipeline.pipeTo(file); // rejects with an IntegrityError if the body is not the expected one
 */
export class VerifyStream<
  C extends Chunk = Uint8Array<ArrayBuffer>,
  Options extends object = object,
> extends HashingTransformStream<C> {
  constructor(algorithm: Algorithm<Options>, expected: Input, options?: Options) {
    const hasher = new ChunkHasher("VerifyStream", algorithm, options);
    super(hasher, forwardVerified<C>(hasher.name, expectedDigest(hasher, expected)));
  }
}

/** Holds back the last non-empty chunk until the digest is known to match. */
function forwardVerified<C extends Chunk>(name: string, expected: Uint8Array): Forwarding<C> {
  let held: C | undefined;
  return {
    pass(chunk, send) {
      const empty = (typeof chunk === "string" ? chunk.length : chunk.byteLength) === 0;
      if (empty || held !== undefined) send(empty ? chunk : (held as C));
      if (!empty) held = chunk;
    },
    end(digest, send) {
      if (!equal(digest, expected)) {
        throw new IntegrityError(`${name}: the message's digest must be the expected one, got a different one`);
      }
      if (held !== undefined) send(held);
    },
  };
}

/** The bytes of the expected digest, copied so that the caller cannot change them. */
function expectedDigest({ name, digestLength }: ChunkHasher, expected: Input): Uint8Array {
  // A digest of no bytes would match every message.
  if (digestLength === 0) throw new RangeError(`${name}: length must be at least 1 to verify, got 0`);
  if (typeof expected === "string") return expectedText(name, digestLength, expected);
  const bytes = toMessage(name, "expected", expected) as Uint8Array;
  const length = lengthOf(bytes);
  if (length !== digestLength) throw new RangeError(`${name}: expected must have ${digestLength} bytes, got ${length}`);
  const copy = new Uint8Array(digestLength);
  copy.set(bytes);
  return copy;
}

/** Hexadecimal digits, or base64 of either alphabet with the algorithm's name before it or not, as in `integrity`. */
function expectedText(name: string, digestLength: number, text: string): Uint8Array {
  if (text.length === 2 * digestLength && /^[0-9a-f]*$/i.test(text)) return fromHex(text);
  const bytes = bytesOfBase64(text.startsWith(`${name}-`) ? text.slice(name.length + 1) : text);
  if (bytes?.length === digestLength) return bytes;
  const base64 = `${Math.ceil((4 * digestLength) / 3)} of base64, after "${name}-" or without it`;
  const got = /^[\w+/=-]*$/.test(text) ? describe(text) : "one with another character";
  throw new RangeError(`${name}: expected must be ${2 * digestLength} hexadecimal digits, or ${base64}, got ${got}`);
}

/** The bytes that base64 or base64url spells; undefined if it spells none, or not as an encoder would. */
function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  const digits = text
    .replace(/={1,2}$/, "")
    .replaceAll("-", "+")
    .replaceAll("_", "/");
  if (!/^[0-9a-z+/]+$/i.test(digits) || digits.length % 4 === 1) return undefined;
  const bytes = fromBase64(digits);
  return encode(bytes, "base64").replace(/=+$/, "") === digits ? bytes : undefined;
}
