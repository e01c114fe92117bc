// Pools for tests: made with a message's true digest at hand, and with their workers in reach.
import { existsSync, mkdtempSync, readdirSync, readlinkSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import type { Blake3Options } from "blake-simd";
import { Blake3Pool, type Blake3PoolOptions, type OpenFile } from "blake-simd/parallel";
import { afterAll } from "vitest";
import { pattern } from "./messages.ts";

export const KIB = 1024;
export const MIB = 1024 * KIB;

/** Every message is a prefix of this one. */
export const MESSAGE = pattern(9 * MIB);

/** Fills an array with the message's first bytes. */
export function filled<T extends Uint8Array>(bytes: T): T {
  bytes.set(MESSAGE.subarray(0, bytes.length));
  return bytes;
}

export const MODES = {
  hash: {},
  keyed: { key: pattern(32) },
  derive: { context: "blake-simd 2026-11-21 tests of the pool" },
} satisfies Record<string, Blake3Options>;

export type ModeName = keyof typeof MODES;

const known = new Map<string, Uint8Array>();

/** The digest of the message's first bytes, as @noble/hashes has it, at any length up to 131 bytes. */
export function digestOf(length: number, mode: ModeName = "hash", outputLength = 32): Uint8Array {
  const name = `${mode} ${length}`;
  const { context, ...rest } = { context: undefined, ...MODES[mode] };
  const options = { ...rest, ...(context && { context: Buffer.from(context) }), dkLen: 131 };
  const digest = known.get(name) ?? nobleBlake3(MESSAGE.subarray(0, length), options);
  known.set(name, digest);
  return digest.subarray(0, outputLength);
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
  fd: -5,
  stat: async () => ({ size: BigInt(content.length), dev: 1n, ino: 1n, isFile: () => true, ...more }),
  async read(target, at, length, position) {
    const some = content.subarray(position ?? 0, (position ?? 0) + length);
    target.set(some, at);
    return { bytesRead: some.length };
  },
});

/** The targets of the process's descriptors, if the system lists them. */
export function openFiles(): string[] {
  const list = "/proc/self/fd";
  const descriptors = existsSync(list) ? readdirSync(list) : [];
  return descriptors.flatMap((descriptor) => {
    try {
      return readlinkSync(`${list}/${descriptor}`);
    } catch {
      // Another thread has closed it.
      return [];
    }
  });
}

/** A pool of two threads and a folder with the file "message", both gone after the tests of a file. */
export function poolAndFolder() {
  const pool = new Blake3Pool({ threads: 2 });
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "blake-simd-")));
  const path = (name: string): string => join(folder, name);
  writeFileSync(path("message"), MESSAGE);
  afterAll(async () => {
    await pool.close();
    rmSync(folder, { recursive: true });
  });
  return { pool, folder, path };
}
