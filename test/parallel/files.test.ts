// Files in a pool: those whose size is not the number of their bytes, and those that cannot be read or that change:
// each error says why and names the file, and none stays open.
import { openAsBlob, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import { outboardOf } from "blake-simd/bao";
import { Blake3Pool, type OpenFile } from "blake-simd/parallel";
import { afterEach, describe, expect, it, vi } from "vitest";
import { expectBytes } from "../support/messages.ts";
import { openFiles } from "../support/open-files.ts";
import { digestOf, fileOf, folder, handleOf, KIB, MESSAGE, MIB, path, pool, withPool } from "../support/pool.ts";

const file = fileOf(MESSAGE);
const LONG = Buffer.concat(Array(4).fill(MESSAGE));
const digestOfLong = nobleBlake3(LONG);

let handle: FileHandle | undefined;
afterEach(() => {
  vi.restoreAllMocks();
  return handle?.close().catch(() => {});
});

describe("a size that is not the number of bytes", () => {
  // None by its status, and some to read; and a device.
  const names = ["/proc/sys/kernel/ostype", "/dev/null"];

  it.runIf(process.platform === "linux").each(names)("%s", async (name) => {
    const wanted = nobleBlake3(readFileSync(name));
    const totals = new Set<unknown>();
    expectBytes(await pool.hash({ path: name }, { onProgress: (_, total) => totals.add(total) }), wanted);
    expect([...totals]).toEqual(name === "/dev/null" ? [] : [undefined]);
    handle = await open(name);
    expectBytes(await pool.hash(handle), wanted);
    await handle.close();
    expectBytes((await outboardOf({ path: name }, { pool })).root, wanted);
    await withPool({ threads: 0 }, async (own) => expectBytes(await own.hash({ path: name }), wanted));
    // Other test files run in threads of this process: none of them reads this one.
    if (name.startsWith("/proc")) expect(openFiles()).not.toContain(name);
  });

  it("a file of which nothing is on a disk is read on all threads", async () => {
    handle = await open(path("holes"), "w+");
    await handle.truncate(3 * MIB);
    const totals = new Set<unknown>();
    const digest = await pool.hash(handle, { onProgress: (_, total) => totals.add(total) });
    expectBytes(digest, nobleBlake3(new Uint8Array(3 * MIB)));
    expect([...totals]).toEqual([3 * MIB]);
  });
});

it("a handle is read from its start, and stays where it is", async () => {
  handle = await open(file);
  await handle.read(new Uint8Array(10), 0, 10, null);
  expectBytes(await pool.hash(handle), digestOf(MESSAGE.length));
  const { buffer } = await handle.read(new Uint8Array(1), 0, 1, null);
  expect([...buffer]).toEqual([MESSAGE[10]]);
});

it.each([3 * KIB, 2 * MIB + 5])("a file of %i bytes whose reads give fewer than they are asked for", async (length) => {
  const whole = handleOf(MESSAGE.subarray(0, length));
  const read: OpenFile["read"] = (target, at, most, position) =>
    whole.read(target, at, Math.min(most, 70_001), position);
  await withPool({ threads: 0 }, async (own) => expectBytes(await own.hash({ ...whole, read }), digestOf(length)));
});

it("absent ones, folders, and handles that have been closed", async () => {
  await expect(pool.hash({ path: path("absent") })).rejects.toMatchObject({ code: "ENOENT", path: path("absent") });
  await expect(pool.hash({ path: folder })).rejects.toMatchObject({ code: "EISDIR", path: folder });
  await expect(pool.hash({ path: folder })).rejects.toThrow(folder);
  handle = await open(file);
  await handle.close();
  await expect(pool.hash(handle)).rejects.toThrow();
});

it("in an engine that has no node:fs", async () => {
  const { getBuiltinModule } = process;
  vi.spyOn(process, "getBuiltinModule").mockImplementation(((name: string) =>
    name === "node:fs" ? undefined : getBuiltinModule(name)) as typeof getBuiltinModule);
  const text = "source must not be a file here: there is no process.getBuiltinModule";
  await expect(pool.hash({ path: file })).rejects.toEqual(new TypeError(`Blake3Pool.hash: ${text}`));
});

it.runIf(process.platform === "linux")(
  "ones whose hash is aborted while they are opened: they are closed",
  async () => {
    const name = fileOf(MESSAGE, "aborted");
    const outboards = new Blake3Pool({ threads: 1 });
    for (let turn = 0; turn < 60; turn++) {
      const controller = new AbortController();
      const { signal } = controller;
      const calls = [pool.hash({ path: name }, { signal }), outboardOf({ path: name }, { pool: outboards, signal })];
      const outcomes = calls.map((outcome) => outcome.catch((reason) => reason));
      for (let i = 0; i < turn; i++) await undefined;
      if (turn % 3 === 0) await new Promise((resolve) => setTimeout(resolve, turn % 2));
      controller.abort("enough");
      await Promise.all(outcomes);
    }
    await outboards.close();
    await vi.waitFor(() => expect(openFiles()).not.toContain(name), 120_000);
  },
);

/** What may become of a file, and of a handle of it, once a part of it has been read. */
const SHORTER = "the file became shorter while it was being hashed";
const accidents: Record<
  string,
  [accident: (name: string, file: FileHandle) => unknown, path: string | undefined, handle: string | undefined]
> = {
  "becomes shorter": [(name) => truncateSync(name, MIB), SHORTER, SHORTER],
  "loses its name": [(name) => rmSync(name), undefined, undefined],
  "is closed": [(_, own) => own.close(), undefined, "closed"],
};

describe.each(Object.entries(accidents))("a file that %s", (_, [accident, pathError, handleError]) => {
  it.each([0, 1, 2])("while it is hashed with %i threads", async (threads) => {
    await withPool({ threads }, async (own) => {
      for (const [byPath, wanted] of [
        [true, pathError],
        [false, handleError],
      ] as const) {
        const name = path("accident");
        writeFileSync(name, LONG);
        const other = await open(name);
        let reports = 0;
        const onProgress = (): void => {
          if (reports++ === 0) accident(name, other);
        };
        const error = await own.hash(byPath ? { path: name } : other, { onProgress }).then(
          (digest) => expectBytes(digest, digestOfLong),
          (reason) => reason,
        );
        if (wanted) expect(error.message).toContain(`${wanted}${byPath ? ` '${name}'` : ""}`);
        else expect(error).toBeUndefined();
        if (byPath && wanted) expect(error.path).toBe(name);
        expectBytes(await own.hash(MESSAGE), digestOf(MESSAGE.length));
        await other.close().catch(() => {});
      }
    });
  });
});

it("a Blob of a file that becomes shorter", async () => {
  for (const threads of [0, 2]) {
    const name = path("shrinking");
    writeFileSync(name, MESSAGE);
    const onProgress = (): void => truncateSync(name, MIB);
    const blob = await openAsBlob(name);
    await withPool({ threads }, (own) => expect(own.hash(blob, { onProgress })).rejects.toThrow());
  }
});

it.runIf(process.platform === "linux")("many at once: at most 64 are open", async () => {
  const short = MESSAGE.subarray(0, 5 * KIB);
  const names = Array.from({ length: 150 }, (_, i) =>
    fileOf(i % 3 === 0 ? MESSAGE.subarray(0, MIB) : short, `many-${i}`),
  );
  const isOneOf = new Set(names);
  let most = 0;
  const onProgress = (): void => {
    most = Math.max(most, openFiles().filter((name) => isOneOf.has(name)).length);
  };
  const digests = await Promise.all(names.map((name) => pool.hash({ path: name }, { onProgress })));
  for (const [i, digest] of digests.entries()) expectBytes(digest, digestOf(i % 3 === 0 ? MIB : short.length));
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(64);
});
