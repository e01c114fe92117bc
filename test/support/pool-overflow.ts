// Calls of a pool at the end of the JavaScript stack: each works or throws, and the pool still gives right digests. It
// is a program of its own, as Node.js writes to standard error when a promise is rejected there: THREADS says how many
// there are.
import assert from "node:assert/strict";
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import { Blake3Pool } from "blake-simd/parallel";
import { atTheEndOfTheStack, isOverflow, type Outcome } from "./stack.ts";

const KIB = 1024;
const MIB = 1024 * KIB;
const MESSAGE = new Uint8Array(MIB).map((_, i) => i % 251);
const SHORT = MESSAGE.subarray(0, KIB);
const KEYED = { key: MESSAGE.slice(0, 32) };
const KEYED_DIGEST = nobleBlake3(MESSAGE, KEYED);

/** Enough to reach from a depth where not even a call fits to one where all do. */
const FRAMES = 2000;
const SHIFTS = [0, 2, 5, 7];
/** Calls that take long, such as a hash of a mebibyte, are made in one of so many frames. */
const SPARSE = 16;

const threads = Number(process.env.THREADS);

/** Awaits what has been returned; an exception must be the end of the stack. */
async function settle<T>({ value, error }: Outcome<Promise<T> | T | undefined>): Promise<Outcome<T | undefined>> {
  try {
    if (error) throw error;
    return { value: await value };
  } catch (error) {
    assert(isOverflow(error), String(error));
    return { error };
  }
}

/** All outcomes of some shifts; some have to be failures, and some not. */
async function outcomesOf<T>(act: () => Promise<T> | T, every = 1): Promise<Outcome<T | undefined>[]> {
  let frame = 0;
  const sometimes = () => (frame++ % every === 0 ? act() : undefined);
  const outcomes = SHIFTS.flatMap((shift) => atTheEndOfTheStack(sometimes, FRAMES, shift));
  const settled = await Promise.all(outcomes.map(settle));
  assert(settled.some(({ error }) => error));
  assert(settled.some(({ error }) => !error));
  return settled;
}

async function hash(): Promise<void> {
  const pool = new Blake3Pool({ threads });
  for (const [message, every] of [
    [SHORT, 1],
    [MESSAGE, SPARSE],
  ] as const) {
    const digest = nobleBlake3(message, KEYED);
    for (const { value } of await outcomesOf(() => pool.hash(message, KEYED), every)) {
      if (value) assert.deepEqual(value, digest);
    }
    assert.deepEqual(await pool.hash(message, KEYED), digest);
  }
  await pool.close();
}

async function allocateAndRelease(): Promise<void> {
  const pool = new Blake3Pool({ threads });
  // A list that had to grow could fail to, and lose what it was given.
  const given = new Array<Uint8Array | undefined>(SHIFTS.length * FRAMES).fill(undefined);
  let at = 0;
  await outcomesOf(() => {
    given[at++] = pool.allocate(KIB);
  });
  const blocks = given.flatMap((bytes) => bytes ?? []);
  for (const [i, bytes] of blocks.entries()) bytes.fill(i);
  for (const [i, bytes] of blocks.entries()) assert.equal(bytes[KIB - 1], i % 256);
  let released = 0;
  await outcomesOf(() => {
    if (released === blocks.length) return;
    pool.release(blocks[released] as Uint8Array);
    released++;
  });
  for (const bytes of blocks.slice(released)) pool.release(bytes);
  for (const bytes of blocks) assert.throws(() => pool.release(bytes), TypeError);
  if (threads > 0) {
    const buffers = new Set(blocks.map(({ buffer }) => buffer));
    assert.equal(buffers.size, blocks.length);
    for (const _ of blocks) assert(buffers.delete(pool.allocate(KIB).buffer));
  }
  await pool.close();
}

async function firstCalls(): Promise<void> {
  const pools: Blake3Pool[] = [];
  await outcomesOf(() => {
    const own = new Blake3Pool({ threads });
    if (pools.push(own) % 50 === 0) return own.allocate(KIB);
    return own.hash(MESSAGE.subarray(0, 10), { onProgress: () => {} });
  }, SPARSE);
  for (const own of pools.slice(0, 12)) {
    assert.deepEqual(await own.hash(MESSAGE, KEYED), KEYED_DIGEST);
    assert.equal(own.allocate(KIB).buffer instanceof SharedArrayBuffer, threads > 0);
    await own.close();
  }
}

async function close(): Promise<void> {
  const pools = Array.from({ length: (SHIFTS.length * FRAMES) / SPARSE }, () => new Blake3Pool({ threads }));
  let closed = 0;
  const outcomes = await outcomesOf(() => {
    const closing = (pools[closed] as Blake3Pool).close();
    closed++;
    // Once it has returned a promise, the pool closes.
    return [closing.then(() => true)];
  }, SPARSE);
  for (const { value } of outcomes) if (value) assert(await value[0]);
  assert(closed > 0);
  for (const own of pools.slice(0, closed)) await assert.rejects(own.hash(SHORT), /the pool is closed/);
  const digest = nobleBlake3(SHORT);
  for (const own of pools.slice(closed)) {
    assert.deepEqual(await own.hash(SHORT), digest);
    await own.close();
  }
}

// The first calls come first: what they make is there for the others.
for (const call of [firstCalls, hash, allocateAndRelease, close]) await call();
console.log("complete");
