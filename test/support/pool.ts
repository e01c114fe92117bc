// Pools for tests: made with a message's true digest at hand, and with their workers in reach.
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import type { Blake3Options } from "blake-simd";
import { Blake3Pool } from "blake-simd/parallel";
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

export async function withPool<T>(threads: number, use: (pool: Blake3Pool) => Promise<T>): Promise<T> {
  const pool = new Blake3Pool({ threads });
  try {
    return await use(pool);
  } finally {
    await pool.close();
  }
}
