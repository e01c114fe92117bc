// Hashes with the interface of node:crypto, and hashes of files. The only entry point that imports Node modules.
import fs from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { addAbortSignal, Transform, type TransformCallback, type TransformOptions } from "node:stream";
import { algorithms } from "../algorithms/all.js";
import type { Blake1Options } from "../algorithms/blake1.js";
import type { Blake2ExtendableOptions, Blake2Options, Blake2ParallelOptions } from "../algorithms/blake2.js";
import type { Blake3Options } from "../algorithms/blake3.js";
import type { Algorithm } from "../engine/algorithm.js";
import type { Hasher } from "../engine/hasher.js";
import { hmac } from "../hmac/hmac.js";
import type { Input } from "../input/bytes.js";
import { describe } from "../input/errors.js";
import { without } from "../input/options.js";
import { type Fifo, isFifo, openFifo } from "../parallel/fifo.js";
import { type Chunks, type DigestOfOptions, digestChunks, iteratorChunks } from "../streams/digest-of.js";

const STREAM_OPTIONS = [
  "highWaterMark",
  "readableHighWaterMark",
  "writableHighWaterMark",
  "defaultEncoding",
  "encoding",
  "emitClose",
  "autoDestroy",
  "allowHalfOpen",
  "signal",
] as const;

type StreamOptions = Pick<TransformOptions, (typeof STREAM_OPTIONS)[number]>;

/** What `createHash` takes beside the algorithm's own options and a stream's: node:crypto's `outputLength`. */
interface OutputLength<Length extends number = number> {
  /** Digest length in bytes: another name for `length`. */
  readonly outputLength?: Length | undefined;
}

type FixedLength<Length extends number> = Omit<Blake2Options, "length"> &
  OutputLength<Length> & { readonly length?: Length | undefined };

/** The options that go with each name. */
interface OptionsByName {
  blake224: Blake1Options;
  blake256: Blake1Options;
  blake384: Blake1Options;
  blake512: Blake1Options;
  blake2b: Blake2Options & OutputLength;
  blake2s: Blake2Options & OutputLength;
  blake2bp: Blake2ParallelOptions & OutputLength;
  blake2sp: Blake2ParallelOptions & OutputLength;
  blake2xb: Blake2ExtendableOptions & OutputLength;
  blake2xs: Blake2ExtendableOptions & OutputLength;
  blake3: Blake3Options & OutputLength;
  blake2b512: FixedLength<64>;
  "blake2b-512": FixedLength<64>;
  blake2s256: FixedLength<32>;
  "blake2s-256": FixedLength<32>;
}

/** The names that `createHash` knows. It takes them in upper or lower case, so any string is one to the compiler. */
export type HashName = keyof OptionsByName | (string & {});

/** What `createHash` takes under a name that the compiler does not know: the options of every algorithm. */
export interface HashOptions extends Blake2Options, Blake3Options, StreamOptions, OutputLength {}

/** What `createHash` takes under a name: the algorithm's own options, a Node stream's, and `outputLength`. */
export type HashOptionsOf<Name extends string> = Name extends keyof OptionsByName
  ? OptionsByName[Name] & StreamOptions
  : HashOptions;

/** What `hashFile` takes under a name: the algorithm's own options, and those of `digestOf`. */
export type HashFileOptionsOf<Name extends string> = Name extends keyof OptionsByName
  ? Omit<OptionsByName[Name], "outputLength"> & DigestOfOptions
  : HashFileOptions;

/** What `hashFile` takes under a name that the compiler does not know: the options of every algorithm. */
export interface HashFileOptions extends Blake2Options, Blake3Options, DigestOfOptions {}

/** OpenSSL's names, which fix the digest's length in bytes. */
const OPENSSL_NAMES: Readonly<Record<string, readonly [algorithm: string, length: number]>> = {
  blake2b512: ["blake2b", 64],
  "blake2b-512": ["blake2b", 64],
  blake2s256: ["blake2s", 32],
  "blake2s-256": ["blake2s", 32],
};

/** An algorithm, and the name that the caller gave for it. */
interface Named {
  readonly name: string;
  readonly algorithm: Algorithm;
  /** The only digest length that the name allows, in bytes; undefined if it allows any. */
  readonly fixedLength: number | undefined;
}

function withCode<E extends Error>(error: E, code: string): E {
  return Object.assign(error, { code });
}

function named(user: string, name: unknown): Named {
  if (typeof name !== "string") {
    throw withCode(new TypeError(`${user}: name must be a string, got ${describe(name)}`), "ERR_INVALID_ARG_TYPE");
  }
  const lower = name.toLowerCase();
  const [own, fixedLength] = Object.hasOwn(OPENSSL_NAMES, lower) ? OPENSSL_NAMES[lower]! : [lower, undefined];
  const known: Readonly<Record<string, Algorithm>> = algorithms;
  const algorithm = Object.hasOwn(known, own) ? known[own] : undefined;
  if (algorithm) return { name, algorithm, fixedLength };
  const names = getHashes().join(", ");
  throw withCode(
    new TypeError(`${user}: name must be one of ${names}, got ${JSON.stringify(name)}`),
    "ERR_CRYPTO_INVALID_DIGEST",
  );
}

function requireLength(name: string, option: string, value: unknown): asserts value is number {
  if (typeof value !== "number") {
    throw withCode(
      new TypeError(`${name}: ${option} must be a number, got ${describe(value)}`),
      "ERR_INVALID_ARG_TYPE",
    );
  }
  if (Number.isInteger(value) && value >= 0 && value < 2 ** 32) return;
  throw withCode(
    new RangeError(`${name}: ${option} must be an integer from 0 to ${2 ** 32 - 1}, got ${value}`),
    "ERR_OUT_OF_RANGE",
  );
}

function requireFixedLength({ name, fixedLength }: Omit<Named, "algorithm">, option: string, value: unknown): void {
  if (fixedLength === undefined || value === undefined || value === fixedLength) return;
  const free = OPENSSL_NAMES[name.toLowerCase()]?.[0];
  const advice = free && typeof value === "number" ? `: use createHash("${free}", { ${option}: ${value} })` : "";
  throw withCode(
    new RangeError(`${name}: ${option} must be ${fixedLength}, got ${describe(value)}${advice}`),
    "ERR_OUT_OF_RANGE",
  );
}

/** Separates a stream's options from a hash's. */
function splitOptions(name: string, options: HashOptions | null | undefined) {
  if (options !== undefined && (typeof options !== "object" || Array.isArray(options))) {
    throw withCode(
      new TypeError(`${name}: options must be an object, got ${describe(options)}`),
      "ERR_INVALID_ARG_TYPE",
    );
  }
  const given = options ?? {};
  const { outputLength } = given;
  if (outputLength !== undefined) requireLength(name, "outputLength", outputLength);
  const stream: Record<string, unknown> = {};
  for (const option of STREAM_OPTIONS) if (option in given) stream[option] = given[option];
  const hash: HashOptions = without(given, [...STREAM_OPTIONS, "outputLength"]);
  return { stream: stream as StreamOptions, hash, outputLength };
}

function createHasher(user: Named, hash: HashOptions, outputLength: number | undefined): Hasher {
  const { name, algorithm } = user;
  requireFixedLength(user, "length", hash.length);
  requireFixedLength(user, "outputLength", outputLength);
  if (outputLength === undefined) return algorithm.create(hash);
  if (hash.length === undefined) return algorithm.create(withLength(hash, outputLength));
  throw new TypeError(`${name}: length and outputLength exclude each other, got both`);
}

/** What a Hash needs of a hasher, or of an HMAC. */
interface Incremental {
  readonly digestLength: number;
  update(input: Input): unknown;
  digest(): Uint8Array<ArrayBuffer>;
  clone(): Incremental;
  dispose(): void;
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
  #told = false;

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
    const hasher = this.#open("update");
    this.#requireData(data);
    hasher.update(typeof data === "string" ? this.#decode(data, inputEncoding) : data);
    return this;
  }

  #requireData(data: unknown): void {
    if (typeof data === "string" || ArrayBuffer.isView(data)) return;
    throw withCode(
      new TypeError(`${this.#name}: data must be a string or a view of a buffer, got ${describe(data)}`),
      "ERR_INVALID_ARG_TYPE",
    );
  }

  #decode(text: string, encoding: string | undefined): string | Buffer {
    // As in node:crypto, an unknown encoding means UTF-8.
    if (encoding === undefined || !Buffer.isEncoding(encoding)) return text;
    if (encoding.toLowerCase() === "hex" && text.length % 2) {
      throw withCode(
        new TypeError(`${this.#name}: data must have an even number of hex digits, got ${text.length}`),
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
    if (this.#told) throw this.#finalized("digest");
    const digest = this.#finish();
    // As in node:crypto, an unknown encoding means a Buffer.
    const spelled =
      typeof encoding === "string" && Buffer.isEncoding(encoding) ? digest.toString(encoding) : Buffer.from(digest);
    this.#told = true;
    return spelled;
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
    const hasher = this.#open("copy");
    const { stream, hash, outputLength } = splitOptions(this.#name, options);
    requireNoMore(this.#name, "copy", hash);
    requireFixedLength({ name: this.#name, fixedLength: hasher.digestLength }, "outputLength", outputLength);
    return new Hash(this.#name, hasher.clone(), stream);
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
    return withCode(
      new Error(`${this.#name}: ${method} must be called before digest and the stream's end, got a finished hash`),
      "ERR_CRYPTO_HASH_FINALIZED",
    );
  }
}

function withLength(hash: HashOptions, length: number): HashOptions {
  return Object.create(hash, { length: { value: length, enumerable: true } });
}

function requireNoMore(name: string, call: string, hash: HashOptions): void {
  for (const option in hash) {
    const known = [...STREAM_OPTIONS, "outputLength"].join(", ");
    throw new TypeError(`${name}: options of ${call} may be ${known}, got ${JSON.stringify(option)}`);
  }
}

/**
 * Creates a hash with the interface of node:crypto's: `update`, `digest`, `copy`, and a stream.
 *
 * @param name one of this package's, or OpenSSL's `blake2b512` and `blake2s256`, in upper or lower case
 * @param options the algorithm's own (such as `key` and `length`), a Node stream's, and `outputLength`
 * @throws TypeError with code ERR_INVALID_ARG_TYPE or ERR_CRYPTO_INVALID_DIGEST for any other name; for options, what
 *   the algorithm's `create` throws
 * @example
 * createHash("blake2b512").update("hello").digest("hex");
 * await pipeline(createReadStream(path), createHash("blake3").setEncoding("hex"), process.stdout);
 */
export function createHash<Name extends HashName>(name: Name, options?: HashOptionsOf<Name> | null): Hash {
  const user = named("createHash", name);
  const { stream, hash, outputLength } = splitOptions(name, options as HashOptions | null | undefined);
  return new Hash(name, createHasher(user, hash, outputLength), stream);
}

/** Node's own secret KeyObject, as far as it is needed. */
interface SecretKey {
  readonly type: string;
  export(): Uint8Array;
}

const isSecretKey = (key: unknown): key is SecretKey =>
  typeof key === "object" && key !== null && "type" in key && key.type === "secret" && "export" in key;

/**
 * An HMAC (RFC 2104) with the manners of node:crypto: `update`, `digest`, and a stream. The `key` option of BLAKE2 and
 * BLAKE3 is the better authentication code, unless a protocol asks for HMAC.
 *
 * @param name as `createHash` takes it
 * @param key text (as UTF-8), bytes, or a secret KeyObject
 * @param options a Node stream's
 * @throws TypeError with code ERR_INVALID_ARG_TYPE or ERR_CRYPTO_INVALID_DIGEST for another name; TypeError for a wrong
 *   kind of key, or another option
 * @example
 * createHmac("blake2s256", key).update("hello").digest("hex");
 */
export function createHmac(
  name: HashName,
  key: Input | { readonly type: string },
  options?: StreamOptions | null,
): Omit<Hash, "copy"> & Transform {
  const { algorithm } = named("createHmac", name);
  const { stream, hash } = splitOptions(name, options);
  requireNoMore(name, "createHmac", hash);
  return new Hash(name, hmac.create(algorithm, isSecretKey(key) ? key.export() : (key as Input)), stream);
}

/**
 * The names that `createHash` and `createHmac` know, in lower case.
 *
 * @example
 * getHashes(); // ["blake224", "blake256", …, "blake2s-256"]
 */
export function getHashes(): string[] {
  return [...Object.keys(algorithms), ...Object.keys(OPENSSL_NAMES)];
}

/** Bytes read from a file at a time, always into the same memory. Of 128 KiB to 2 MiB, this was read fastest. */
const BUFFER_SIZE = 1024 * 1024;

/**
 * Computes the digest of a file. A file handle is read from the start of the file, whatever its position; the position
 * does not change, and the handle stays open. A file that has no start, such as a pipe, is read to its end. Opening a
 * named pipe waits for a writer; the signal ends the wait at once in Node on Linux, but elsewhere a thread continues to
 * wait.
 *
 * @param algorithm one of this package's, or a name that `createHash` knows
 * @returns the digest's bytes; rejects with the file system's error, the signal's reason, or the errors that
 *   `createHash` throws
 * @example
 * toHex(await hashFile("disk.img", blake3, { onProgress: (bytes, total) => console.log(bytes, total) }));
 */
export function hashFile<Options extends object>(
  file: string | Buffer | URL | FileHandle,
  algorithm: Algorithm<Options>,
  options?: Options & DigestOfOptions,
): Promise<Uint8Array<ArrayBuffer>>;
export function hashFile<Name extends HashName>(
  file: string | Buffer | URL | FileHandle,
  algorithm: Name,
  options?: HashFileOptionsOf<Name>,
): Promise<Uint8Array<ArrayBuffer>>;
export async function hashFile(
  file: string | Buffer | URL | FileHandle,
  algorithm: Algorithm | string,
  options?: HashFileOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  if (typeof algorithm !== "string") return digestChunks("hashFile", algorithm, () => fileChunks(file), options);
  const user = named("hashFile", algorithm);
  requireFixedLength(user, "length", options?.length);
  return digestChunks("hashFile", user.algorithm, () => fileChunks(file), options);
}

function fileChunks(file: string | Buffer | URL | FileHandle): Chunks {
  const progress: Progress = {};
  const destroy = (): void => {
    progress.cancelled = true;
    progress.fifo?.destroy();
  };
  const { next, cancel } = iteratorChunks(readFile(file, progress), { destroy });
  return {
    next,
    cancel,
    get total() {
      return progress.total;
    },
  };
}

/** What is known about a file once it is open. */
interface Progress {
  /** The file's size, in bytes. */
  total?: number;
  /** Set if a read may wait indefinitely. */
  fifo?: Fifo;
  cancelled?: boolean;
}

const isHandle = (file: unknown): file is FileHandle => typeof (file as FileHandle | null)?.read === "function";

async function* readFile(file: string | Buffer | URL | FileHandle, progress: Progress): AsyncGenerator<Uint8Array> {
  if (!isHandle(file) && (await isFifo(fs, file))) return yield* readFifo(file, progress);
  const handle = isHandle(file) ? file : await open(file);
  try {
    const stats = await handle.stat();
    // Files in /proc report a size of 0 but have contents.
    if (stats.isFile() && stats.size > 0) progress.total = stats.size;
    // A small file gets a buffer of its own size, and one byte more for a file that grows.
    const size = progress.total === undefined ? BUFFER_SIZE : Math.min(BUFFER_SIZE, progress.total + 1);
    yield* readHandle(handle, stats.isFile(), new Uint8Array(size));
  } finally {
    if (handle !== file) await handle.close();
  }
}

async function* readFifo(path: string | Buffer | URL, progress: Progress): AsyncGenerator<Uint8Array> {
  const net = await import("node:net");
  if (progress.cancelled) return;
  progress.fifo = openFifo(fs, net, path);
  yield* progress.fifo;
}

async function* readHandle(handle: FileHandle, seekable: boolean, buffer: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let position = 0; ; ) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, seekable ? position : null);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
