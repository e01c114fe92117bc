// Calls of a pool at the end of the JavaScript stack: each works or throws, and the pool still gives right digests.
import { Blake3Pool } from "blake-simd/parallel";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectBytes } from "../support/messages.ts";
import { digestOf, KIB, MESSAGE, MIB, MODES } from "../support/pool.ts";
import { atTheEndOfTheStack, isOverflow, type Outcome } from "../support/stack.ts";

const message = MESSAGE.subarray(0, MIB);
const wanted = digestOf(message.length, "keyed");

/** Enough to reach from a depth where not even a call fits to one where all do. */
const FRAMES = 2000;
const SHIFTS = [0, 1, 2, 3, 4, 5, 6, 7];
/** Of calls that take long: a pool to be closed, or a mebibyte to be hashed. */
const FEW_SHIFTS = [0, 3];

/** Awaits what has been returned; an exception must be the end of the stack. */
async function settle<T>({ value, error }: Outcome<Promise<T> | T>): Promise<Outcome<T>> {
  try {
    if (error) throw error;
    return { value: (await value) as T };
  } catch (error) {
    expect(isOverflow(error), String(error)).toBe(true);
    return { error };
  }
}

/** All outcomes of some shifts; some have to be failures, and some not. */
async function outcomesOf<T>(act: () => Promise<T> | T, shifts: readonly number[] = SHIFTS): Promise<Outcome<T>[]> {
  const outcomes = shifts.flatMap((shift) => atTheEndOfTheStack(act, FRAMES, shift));
  const settled = await Promise.all(outcomes.map(settle));
  expect(settled.some(({ error }) => error)).toBe(true);
  expect(settled.some(({ error }) => !error)).toBe(true);
  return settled as Outcome<T>[];
}

describe.each([0, 2])("%i threads", (threads) => {
  let pool: Blake3Pool;
  beforeAll(() => {
    pool = new Blake3Pool({ threads });
  });
  afterAll(() => pool.close());

  it("hash", async () => {
    for (const [length, shifts] of [
      [KIB, SHIFTS],
      [MIB, FEW_SHIFTS],
    ] as const) {
      const digest = digestOf(length, "keyed");
      for (const { value } of await outcomesOf(() => pool.hash(MESSAGE.subarray(0, length), MODES.keyed), shifts)) {
        if (value) expectBytes(value, digest);
      }
      expectBytes(await pool.hash(MESSAGE.subarray(0, length), MODES.keyed), digest);
    }
  });

  it("allocate and release", async () => {
    // A list that had to grow could fail to, and lose what it was given.
    const given = new Array<Uint8Array | undefined>(SHIFTS.length * FRAMES).fill(undefined);
    let at = 0;
    await outcomesOf(() => {
      given[at++] = pool.allocate(KIB);
    });
    const blocks = given.flatMap((bytes) => bytes ?? []);
    for (const [i, bytes] of blocks.entries()) bytes.fill(i);
    for (const [i, bytes] of blocks.entries()) expect(bytes[KIB - 1]).toBe(i % 256);
    let released = 0;
    await outcomesOf(() => {
      if (released === blocks.length) return;
      pool.release(blocks[released] as Uint8Array);
      released++;
    });
    for (const bytes of blocks.slice(released)) pool.release(bytes);
    for (const bytes of blocks) expect(() => pool.release(bytes)).toThrow(TypeError);
    if (threads === 0) return;
    const addresses = blocks.map(({ byteOffset }) => byteOffset).sort();
    expect(blocks.map(() => pool.allocate(KIB).byteOffset).sort()).toEqual(addresses);
  });

  it("the first calls of a pool", { timeout: 60_000 }, async () => {
    const pools: Blake3Pool[] = [];
    await outcomesOf(() => {
      const own = new Blake3Pool({ threads });
      if (pools.push(own) % 50 === 0) return own.allocate(KIB);
      return own.hash(message.subarray(0, 10), { onProgress: () => {} });
    }, FEW_SHIFTS);
    for (const own of pools.slice(0, 60)) {
      expectBytes(await own.hash(message, MODES.keyed), wanted);
      expect(own.allocate(KIB).buffer instanceof SharedArrayBuffer).toBe(threads > 0);
      await own.close();
    }
  });

  it("close", { timeout: 60_000 }, async () => {
    const pools = Array.from({ length: FEW_SHIFTS.length * FRAMES }, () => new Blake3Pool({ threads }));
    let closed = 0;
    const outcomes = await outcomesOf(() => {
      const closing = (pools[closed] as Blake3Pool).close();
      closed++;
      // One that has been promised comes.
      return [closing.then(() => true)];
    }, FEW_SHIFTS);
    for (const { value } of outcomes) if (value) expect(await value[0]).toBe(true);
    expect(closed).toBeGreaterThan(0);
    for (const own of pools.slice(0, closed)) await expect(own.hash("abc")).rejects.toThrow("the pool is closed");
    for (const own of pools.slice(closed)) {
      expectBytes(await own.hash(MESSAGE.subarray(0, KIB)), digestOf(KIB));
      await own.close();
    }
  });
});
