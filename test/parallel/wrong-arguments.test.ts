// What a pool refuses: wrong options and sources, and files that cannot be read.
import { openAsBlob, readdirSync, readlinkSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { outboardOf } from "blake-simd/bao";
import { Blake3Pool, type Blake3PoolHashOptions, type Blake3Source } from "blake-simd/parallel";
import { afterEach, describe, expect, it, vi } from "vitest";
import { detach, type ErrorKind, expectError, notBytes } from "../support/errors.ts";
import { expectBytes } from "../support/messages.ts";
import { digestOf, MESSAGE, MIB, poolAndFolder, withPool } from "../support/pool.ts";

const { pool, folder, path } = poolAndFolder();

describe("what is refused", () => {
  const refused = async (source: unknown, options: object | undefined, kind: ErrorKind, ...words: string[]) => {
    const error = await pool.hash(source as Blake3Source, options as Blake3PoolHashOptions).catch((reason) => reason);
    expectError(
      () => {
        throw error;
      },
      kind,
      ...words,
    );
  };

  it("sources of no kind", async () => {
    for (const [value, got] of notBytes) {
      if (!(value instanceof Blob)) await refused(value, undefined, TypeError, "Blake3Pool.hash:", "must be", got);
    }
    await refused({ path: 5 }, undefined, TypeError, "Blake3Pool.hash: path must be", "number 5");
    await refused(new URL("https://example.com/"), undefined, TypeError, "file");
    await refused(detach(new ArrayBuffer(MIB)), undefined, TypeError, "Blake3Pool.hash:", "detached");
    const view = new Uint8Array(MIB);
    detach(view.buffer);
    await refused(view, undefined, TypeError, "Blake3Pool.hash:", "detached");
  });

  it("options", async () => {
    for (const source of ["a", MESSAGE]) {
      await refused(source, { size: 1 }, TypeError, "Blake3Pool.hash: options may be length, key, context", '"size"');
      await refused(source, { key: new Uint8Array(31) }, RangeError, "Blake3Pool.hash: key must have 32 bytes, got 31");
      await refused(source, { key: new Uint8Array(32), context: "" }, TypeError, "Blake3Pool.hash: key and context");
      await refused(source, { length: -1 }, RangeError, "Blake3Pool.hash: length", "got -1");
      await refused(source, { signal: 1 }, TypeError, "Blake3Pool.hash: signal must be an AbortSignal, got number 1");
      await refused(
        source,
        { onProgress: 1 },
        TypeError,
        "Blake3Pool.hash: onProgress must be a function, got number 1",
      );
    }
  });

  it("options and sources whose getters throw", async () => {
    class Odd extends Uint8Array {
      override get length(): number {
        throw new RangeError("tested");
      }
    }
    const trap = new Proxy({}, { has: () => expect.fail("tested"), ownKeys: () => expect.fail("tested") });
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    for (const source of ["a", MESSAGE]) {
      for (const options of [trap, proxy]) {
        const outcome = pool.hash(source, options);
        await expect(outcome).rejects.toThrow();
      }
    }
    const outcome = pool.hash(new Odd(10));
    await expect(outcome).rejects.toThrow("tested");
  });

  it("digests too long to be allocated, before anything is read", async () => {
    for (const source of ["a", MESSAGE, { path: path("message") }, new Blob([MESSAGE])]) {
      await refused(source, { length: 2 ** 40 }, RangeError, "Blake3Pool.hash: length", "can be allocated, got number");
    }
  });

  it("options that are no object", async () => {
    for (const source of ["a", MESSAGE]) {
      await refused(source, null as never, TypeError, "Blake3Pool.hash: options must be a plain object, got null");
      await refused(source, 5 as never, TypeError, "Blake3Pool.hash: options must be a plain object, got number 5");
    }
  });

  it("numbers of threads", () => {
    expectError(() => new Blake3Pool({ threads: 1025 }), RangeError, "Blake3Pool: threads", "0 to 1024", "1025");
    expectError(() => new Blake3Pool({ threads: 1.5 }), RangeError, "Blake3Pool: threads", "1.5");
    expectError(() => new Blake3Pool({ threads: "2" as never }), TypeError, "Blake3Pool: threads", "string");
    expectError(() => new Blake3Pool({ workers: 2 } as never), TypeError, "Blake3Pool: options", '"workers"');
    expectError(() => new Blake3Pool(2 as never), TypeError, "Blake3Pool: options", "number 2");
  });

  it.each([-1, 1])("bytes the number of which changes by %i", async (change) => {
    for (const Kind of change > 0 ? [ArrayBuffer, SharedArrayBuffer] : [ArrayBuffer]) {
      const buffer = new Kind(3 * MIB, { maxByteLength: 4 * MIB });
      const hash = pool.hash(new Uint8Array(buffer));
      if (buffer instanceof ArrayBuffer) buffer.resize(3 * MIB + change);
      else buffer.grow(3 * MIB + change);
      const got = `got ${3 * MIB + change}`;
      await expect(hash).rejects.toThrow(
        `Blake3Pool.hash: source must keep its ${3 * MIB} bytes while it is hashed, ${got}`,
      );
    }
  });

  it("bytes that go away while they are hashed", async () => {
    const buffer = MESSAGE.slice().buffer;
    const hash = pool.hash(buffer);
    detach(buffer);
    await expect(hash).rejects.toThrow(
      `Blake3Pool.hash: source must keep its ${MESSAGE.length} bytes while it is hashed, got 0`,
    );
  });
});

describe("files that cannot be read", () => {
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

  it.each([0, 2])("ones that become shorter, with %i threads", async (threads) => {
    const name = path("shrinking");
    await withPool({ threads }, async (own) => {
      writeFileSync(name, Buffer.concat(Array(4).fill(MESSAGE)));
      const shrink = (): void => truncateSync(name, MIB);
      const error = await own.hash({ path: name }, { onProgress: shrink }).catch((reason) => reason);
      // Whoever names the file, as the command does, names it once.
      expect(error.message).toBe("the file became shorter while it was being hashed");
      expect(error.path).toBe(name);
    });
  });

  it.each([0, 2])("Blobs of files that become shorter, with %i threads", async (threads) => {
    const name = path("shrinking blob");
    await withPool({ threads }, async (own) => {
      writeFileSync(name, MESSAGE);
      const blob = await openAsBlob(name);
      const shrink = (): void => truncateSync(name, MIB);
      await expect(own.hash(blob, { onProgress: shrink })).rejects.toThrow();
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
    const error = await withPool({ threads: 0 }, (own) => own.hash({ path: path("message") })).catch(
      (reason) => reason,
    );
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
      await vi.waitFor(() => {
        const open = readdirSync("/proc/self/fd").flatMap((descriptor) => {
          try {
            return readlinkSync(`/proc/self/fd/${descriptor}`);
          } catch {
            return [];
          }
        });
        expect(open).not.toContain(name);
      }, 5000);
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
});
