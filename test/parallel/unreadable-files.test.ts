// Files that cannot be read, in a pool: each error says why and names the file, and none stays open.
import { openAsBlob, rmSync, truncateSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { outboardOf } from "blake-simd/bao";
import { Blake3Pool } from "blake-simd/parallel";
import { afterEach, expect, it, vi } from "vitest";
import { expectBytes } from "../support/messages.ts";
import { digestOf, MESSAGE, MIB, openFiles, poolAndFolder, withPool } from "../support/pool.ts";

const { pool, folder, path } = poolAndFolder();

let handle: Awaited<ReturnType<typeof open>> | undefined;
afterEach(() => {
  vi.restoreAllMocks();
  return handle?.close().catch(() => {});
});

it("absent ones, and folders", async () => {
  const absent = path("absent");
  await expect(pool.hash({ path: absent })).rejects.toMatchObject({ code: "ENOENT", path: absent });
  await expect(pool.hash({ path: folder })).rejects.toMatchObject({ code: "EISDIR", path: folder });
  await expect(pool.hash({ path: folder })).rejects.toThrow(folder);
});

it.each([0, 2])("ones that become shorter, and Blobs of them, with %i threads", async (threads) => {
  const name = path("shrinking");
  await withPool({ threads }, async (own) => {
    const onProgress = (): void => truncateSync(name, MIB);
    writeFileSync(name, Buffer.concat(Array(4).fill(MESSAGE)));
    const error = await own.hash({ path: name }, { onProgress }).catch((reason) => reason);
    expect(error.message).toBe(`Blake3Pool.hash: the file became shorter while it was being hashed '${name}'`);
    expect(error.path).toBe(name);
    writeFileSync(name, MESSAGE);
    await expect(own.hash(await openAsBlob(name), { onProgress })).rejects.toThrow();
  });
});

it("Blobs that give fewer bytes than they say", async () => {
  for (const size of [1000, 3 * MIB]) {
    const blob = { size, slice: () => new Blob(["abc"]), arrayBuffer: () => new Blob(["abc"]).arrayBuffer() };
    await expect(pool.hash(blob as never)).rejects.toThrow("the Blob changed while it was being hashed");
  }
});

it.each(["node:fs", "node:url", "node:net"])("in an engine that has no %s", async (missing) => {
  const { getBuiltinModule } = process;
  vi.spyOn(process, "getBuiltinModule").mockImplementation(((name: string) =>
    name === missing ? undefined : getBuiltinModule(name)) as typeof getBuiltinModule);
  const error = await pool.hash({ path: path("message") }).catch((reason) => reason);
  const text = "source must not be a file here: there is no process.getBuiltinModule";
  expect(error).toEqual(new TypeError(`Blake3Pool.hash: ${text}`));
});

it("ones whose reads fail: the error has the system's words, and the file's name once", async () => {
  handle = await open(path("message"));
  const trouble = Object.assign(new Error("EIO: i/o error, read"), { code: "EIO" });
  vi.spyOn(Object.getPrototypeOf(handle), "read").mockRejectedValue(trouble);
  const error = await withPool({ threads: 0 }, (own) => own.hash({ path: path("message") })).catch((reason) => reason);
  expect(error).toBe(trouble);
  expect(error).toMatchObject({ code: "EIO", path: path("message") });
  expect(error.message).toBe(`EIO: i/o error, read '${path("message")}'`);
});

it("ones whose state cannot be read: they are closed", async () => {
  handle = await open(path("message"));
  const stat = vi.spyOn(Object.getPrototypeOf(handle), "stat").mockRejectedValue(new Error("tested"));
  const outcome = await pool.hash({ path: path("message") }).catch((reason) => reason);
  const files = stat.mock.contexts as (typeof handle)[];
  expect(outcome).toMatchObject({ message: "tested", path: path("message") });
  expect(files.map((file) => file.fd)).toEqual([-1]);
});

it.runIf(process.platform === "linux")(
  "ones whose hash is aborted while they are opened: they are closed",
  async () => {
    const name = path("aborted");
    writeFileSync(name, MESSAGE);
    const outboards = new Blake3Pool({ threads: 1 });
    for (let turn = 0; turn < 60; turn++) {
      const controller = new AbortController();
      const { signal } = controller;
      const outcomes = [
        pool.hash({ path: name }, { signal }),
        outboardOf({ path: name }, { pool: outboards, signal }),
      ].map((outcome) => outcome.catch((reason) => reason));
      for (let i = 0; i < turn; i++) await undefined;
      if (turn % 3 === 0) await new Promise((resolve) => setTimeout(resolve, turn % 2));
      controller.abort("enough");
      await Promise.all(outcomes);
    }
    await outboards.close();
    await vi.waitFor(() => expect(openFiles()).not.toContain(name), 120_000);
  },
);

it("ones that somebody closes", async () => {
  handle = await open(path("message"));
  await handle.close();
  await expect(pool.hash(handle)).rejects.toThrow();
});

it.each([0, 1, 2])("ones that somebody closes while they are hashed, with %i threads", async (threads) => {
  const name = path("closed");
  writeFileSync(name, Buffer.concat(Array(4).fill(MESSAGE)));
  await withPool({ threads }, async (own) => {
    const file = await open(name);
    const onProgress = (): void => void file.close();
    await expect(own.hash(file, { onProgress })).rejects.toThrow(
      "Blake3Pool.hash: source must stay open while it is hashed, got a file that has been closed",
    );
    expectBytes(await own.hash(MESSAGE), digestOf(MESSAGE.length));
  });
});

it("but not ones that lose their name", async () => {
  const name = path("unlinked");
  writeFileSync(name, MESSAGE);
  let gone = false;
  const onProgress = (): void => {
    if (!gone) rmSync(name);
    gone = true;
  };
  expectBytes(await pool.hash({ path: name }, { onProgress }), digestOf(MESSAGE.length));
});
