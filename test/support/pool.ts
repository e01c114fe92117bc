// Pools for tests: made with a message's true digest at hand, and with their workers in reach.
import { existsSync, mkdtempSync, openAsBlob, realpathSync, rmSync, writeFileSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import type { Blake3Options } from "blake-simd";
import { Blake3Pool, type Blake3PoolOptions, type Blake3Source, type OpenFile } from "blake-simd/parallel";
import { afterAll } from "vitest";
import { pattern } from "./messages.ts";

export const KIB = 1024;
export const MIB = 1024 * KIB;

/** Every message is a prefix of this one. */
export const MESSAGE = pattern(9 * MIB);

export const MODES = {
  hash: {},
  keyed: { key: pattern(32) },
  derive: { context: "blake-simd 2026-11-21 tests of the pool" },
} satisfies Record<string, Blake3Options>;

export type ModeName = keyof typeof MODES;

type NobleHasher = ReturnType<typeof nobleBlake3.create>;

/** Hashers of @noble/hashes that have read the message's first bytes, by mode and number of bytes. */
const hashers = new Map<ModeName, Map<number, NobleHasher>>();

function hashersOf(mode: ModeName): Map<number, NobleHasher> {
  const { context, ...rest } = { context: undefined, ...MODES[mode] };
  const first = () => nobleBlake3.create({ ...rest, ...(context && { context: Buffer.from(context) }) });
  const known = hashers.get(mode) ?? new Map([[0, first()]]);
  hashers.set(mode, known);
  return known;
}

/** The digest of the message's first bytes, as @noble/hashes has it. */
export function digestOf(length: number, mode: ModeName = "hash", outputLength = 32): Uint8Array {
  const known = hashersOf(mode);
  const from = Math.max(...[...known.keys()].filter((at) => at <= length));
  const hasher = known.get(from)!.clone().update(MESSAGE.subarray(from, length));
  known.set(length, hasher);
  return hasher.clone().xof(outputLength);
}

/** Watches the shared memories that pools make from now on; returns a function that returns their bytes. */
export function watchSharedMemories(): () => Buffer[] {
  const made: WebAssembly.Memory[] = [];
  WebAssembly.Memory = class extends WebAssembly.Memory {
    constructor(descriptor: WebAssembly.MemoryDescriptor) {
      super(descriptor);
      if (descriptor.shared) made.push(this);
    }
  };
  return () => made.map(({ buffer }) => Buffer.from(buffer));
}

export async function withPool<T>(options: Blake3PoolOptions, use: (pool: Blake3Pool) => Promise<T>): Promise<T> {
  const pool = new Blake3Pool(options);
  try {
    return await use(pool);
  } finally {
    await pool.close();
  }
}

/** An open file with some content, of a file system of its own; what `more` has of its status is said instead. */
export const handleOf = (content: Uint8Array, more: object = {}): OpenFile => ({
  stat: async () => ({ size: BigInt(content.length), dev: 1n, ino: 1n, isFile: () => true, ...more }),
  async read(target, at, length, position) {
    const some = content.subarray(position ?? 0, (position ?? 0) + length);
    target.set(some, at);
    return { bytesRead: some.length };
  },
});

/** A pool of two threads and a folder, both gone after the tests of a file. */
export const pool = new Blake3Pool({ threads: 2 });
export const folder = realpathSync(mkdtempSync(join(tmpdir(), "blake-simd-")));
export const path = (name: string): string => join(folder, name);
const handles: FileHandle[] = [];
afterAll(async () => {
  await Promise.all([pool.close(), ...handles.map((handle) => handle.close())]);
  rmSync(folder, { recursive: true });
});

/** Returns the name of a file with some content. */
export function fileOf(content: Uint8Array, name = `of-${content.length}`): string {
  if (!existsSync(path(name))) writeFileSync(path(name), content);
  return path(name);
}

/** Copies bytes into an array, which is returned. */
function put<T extends Uint8Array>(bytes: Uint8Array, target: T): T {
  target.set(bytes);
  return target;
}

/** Returns a copy of bytes in the middle of a buffer. */
export const within = <B extends ArrayBufferLike>(Kind: new (length: number) => B, bytes: Uint8Array): Uint8Array<B> =>
  put(bytes, new Uint8Array(new Kind(bytes.length + 12), 5, bytes.length));

/** A handle of a file of which some bytes have been read. */
async function openedHandle(content: Uint8Array): Promise<FileHandle> {
  const handle = await open(fileOf(content));
  handles.push(handle);
  await handle.read(new Uint8Array(10), 0, 10, null);
  return handle;
}

type MakeSource = (message: Uint8Array<ArrayBuffer>, pool: Blake3Pool) => Blake3Source | Promise<Blake3Source>;

/** A message as each kind of source. */
export const SOURCES: Record<string, MakeSource> = {
  bytes: (message) => message,
  "an ArrayBuffer": (message) => message.slice().buffer,
  "a part of an ArrayBuffer": (message) => new DataView(within(ArrayBuffer, message).buffer, 5, message.length),
  "a SharedArrayBuffer": (message) => put(message, new Uint8Array(new SharedArrayBuffer(message.length))).buffer,
  "a part of a SharedArrayBuffer": (message) => within(SharedArrayBuffer, message),
  "the pool's memory": (message, own) => put(message, own.allocate(message.length)),
  "a part of the pool's memory": (message, own) =>
    put(message, own.allocate(message.length + 100).subarray(33, 33 + message.length)),
  "a Blob": (message) => new Blob([message]),
  "a File": (message) => new File([message.subarray(0, 5), message.subarray(5)], "name"),
  "a Blob of a file": (message) => openAsBlob(fileOf(message)),
  "a path": (message) => ({ path: fileOf(message) }),
  "a path in bytes": (message) => ({ path: Buffer.from(fileOf(message)) }),
  "a path in a URL": (message) => ({ path: pathToFileURL(fileOf(message)) }),
  "a URL": (message) => pathToFileURL(fileOf(message)),
  "a handle": openedHandle,
};
