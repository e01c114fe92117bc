// Blobs and Files as sources: at once, as a stream, or in slices.
import { concatBytes, isDetached, viewOf } from "../input/caller-bytes.js";
import { atImport, isNode } from "../input/globals.js";
import { OwnPromise } from "../input/promises.js";
import { sameBytes } from "../input/text.js";
import { type Chunks, Whole } from "./chunks.js";
import { newMark } from "./reads.js";
import { streamChunks } from "./streams.js";

const ownBlob = /* @__PURE__ */ atImport("Blob");
const fileReader = /* @__PURE__ */ atImport("FileReader");

/**
 * Returns whether a value is a Blob or File, of any realm or polyfill: jsdom's have no `stream`, older ones no
 * `arrayBuffer`. A body may have a size, too, which need not be that of its bytes: node-fetch's is a limit, an R2
 * object's that of all of it.
 */
export function isBlob(value: object): value is Blob {
  const prototype = ownBlob()?.prototype;
  // First, since a file of Bun's must not be asked for its size.
  if (prototype && Object.prototype.isPrototypeOf.call(prototype, value)) return true;
  const { size, stream, arrayBuffer } = value as Partial<Blob>;
  if (typeof size !== "number" || (value as Partial<Body>).bodyUsed !== undefined) return false;
  return [stream, arrayBuffer].some((method) => typeof method === "function");
}

/** Returns whether a Blob is the engine's own, with its methods, and with its size, by which Deno's methods go. */
function isOwn(blob: object): blob is Blob {
  const prototype = ownBlob()?.prototype;
  if (!prototype) return false;
  const { slice, stream, arrayBuffer } = blob as Partial<Blob>;
  if (slice !== prototype.slice || stream !== prototype.stream || arrayBuffer !== prototype.arrayBuffer) return false;
  let holder: object | null = blob;
  while (holder && !Object.hasOwn(holder, "size")) holder = Object.getPrototypeOf(holder);
  return holder === prototype;
}

/**
 * Returns the size of one of the engine's Blobs. In Bun, a file that has been asked for its size has no more bytes than
 * that from then on, and one in /proc none: a slice is asked instead.
 */
function sizeOf(blob: Blob): number {
  return ("Bun" in globalThis ? blob.slice() : blob).size;
}

/** Reads a Blob as jsdom before 27 allows it. */
function readByReader(blob: Blob): Promise<ArrayBuffer> {
  return new OwnPromise((resolve, reject) => {
    const reader = new (fileReader() as typeof FileReader)();
    reader.onload = () => resolve(reader.result as ArrayBuffer);
    reader.onerror = () => reject(reader.error);
    reader.readAsArrayBuffer(blob);
  });
}

/**
 * Reads a Blob's bytes, and checks that there are `length` of them: a file behind the Blob may have changed.
 *
 * @throws TypeError for a Blob of another kind that gives something else than bytes
 */
export async function bytesOf(call: string, blob: Blob, length: number): Promise<Uint8Array> {
  const given = await ("arrayBuffer" in blob ? blob.arrayBuffer() : readByReader(blob));
  // Whatever is not bytes counts as detached. Not wrongKind, whose code each worker would have to load.
  if (isDetached(given)) throw new TypeError(`${call}: arrayBuffer() must be an ArrayBuffer with the Blob's bytes`);
  const bytes = viewOf(given);
  requireLength(call, length, bytes.length);
  return bytes;
}

function requireLength(call: string, expected: number, got: number): void {
  if (got === expected) return;
  throw new Error(`${call}: the Blob changed while it was being hashed: expected ${expected} bytes, got ${got}`);
}

/** Blobs of at most this many bytes are read at once: a stream takes two to five times as long for 5 kB. */
const MAX_AT_ONCE = 65536;

/** Opens a Blob that is read from its start to its end. */
export function blobChunks(call: string, blob: Blob): Chunks | Promise<Chunks> {
  // jsdom's.
  if (typeof blob.stream !== "function") return bytesOf(call, blob, blob.size).then((bytes) => new Whole(call, bytes));
  if (!isOwn(blob)) return blobStreamChunks(call, blob, undefined);
  const size = sizeOf(blob);
  if (!(size > 0)) return blobStreamChunks(call, blob, undefined);
  return size > MAX_AT_ONCE ? longChunks(call, blob) : shortChunks(call, blob, size);
}

/** Reads a short Blob at once, if it has the bytes that it says. */
function shortChunks(call: string, blob: Blob, size: number): Chunks | Promise<Chunks> {
  const open = (bytes: ArrayBuffer | Uint8Array | undefined): Chunks =>
    bytes?.byteLength === size ? new Whole(call, bytes) : blobStreamChunks(call, blob, undefined);
  // What cannot be read at once has a stream that says why.
  return isNode() ? open(bytesInNode(blob, size)) : blob.arrayBuffer().then(open, () => open(undefined));
}

/** How Node reads a Blob: `pull` calls back, at once for bytes in memory, with 0 at the end, or an error below it. */
interface NodeHandle {
  getReader(): { pull(callback: (status: number, bytes?: ArrayBuffer) => void): void };
}

/** Pulls after which a Blob of many parts is read as a stream. */
const MOST_PULLS = 32;

/**
 * Returns the bytes of a Blob in the memory of Node's process; undefined unless it has `size` bytes. Where a file of 4
 * GiB or more is a part, its size is too small by a multiple of 4 GiB, and `arrayBuffer` would read all of it.
 */
function bytesInNode(blob: Blob, size: number): Uint8Array | undefined {
  const symbol = Object.getOwnPropertySymbols(blob).find(({ description }) => description === "kHandle");
  const handle = symbol && (Reflect.get(blob, symbol) as Partial<NodeHandle> | undefined);
  const reader = handle?.getReader?.();
  const parts: Uint8Array[] = [];
  let rest = size;
  for (let pulls = 0; reader && rest >= 0 && pulls < MOST_PULLS; pulls++) {
    let status: number | undefined;
    let bytes: Uint8Array | undefined;
    reader.pull((given, buffer) => {
      status = given;
      bytes = buffer && new Uint8Array(buffer);
    });
    if (status === 0 && rest === 0) return parts.length === 1 ? parts[0] : concatBytes(parts);
    if (status === undefined || status <= 0) return undefined;
    if (bytes) parts.push(bytes);
    rest -= bytes?.length ?? 0;
  }
  return undefined;
}

async function longChunks(call: string, blob: Blob): Promise<Chunks> {
  const size = await provedSize(blob);
  const inSlices = size !== undefined && (await isInMemory(blob));
  return inSlices ? sliceChunks(call, blob, size) : blobStreamChunks(call, blob, size);
}

/** @throws TypeError for a Blob of another kind whose stream is something else */
function blobStreamChunks(call: string, blob: Blob, size: number | undefined): Chunks {
  const stream = blob.stream();
  if (typeof stream?.getReader !== "function") {
    throw new TypeError(`${call}: stream() must be a ReadableStream of the Blob's bytes`);
  }
  const reader = isOwn(blob) ? byobReader(stream) : undefined;
  const total = (): number | undefined => size;
  return reader ? byobChunks(stream, reader, total) : streamChunks(call, stream, total);
}

function byobReader(stream: ReadableStream): ReadableStreamBYOBReader | undefined {
  try {
    return stream.getReader({ mode: "byob" });
  } catch {
    return undefined;
  }
}

/** Streams that are being read. Chromium collects one that nothing else refers to, and its read never ends. */
const reading = new Set<ReadableStream>();

/** Bytes in the buffer that a Blob's stream is read into. */
const BUFFER_SIZE = 65536;

/**
 * The stream of one of the engine's own Blobs, which settles every read. A buffer that is used again takes 0.7 of the
 * time of a default reader in Firefox and Chromium; streams of programs, and bodies, gain nothing.
 */
function byobChunks(stream: ReadableStream, reader: ReadableStreamBYOBReader, total: () => number | undefined): Chunks {
  let buffer = new ArrayBuffer(BUFFER_SIZE);
  reading.add(stream);
  const end = (): void => {
    reading.delete(stream);
    reader.releaseLock();
  };
  return {
    async next() {
      const result = await reader.read(new Uint8Array(buffer));
      if (!result.done) buffer = result.value.buffer;
      return result as IteratorResult<unknown>;
    },
    total,
    end,
    cancel(reason) {
      reader.cancel(reason).catch(() => {});
      end();
    },
  };
}

/** Bytes in a slice. Of 256 KiB to 16 MiB, 1 to 4 MiB were read fastest, and 1 MiB takes the least memory. */
const SLICE_SIZE = 1024 * 1024;

/**
 * A Blob in slices, the faster way for one in the memory of this process: for its stream, Node and Deno first copy all
 * of it into one chunk, whose pages are new to the system. A slice's `arrayBuffer` takes 1.1 times as long as its
 * stream.
 */
function sliceChunks(call: string, blob: Blob, size: number): Chunks {
  let slice: Chunks | undefined;
  /** The place of the slice, and of what is read next. */
  let [from, end, at] = [0, 0, 0];
  const open = (): Chunks => {
    from = end;
    end = Math.min(from + SLICE_SIZE, size);
    return streamChunks(call, blob.slice(from, end).stream());
  };
  return {
    async next() {
      while (slice || end < size) {
        slice ??= open();
        const result = await slice.next();
        if (!result.done) {
          at += viewOf(result.value as Uint8Array).length;
          return result;
        }
        slice.end();
        slice = undefined;
        requireLength(call, end - from, at - from);
      }
      return { done: true, value: undefined };
    },
    total: () => size,
    end() {},
    cancel(reason) {
      end = size;
      slice?.cancel(reason);
      slice = undefined;
    },
  };
}

/** The number of random bytes behind a Blob, which are where its size says only if it has as many bytes. */
const MARK = 16;

/** The last position before which the mark fits: Node has 32 bits for one, and a greater one ends the process. */
const NODE_MAX = 2 ** 32 - 1 - MARK;

/**
 * Returns a Blob's size if slices up to it have all of its bytes; undefined if only its stream is known to have them.
 * In Node, the size of a Blob of a file of 4 GiB or more, and of any that has one as a part, is too small by a multiple
 * of 4 GiB; in Bun, a file without a size, such as one in /proc, may have bytes. A subclass or an object of another
 * kind may say anything.
 */
export async function provedSize(blob: Blob): Promise<number | undefined> {
  const Own = ownBlob();
  const mark = newMark(MARK);
  const size = isOwn(blob) ? sizeOf(blob) : 0;
  if (!Own || !Number.isSafeInteger(size) || size <= 0 || (isNode() && size > NODE_MAX)) return undefined;
  try {
    const end = new Uint8Array(await new Own([blob, mark]).slice(size, size + MARK).arrayBuffer());
    return end.length === MARK && sameBytes(end, mark, MARK) ? size : undefined;
  } catch {
    return undefined;
  }
}

/** Microtasks until a Blob in this process's memory has been read: 1 in Bun, 2 in Node, 7 in Deno. */
const MICROTASKS = 32;

/** Whether the engine keeps Blobs in the memory of this process. */
let inProcess: Promise<boolean> | undefined;

/**
 * Returns whether a Blob's bytes are in the memory of this process. Node, Deno and Bun then read them without the event
 * loop, which files need, and all Blobs in browsers, whose bytes are in another process or thread.
 */
export async function isInMemory(blob: Blob): Promise<boolean> {
  inProcess ??= readsAtOnce(new (ownBlob() as typeof Blob)(["a"]));
  return (await inProcess) && readsAtOnce(blob.slice(0, 1));
}

async function readsAtOnce(blob: Blob): Promise<boolean> {
  let read = false;
  const settle = (): void => {
    read = true;
  };
  blob.arrayBuffer().then(settle, () => {});
  for (let i = 0; i < MICROTASKS && !read; i++) await undefined;
  return read;
}
