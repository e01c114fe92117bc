// The contract of sources: each kind, by each call that reads it, in chunks of every size, whose writer uses its memory
// again as soon as it may, beside another live hasher. Calls of a kind share its long messages; with SOURCES_CHUNKS=4,
// each reads all of up to so many chunks. SOURCES_SEED repeats a sample.
import { blake3 as noble } from "@noble/hashes/blake3.js";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { pool, reads, settled } from "../support/reads.ts";
import { expectedOf, Feed, kinds, messageOf, neighbour, open, wholes } from "../support/sources.ts";
import { forbidUnhandledRejections } from "../support/streams.ts";

const SIZES = [0, 1, 1024, 1025, 65536];
const CHUNKS = Number(process.env.SOURCES_CHUNKS ?? 2);
const SEED = Number(process.env.SOURCES_SEED ?? 1);
const SAMPLES = 40;

forbidUnhandledRejections();
afterAll(() => pool.close());

let state = SEED;
/** A linear congruential generator: the next number below a bound. */
function random(below: number): number {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
}

/** Every message of so many chunks. */
const product = (chunks: number): number[][] =>
  chunks === 0 ? [[]] : product(chunks - 1).flatMap((sizes) => SIZES.map((size) => [...sizes, size]));

/** Every message of fewer chunks. */
const short = Array.from({ length: CHUNKS }, (_, chunks) => product(chunks)).flat();
const sampled = Array.from({ length: SAMPLES }, () =>
  Array.from({ length: CHUNKS + 1 + random(4) }, () => SIZES[random(SIZES.length)]!),
);
const isAll = process.env.SOURCES_CHUNKS !== undefined;

afterEach(() => {
  const message = Uint8Array.from({ length: neighbour.steps }, (_, i) => i);
  expect(neighbour.hasher.digest()).toEqual(noble(message));
  neighbour.hasher.reset();
  neighbour.steps = 0;
});

describe.each(Object.entries(kinds).map(([name, kind], turn) => [name, kind, turn] as const))(
  "%s",
  (name, kind, turn) => {
    const calls = Object.entries(reads).filter(([, { takes }]) => takes.includes(kind.group));

    // What is whole has no chunks, and in memory of their own they do not meet.
    const isApart = name in wholes || (kind.memory === "own" && !isAll);
    const long = isApart ? sampled : [...product(CHUNKS), ...sampled];

    it.each(calls.map(([call, { run }], at) => [call, run, at] as const))("%s", async (_, run, at) => {
      const own = long.filter((_, i) => isAll || (i + turn) % calls.length === at);
      const list = name in wholes ? [...product(1), ...product(2)] : [...short, ...own];
      for (const sizes of list) {
        const digest = expectedOf(sizes);
        const source = await open(kind, new Feed(sizes));
        const got = await settled(run(source, {}, { digest, message: messageOf(sizes) })).catch((error) => error);
        const where = `chunks of ${sizes}, SOURCES_SEED=${SEED}`;
        if (!(got instanceof Uint8Array)) throw new Error(`${where}: ${got}`, { cause: got });
        if (Buffer.compare(got, digest)) throw new Error(`${where}: a wrong digest`);
        if (source instanceof ReadableStream && source.locked) throw new Error(`${where}: the stream is locked`);
        if (kind.group === "body" && !(source as Response).bodyUsed) throw new Error(`${where}: bodyUsed is false`);
      }
    });
  },
);
