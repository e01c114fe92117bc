// What a pool refuses: wrong options and sources, and what objects of a caller claim.
import { Blake3Pool, type Blake3Source } from "blake-simd/parallel";
import { describe, expect, it } from "vitest";
import { detach, type ErrorKind, expectError, notBytes } from "../support/errors.ts";
import { expectBytes } from "../support/messages.ts";
import { digestOf, MESSAGE, MIB, MODES, path, pool } from "../support/pool.ts";

const TWO = MESSAGE.subarray(0, 2 * MIB);

/** Expects what need not be a source to be refused. */
async function expectRefusal(source: unknown, options: unknown, kind: ErrorKind, ...words: string[]): Promise<void> {
  const error = await pool.hash(source as Blake3Source, options as object).catch((reason) => reason);
  expectError(
    () => {
      throw error;
    },
    kind,
    ...words,
  );
}

describe("options", () => {
  it.each<[unknown, ErrorKind, ...string[]]>([
    [{ size: 1 }, TypeError, 'unknown option "size"; did you mean "length"?'],
    [{ key: new Uint8Array(31) }, RangeError, "key must have 32 bytes, got 31"],
    [{ key: new Uint8Array(32), context: "" }, TypeError, "pass either key or context, not both"],
    [{ length: 2 ** 40 }, RangeError, "length", "can be allocated, got number"],
    [{ signal: 1 }, TypeError, "signal must be an AbortSignal, got a number"],
    [{ onProgress: 1 }, TypeError, "onProgress must be a function, got a number"],
    [null, TypeError, "options must be a plain object, got null"],
  ])("%o are refused before anything is read", async (options, kind, ...words) => {
    for (const source of [new Uint8Array(1), MESSAGE, { path: path("absent") }, new Blob([MESSAGE])]) {
      await expectRefusal(source, options, kind, "Blake3Pool.hash: ", ...words);
    }
  });

  it("whose getters throw reject, and those of a prototype count", async () => {
    const trap = new Proxy({}, { has: () => expect.fail("tested"), ownKeys: () => expect.fail("tested") });
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const inherited = Object.create({ key: MODES.keyed.key });
    for (const length of [1000, MESSAGE.length]) {
      const bytes = MESSAGE.subarray(0, length);
      for (const options of [trap, proxy]) await expect(pool.hash(bytes, options)).rejects.toThrow();
      expectBytes(await pool.hash(bytes, inherited), digestOf(length, "keyed"));
    }
  });

  it("a key is copied, and checked as it was copied", async () => {
    const key = new Uint8Array(new SharedArrayBuffer(32, { maxByteLength: 64 }));
    key.set(MODES.keyed.key);
    const hash = pool.hash(TWO, { key });
    (key.buffer as SharedArrayBuffer).grow(64);
    key.fill(0);
    expectBytes(await hash, digestOf(2 * MIB, "keyed"));
    await expectRefusal(TWO, { key }, RangeError, "Blake3Pool.hash: key must have 32 bytes, got 64");
  });

  it("of the pool: its number of threads", () => {
    expectError(() => new Blake3Pool({ threads: 1025 }), RangeError, "Blake3Pool: threads", "0 to 1024", "1025");
    expectError(() => new Blake3Pool({ workers: 2 } as never), TypeError, 'Blake3Pool: unknown option "workers"');
  });
});

it("a value of another kind, or bytes that have gone, are no source", async () => {
  for (const [value, got] of notBytes) {
    if (!(value instanceof Blob)) await expectRefusal(value, undefined, TypeError, "Blake3Pool.hash:", "must be", got);
  }
  await expectRefusal({ path: 5 }, undefined, TypeError, "Blake3Pool.hash: path must be", "a number");
  await expectRefusal(new URL("https://example.com/"), undefined, TypeError, "file");
  const [view, name] = [new Uint8Array(MIB), new Uint8Array(5)];
  for (const { buffer } of [view, name]) detach(buffer);
  for (const source of [detach(new ArrayBuffer(MIB)), view, { path: name }]) {
    await expectRefusal(source, undefined, TypeError, "Blake3Pool.hash:", "must be");
  }
});

describe("what an object of the caller's says", () => {
  it("growable buffers: the bytes that there were when they were passed", async () => {
    for (const Kind of [ArrayBuffer, SharedArrayBuffer]) {
      const buffer = new Kind(2 * MIB, { maxByteLength: 4 * MIB });
      new Uint8Array(buffer).set(TWO);
      const hash = pool.hash(new Uint8Array(buffer));
      if (buffer instanceof ArrayBuffer) buffer.resize(4 * MIB);
      else buffer.grow(4 * MIB);
      new Uint8Array(buffer).fill(255, 2 * MIB);
      expectBytes(await hash, digestOf(2 * MIB));
    }
  });
});
