// Each kind of source, short and long, on each kind of pool, and what may happen to a hash of it: beside a neighbour,
// after which the pool goes on and no file is open.
import fs from "node:fs";
import { setImmediate } from "node:timers/promises";
import { toHex } from "blake-simd";
import { outboardOf } from "blake-simd/bao";
import { Blake3Pool, type Blake3Source } from "blake-simd/parallel";
import { afterAll, describe, expect, it, vi } from "vitest";
import { detach, expectError } from "../support/errors.ts";
import { expectBytes } from "../support/messages.ts";
import { digestOf, KIB, MESSAGE, MIB, MODES, path, pool, SOURCES, withPool } from "../support/pool.ts";

const pools = [{ threads: 0 }, { threads: 2 }, { threads: 2, callingThread: true }].map((options) => ({
  options,
  own: new Blake3Pool(options),
}));
afterAll(() => Promise.all(pools.map(({ own }) => own.close())));

/** The files that pools open, and close. */
const opens = [vi.spyOn(fs, "openSync"), vi.spyOn(fs, "open")];
const closes = vi.spyOn(fs, "closeSync");
const opened = () => opens.reduce((sum, { mock }) => sum + mock.calls.length, 0);

interface Case {
  readonly own: Blake3Pool;
  readonly source: Blake3Source;
  readonly length: number;
  /** Undefined if it is not known before the end. */
  readonly total: number | undefined;
}

const REASON = { why: "tested" };

const events: Record<string, (given: Case) => Promise<void>> = {
  async "nothing, and each progress grows to the total"({ own, source, length, total }) {
    const seen: [number, number | undefined][] = [];
    const onProgress = (...progress: [number, number | undefined]): void => void seen.push(progress);
    expectBytes(await own.hash(source, { ...MODES.keyed, onProgress }), digestOf(length, "keyed"));
    const bytes = seen.map(([so]) => so);
    expect(bytes).toEqual([...new Set(bytes)].sort((a, b) => a - b));
    expect(bytes.at(-1)).toBe(length);
    // In Node, a Blob in memory is one chunk.
    if (length > MIB && !(source instanceof Blob)) expect(bytes.length).toBeGreaterThan(1);
    expect(new Set(seen.map(([, each]) => each))).toEqual(new Set([total]));
  },
  async "its progress throws"({ own, source }) {
    const onProgress = (): never => {
      throw REASON;
    };
    await expect(own.hash(source, { onProgress })).rejects.toBe(REASON);
  },
  async "an abort before it"({ own, source }) {
    const signal = AbortSignal.abort(REASON);
    for (const each of [source, { path: path("absent") }]) {
      await expect(own.hash(each, { signal })).rejects.toBe(REASON);
    }
  },
  async "an abort at its first progress"({ own, source, length }) {
    const controller = new AbortController();
    const onProgress = vi.fn(() => controller.abort(REASON));
    await expect(own.hash(source, { signal: controller.signal, onProgress })).rejects.toBe(REASON);
    await own.hash(MESSAGE.subarray(0, MIB));
    expect(onProgress).toHaveBeenCalledOnce();
    const [bytes] = onProgress.mock.calls[0] as unknown as [number];
    if (!(source instanceof Blob)) expect(bytes === length).toBe(length < MIB);
  },
  async "an abort at its last progress"({ own, source, length }) {
    const controller = new AbortController();
    const onProgress = (bytes: number): void => {
      if (bytes === length) controller.abort(REASON);
    };
    await expect(own.hash(source, { signal: controller.signal, onProgress })).rejects.toBe(REASON);
  },
  async "an abort at once"({ own, source }) {
    const controller = new AbortController();
    const onProgress = vi.fn();
    const hash = own.hash(source, { signal: controller.signal, onProgress });
    controller.abort(REASON);
    await expect(hash).rejects.toBe(REASON);
    await setImmediate();
    expect(onProgress.mock.calls.length).toBeLessThanOrEqual(1);
  },
  async "an abort after it, whose listeners are gone"({ own, source, length }) {
    const controller = new AbortController();
    const { signal } = controller;
    const [add, remove] = [vi.spyOn(signal, "addEventListener"), vi.spyOn(signal, "removeEventListener")];
    const digest = await own.hash(source, { signal });
    await Promise.resolve();
    const listeners = ({ mock }: typeof add | typeof remove) => mock.calls.map(([, listener]) => listener);
    expect(listeners(add).length).toBeGreaterThan(0);
    expect(new Set(listeners(remove))).toEqual(new Set(listeners(add)));
    controller.abort();
    expectBytes(digest, digestOf(length));
  },
};

/** Those that differ in more than how they are opened. */
const kinds = Object.entries(SOURCES).filter(([kind]) => !/URL| in |part|File/.test(kind));

describe.each(kinds)("%s", (_kind, make) => {
  it.each(Object.entries(events))("meets %s", async (_, event) => {
    for (const { own } of pools) {
      for (const length of [1000, 3 * MIB + 5]) {
        const neighbour = own.hash(MESSAGE.subarray(0, 2 * MIB), MODES.derive);
        const total = length;
        await event({ own, source: await make(MESSAGE.subarray(0, length), own), length, total });
        expectBytes(await neighbour, digestOf(2 * MIB, "derive"));
        expectBytes(await own.hash(MESSAGE.subarray(0, MIB)), digestOf(MIB));
      }
    }
  });

  it("meets a pool that is closed: it comes to its end, and others are refused", async () => {
    for (const { options } of pools) {
      for (const length of [0, 3 * MIB]) {
        const own = new Blake3Pool(options);
        const source = await make(MESSAGE.subarray(0, length), own);
        let digest = new Uint8Array(1);
        const hash = own.hash(source, { signal: new AbortController().signal }).then((value) => {
          digest = value;
        });
        const closed = own.close();
        expect(own.close()).toBe(closed);
        await expect(own.hash(source)).rejects.toThrow("Blake3Pool.hash: the pool is closed");
        expectError(() => own.allocate(1), Error, "Blake3Pool.allocate: the pool is closed");
        await closed;
        expectBytes(digest, digestOf(length));
        await hash;
      }
    }
  });
});

it("no file that a pool has opened is open", async () => {
  expect(opened()).toBeGreaterThan(0);
  await expect.poll(() => opened() - closes.mock.calls.length).toBe(0);
});

it("an abort at any time: the digest or the reason, nothing else", async () => {
  for (let i = 0; i < 40; i++) {
    const controller = new AbortController();
    const hash = pool.hash(MESSAGE, { signal: controller.signal });
    setTimeout(() => controller.abort("late"), i / 4);
    const outcome = await hash.then(toHex, (reason) => reason);
    expect(["late", toHex(digestOf(MESSAGE.length))]).toContain(outcome);
  }
});

it("a short message need not wait for a long one", async () => {
  const order: string[] = [];
  const long = pool.hash(new Uint8Array(Buffer.concat(Array(10).fill(MESSAGE)))).then(() => order.push("long"));
  const short = pool.hash(MESSAGE.subarray(0, MIB)).then(() => order.push("short"));
  await Promise.all([long, short]);
  expect(order).toEqual(["short", "long"]);
});

it.runIf(Symbol.asyncDispose)("`await using` closes a pool, one that has done nothing too", async () => {
  const own = new Blake3Pool({ threads: 1 });
  await own[Symbol.asyncDispose]();
  await expect(own.hash(new Uint8Array(1))).rejects.toThrow("the pool is closed");
});

describe("bytes that change while they are read: the right digest or an error that says so", () => {
  const uses: [string, number, (buffer: ArrayBuffer, own: Blake3Pool) => Promise<Uint8Array>][] = [
    ...[0, 1, 2].map((threads): (typeof uses)[number] => [
      "hashed",
      threads,
      (buffer, own) => own.hash(buffer, { onProgress: () => {} }),
    ]),
    ["made an outboard of", 2, async (buffer, own) => (await outboardOf(buffer, { pool: own })).root],
  ];

  it.each(uses)("%s with %i threads", async (_, threads, use) => {
    await withPool({ threads }, async (own) => {
      await own.hash(MESSAGE);
      // Turns of the event loop: before the bytes are read, and between the copies of parts.
      for (const turns of [0, 1, 5]) {
        for (const change of [detach, (buffer: ArrayBuffer) => buffer.resize(buffer.byteLength - 1)]) {
          for (const length of [100 * KIB, 3 * MIB]) {
            const buffer = new ArrayBuffer(length, { maxByteLength: 4 * MIB });
            new Uint8Array(buffer).set(MESSAGE.subarray(0, length));
            const outcome = use(buffer, own).catch((error) => error);
            for (let i = 0; i < turns; i++) await undefined;
            change(buffer);
            const result = await outcome;
            if (result instanceof Uint8Array) expectBytes(result, digestOf(length));
            else
              expect(`${result}`).toMatch(
                /^TypeError: Blake3Pool\.hash: source must .* (while it is hashed, got|buffer)/,
              );
          }
        }
      }
    });
  });
});
