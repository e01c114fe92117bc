// Blobs as bytes: how many they have, and where an engine keeps them.

import { isDetached, lengthOf, viewOf } from "./caller-bytes.js";
import { readGlobal } from "./globals.js";
import { sameBytes } from "./text.js";

/**
 * Returns whether a value is a Blob or File, of any realm or polyfill: jsdom's have no `stream`, older ones no `arrayBuffer`. A
 * body may have a size, too, which need not be that of its bytes: node-fetch's is a limit, an R2 object's that of all of it.
 */
export function isBlob(value: object): value is Blob {
  if (isGlobalsBlob(value)) return true;
  const { size, stream, arrayBuffer } = value as Partial<Blob>;
  if (typeof size !== "number" || (value as Partial<Body>).bodyUsed !== undefined) return false;
  return [stream, arrayBuffer].some((method) => typeof method === "function");
}

function isGlobalsBlob(value: object): value is Blob {
  return readGlobal(() => value instanceof Blob) ?? false;
}

/**
 * Returns a Blob's size. In Bun, a file that has been asked for its size has no more bytes than that from then on, and one in
 * /proc none: a slice is asked instead.
 */
export function sizeOf(blob: Blob): number {
  return ("Bun" in globalThis && isOwn(blob) ? blob.slice() : blob).size;
}

/** Reads a Blob as jsdom before 27 allows it. */
function readByReader(blob: Blob): Promise<ArrayBuffer> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
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

/**
 * Returns the stream of a Blob's bytes.
 *
 * @throws TypeError for a Blob of another kind that gives something else
 */
export function streamOf(call: string, blob: Blob): ReadableStream<Uint8Array<ArrayBuffer>> {
  const stream = blob.stream();
  if (typeof stream?.getReader === "function") return stream;
  throw new TypeError(`${call}: stream() must be a ReadableStream of the Blob's bytes`);
}

/** Reads a Blob of the engine at once; undefined if that fails, or there are not as many bytes as it says, 1 to `most`. */
export async function wholeOf(blob: Blob, most: number): Promise<ArrayBuffer | undefined> {
  const size = sizeOf(blob);
  // Node's size of a file may be 4 GiB too small, or 0, and all of it would go to memory.
  if (size === 0 || size > most || isOfFile(blob)) return undefined;
  try {
    const bytes = await blob.arrayBuffer();
    return bytes?.byteLength === size ? bytes : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a Blob is one that Node has made of a file. */
function isOfFile(blob: Blob): boolean {
  return Object.getOwnPropertySymbols(blob).some(({ description }) => description === "kNotCloneable");
}

function requireLength(call: string, expected: number, got: number): void {
  if (got === expected) return;
  throw new Error(`${call}: the Blob changed while it was being hashed: expected ${expected} bytes, got ${got}`);
}

/** Random bytes behind a Blob, which are where its size says only if it has no more bytes, and no fewer. */
const MARK = 16;

/** The last position before which the mark fits: Node has 32 bits for one, and a greater one ends the process. */
const NODE_MAX = 2 ** 32 - 1 - MARK;

/**
 * Returns a Blob's size if slices up to it have all of its bytes; undefined if only its stream is known to have them. In Node,
 * the size of a Blob of a file of 4 GiB or more, and of any that has one as a part, is too small by a multiple of 4 GiB; in
 * Bun, a file without a size, such as one in /proc, may have bytes. A subclass or an object of another kind may say anything.
 */
export async function provedSize(blob: Blob): Promise<number | undefined> {
  const size = sizeOf(blob);
  if (!isOwn(blob) || !Number.isSafeInteger(size) || size <= 0 || (isNode() && size > NODE_MAX)) return undefined;
  try {
    const mark = crypto.getRandomValues(new Uint8Array(MARK));
    const end = new Uint8Array(await new Blob([blob, mark]).slice(size, size + MARK).arrayBuffer());
    return end.length === MARK && sameBytes(end, mark, MARK) ? size : undefined;
  } catch {
    return undefined;
  }
}

/** Returns whether a value is a Blob of the engine, with the engine's methods, and with its size, by which Deno's methods go. */
export function isOwn(blob: object): blob is Blob {
  if (!isGlobalsBlob(blob)) return false;
  const { slice, stream, arrayBuffer } = Blob.prototype;
  if (blob.slice !== slice || blob.stream !== stream || blob.arrayBuffer !== arrayBuffer) return false;
  let holder: object | null = blob;
  while (holder && !Object.hasOwn(holder, "size")) holder = Object.getPrototypeOf(holder);
  return holder === Blob.prototype;
}

/** Returns whether the engine is Node, which keeps a Blob of a file as the file's name. */
export function isNode(): boolean {
  const engine = readGlobal(() => globalThis.process.versions);
  return engine?.node !== undefined && engine.bun === undefined && engine.deno === undefined;
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
  inProcess ??= readsAtOnce(new Blob(["a"]));
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

/** Bytes in a slice. Of 256 KiB to 16 MiB, 1 to 4 MiB were read fastest, and 1 MiB takes the least memory. */
const SLICE_SIZE = 1024 * 1024;

/**
 * Yields a Blob's bytes by slices. For one in the memory of this process this is the faster way: Node and Deno first copy all
 * that a stream is of into one chunk, whose pages are new to the system, and then into the reader's buffer. A slice's
 * `arrayBuffer` takes longer than its stream in Node 26.
 */
export async function* slicesOf(call: string, blob: Blob, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size; at += SLICE_SIZE) {
    const end = Math.min(at + SLICE_SIZE, size);
    const reader = streamOf(call, blob.slice(at, end)).getReader();
    let length = 0;
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      length += lengthOf(read.value);
      yield read.value;
    }
    requireLength(call, end - at, length);
  }
}
