// hashFile of blake-simd/node: paths, handles, lengths and failures.
import { createHash as createNodeHash } from "node:crypto";
import fs, {
  createReadStream,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { pathToFileURL } from "node:url";
import { runInNewContext } from "node:vm";
import { blake2b, blake3 } from "blake-simd";
import { createHash, hashFile } from "blake-simd/node";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { openFiles } from "../support/open-files.ts";
import { bytes, forbidUnhandledRejections, nobleDigest, quiet, rejection, watched } from "../support/streams.ts";

forbidUnhandledRejections();

/** What node:fs takes for a URL. */
const urlParts = (pathname: string) => ({ href: `file://${pathname}`, protocol: "file:", hostname: "", pathname });

/** How often a file is open. Tests of other files run in the same process. */
const opened = (path: string): number => openFiles().filter((file) => file === path).length;

describe("hashFile", () => {
  const folder = mkdtempSync(join(tmpdir(), "blake-simd-"));
  const path = join(folder, "message");
  const message = bytes(3_000_000);
  const digest = nobleDigest(message);
  beforeAll(() => writeFileSync(path, message));
  afterAll(() => rmSync(folder, { recursive: true }));

  it("takes paths, URLs and names of algorithms", async () => {
    const foreign = runInNewContext("Uint8Array.from(bytes)", { bytes: Buffer.from(path) });
    for (const file of [path, Buffer.from(path), foreign, pathToFileURL(path)]) {
      expect(await hashFile(blake3, file)).toEqual(digest);
    }
    const theirDigest = createNodeHash("blake2b512").update(message).digest();
    expect(theirDigest.equals(await hashFile(blake2b, path))).toBe(true);
    expect(await hashFile(blake2b, path, { key: bytes(5), length: 9 })).toEqual(
      blake2b(message, { key: bytes(5), length: 9 }),
    );
  });

  it.each([0, 1, 1_048_575, 1_048_576, 1_048_577, 2_097_152])("reads %i bytes", async (size) => {
    const other = join(folder, `of-${size}`);
    writeFileSync(other, message.subarray(0, size));
    expect(await hashFile(blake3, other)).toEqual(nobleDigest(message.subarray(0, size)));
  });

  it("reads the whole of a handle's file, and leaves the handle as it was", async () => {
    const handle = await open(path);
    await handle.read(new Uint8Array(5), 0, 5, null);
    expect(await hashFile(blake3, handle)).toEqual(digest);
    const { buffer } = await handle.read(new Uint8Array(5), 0, 5, null);
    expect(buffer).toEqual(message.subarray(5, 10));
    await handle.close();
  });

  it("agrees with a stream of the file", async () => {
    const hash = createHash("blake3");
    await pipeline(createReadStream(path), hash);
    expect(hash.digest().equals(await hashFile(blake3, path))).toBe(true);
  });

  it("reads files that report no size, such as those of /proc", async () => {
    const handle = await open(path);
    const stat = async () => ({ isFile: () => true, size: 0 });
    const sizeless = { stat, read: handle.read.bind(handle) } as unknown as FileHandle;
    const totals = new Set<number | undefined>();
    expect(await hashFile(blake3, sizeless, { onProgress: (_, total) => totals.add(total) })).toEqual(digest);
    expect([...totals]).toEqual([undefined]);
    await handle.close();
  });

  it.each([
    [5, [6]],
    [1_048_575, [1_048_576]],
    [1_048_576, [1_048_576, 1_048_576]],
    [3_000_000, [1_048_576, 1_048_576, 1_048_576, 1_048_576]],
  ])("reads a file of %i bytes at once, or into a buffer of 1 MiB", async (size, asked) => {
    writeFileSync(join(folder, "sized"), message.subarray(0, size));
    const handle = await open(join(folder, "sized"));
    // By position: a read is made again if a byte of the file equals the random mark in its place.
    const lengths = new Map<number | null, number>();
    const read = (buffer: Uint8Array, offset: number, length: number, position: number | null) => {
      lengths.set(position, buffer.length);
      return handle.read(buffer, offset, length, position);
    };
    const file = { stat: handle.stat.bind(handle), read } as unknown as FileHandle;
    expect(await hashFile(blake3, file)).toEqual(nobleDigest(message.subarray(0, size)));
    expect([...lengths.values()]).toEqual(asked);
    await handle.close();
  });

  it.each([0, 1, 70_000])("reads a file that grows from %i bytes to its end, in large pieces", async (size) => {
    const grown = join(folder, "grows");
    writeFileSync(grown, message.subarray(0, size));
    const handle = await open(grown);
    let reads = 0;
    const file = {
      async stat() {
        const stats = await handle.stat();
        writeFileSync(grown, message);
        return stats;
      },
      read(...place: [Uint8Array, number, number, number]) {
        reads++;
        return handle.read(...place);
      },
    };
    expect(await hashFile(blake3, file as unknown as FileHandle)).toEqual(digest);
    expect(reads).toBeLessThan(50);
    await handle.close();
  });

  describe.runIf(process.platform === "linux")("reads a short file at once", () => {
    const short = join(folder, "short");
    const { fstatSync, readSync } = fs;
    // No read takes long, however busy the machine is, and none before it did.
    let now = performance.now() + 1e9;
    beforeEach(() => {
      vi.spyOn(performance, "now").mockImplementation(() => now);
      writeFileSync(short, message.subarray(0, 1000));
    });
    afterEach(() => {
      vi.restoreAllMocks();
    });
    /** Does something to the file between its status and its first read. */
    const meanwhile = (change: () => void) =>
      vi.spyOn(fs, "fstatSync").mockImplementationOnce(((fd: number) => {
        const status = fstatSync(fd);
        change();
        return status;
      }) as typeof fstatSync);

    /** How many reads there were. One that is made again, to confirm it, has the same target. */
    const countOf = (reads: { mock: { calls: unknown[][] } }) =>
      new Set(reads.mock.calls.map(([, target]) => target)).size;

    it("and closes it", async () => {
      const reads = vi.spyOn(fs, "readSync");
      const progress = vi.fn();
      expect(await hashFile(blake3, short)).toEqual(nobleDigest(message.subarray(0, 1000)));
      expect(await hashFile(blake3, short, { onProgress: progress })).toEqual(nobleDigest(message.subarray(0, 1000)));
      expect(progress.mock.calls).toEqual([[1000, 1000]]);
      expect([countOf(reads), opened(short)]).toEqual([2, 0]);
    });

    it("unless it grows: then to its end", async () => {
      meanwhile(() => writeFileSync(short, message));
      expect(await hashFile(blake3, short)).toEqual(digest);
      expect(opened(short)).toBe(0);
    });

    it("unless it becomes shorter: then what its size says when it is read", async () => {
      meanwhile(() => truncateSync(short, 10));
      expect(await hashFile(blake3, short)).toEqual(nobleDigest(message.subarray(0, 10)));
      expect(opened(short)).toBe(0);
    });

    it("unless that fails", async () => {
      vi.spyOn(fs, "readSync").mockImplementation(() => {
        throw new Error("tested");
      });
      expect(await hashFile(blake3, short)).toEqual(nobleDigest(message.subarray(0, 1000)));
    });

    it("unless the last read took long", async () => {
      const reads = vi.spyOn(fs, "readSync").mockImplementationOnce(((...place: Parameters<typeof readSync>) => {
        now += 20;
        return readSync(...place);
      }) as typeof readSync);
      const hash = async () => {
        expect(await hashFile(blake3, short)).toEqual(nobleDigest(message.subarray(0, 1000)));
        return countOf(reads);
      };
      const counts = [await hash(), await hash()];
      // 20 times as long as it took.
      for (const later of [399, 1]) {
        now += later;
        counts.push(await hash());
      }
      expect(counts).toEqual([1, 1, 1, 2]);
    });
  });

  it("refuses a file that becomes shorter, by its name", async () => {
    const shrinking = join(folder, "shrinks");
    const expected =
      /^hashFile: the file became shorter while it was being hashed: expected 3000000 bytes, got 1048576/;
    const files = [shrinking, Uint8Array.from(Buffer.from(shrinking)) as Buffer, pathToFileURL(shrinking)];
    for (const file of files) {
      writeFileSync(shrinking, message);
      const shrink = () => truncateSync(shrinking, 1_048_576);
      const error = (await rejection(hashFile(blake3, file, { onProgress: shrink }))) as NodeJS.ErrnoException;
      expect(error.message).toMatch(expected);
      expect(error.message).toContain("shrinks'");
      expect(error.path).toContain("shrinks");
    }
    writeFileSync(shrinking, message);
    const handle = await open(shrinking);
    const onProgress = () => truncateSync(shrinking, 1_048_576);
    expect(((await rejection(hashFile(blake3, handle, { onProgress }))) as Error).message).toMatch(expected);
    // One without blocks, as those of /sys are.
    truncateSync(shrinking, 0);
    truncateSync(shrinking, 3_000_000);
    expect(((await rejection(hashFile(blake3, handle, { onProgress }))) as Error).message).toMatch(expected);
    await handle.close();
  });

  it.runIf(existsSync("/sys/kernel/uevent_seqnum"))("reads a file of /sys, which is shorter than it says", async () => {
    const name = "/sys/kernel/uevent_seqnum";
    expect(await hashFile(blake3, name)).toEqual(nobleDigest(readFileSync(name)));
  });

  it.each<[string, object, string]>([
    ["nothing read", { read: async () => undefined }, "bytesRead must be a number, got undefined"],
    ["no number of bytes read", { read: async () => ({}) }, "bytesRead must be a number, got undefined"],
    ["NaN bytes read", { read: async () => ({ bytesRead: Number.NaN }) }, "bytesRead must be an integer from 0 to"],
    ["half a byte read", { read: async () => ({ bytesRead: 0.5 }) }, "bytesRead must be an integer from 0 to"],
    ["less than nothing read", { read: async () => ({ bytesRead: -1 }) }, "bytesRead must be an integer from 0 to"],
    ["more read than asked", { read: async () => ({ bytesRead: 65_537 }) }, "bytesRead must be an integer from 0 to"],
    ["no status", { stat: async () => undefined }, "stat() must be a file's status, got undefined"],
    [
      "a size that is none",
      { stat: async () => ({ size: "5", isFile: () => true }) },
      "size must be a number or a bigint, got a",
    ],
  ])("refuses a handle with %s", async (_, own, text) => {
    const handle = {
      stat: async () => ({ size: 5, isFile: () => true }),
      read: async () => ({ bytesRead: 0 }),
      ...own,
    };
    const error = (await rejection(hashFile(blake3, handle as never))) as Error;
    expect(error.message).toContain(`hashFile: ${text}`);
  });

  it.each<[string, () => unknown]>([
    ["a ReadStream", () => createReadStream(path).on("error", () => {})],
    ["a web stream", () => new Blob([message]).stream()],
    ["a Blob", () => new Blob([message])],
    ["a File", () => new File([message], path)],
    ["a Response", () => new Response("x")],
    ["an object with a path", () => ({ path })],
    ["an object with the members of a URL", () => urlParts(path)],
  ])("refuses %s, and says what hashes it", async (_, make) => {
    const file = make();
    const error = await rejection(hashFile(blake3, file as string));
    expect(error).toMatchObject({ name: "TypeError", code: "ERR_INVALID_ARG_TYPE" });
    expect((error as Error).message).toMatch(
      /^hashFile: file must be a path, a file: URL or a FileHandle, got an object \(\w+\): digestOf of blake-simd\/streams hashes/,
    );
    (file as { destroy?(): void }).destroy?.();
  });

  it("reads a pipe to its end", async () => {
    const handle = await open(path);
    const stat = async () => ({ isFile: () => false, size: 0 });
    const read = (buffer: Uint8Array, offset: number, _length: number, position: number | null) => {
      expect(position).toBe(null);
      return handle.read(buffer, offset, 1000, null);
    };
    expect(await hashFile(blake3, { stat, read } as unknown as FileHandle)).toEqual(digest);
    await handle.close();
  });

  it.runIf(process.platform === "linux")("closes the files that it opened", async () => {
    const handle = await open(path);
    expect(opened(path)).toBe(1);
    await hashFile(blake3, path);
    const onProgress = () => {
      throw new Error("enough");
    };
    await rejection(hashFile(blake3, path, { onProgress }));
    await quiet();
    expect(opened(path)).toBe(1);
    await handle.close();
  });

  it("reports its progress", async () => {
    const calls: [number, number | undefined][] = [];
    await hashFile(blake3, path, { onProgress: (...call) => calls.push(call) });
    expect(calls).toEqual([
      [1_048_576, 3_000_000],
      [2_097_152, 3_000_000],
      [3_000_000, 3_000_000],
    ]);
    const short = join(folder, "one-byte");
    writeFileSync(short, "a");
    calls.length = 0;
    await hashFile(blake3, short, { onProgress: (...call) => calls.push(call) });
    expect(calls).toEqual([[1, 1]]);
  });

  it("stops at the signal, and closes the file", async () => {
    const reason = new Error("enough");
    const handle = await open(path);
    const controller = new AbortController();
    const { algorithm, disposed } = watched();
    const stopped = hashFile(algorithm, handle, {
      signal: controller.signal,
      onProgress: () => controller.abort(reason),
    });
    expect(await rejection(stopped)).toBe(reason);
    expect(disposed()).toBe(true);
    await quiet();
    await handle.close();
    expect(await rejection(hashFile(blake3, path, { signal: AbortSignal.abort(reason) }))).toBe(reason);
  });

  it.each([
    ["no such file", () => hashFile(blake3, join(folder, "nope")), { code: "ENOENT" }],
    ["a folder", () => hashFile(blake3, folder), { code: "EISDIR" }],
    ["no path", () => hashFile(blake3, 5 as unknown as string), { code: "ERR_INVALID_ARG_TYPE" }],
    ["a name for an algorithm", () => hashFile("blake3" as never, path), { name: "TypeError" }],
    ["no algorithm", () => hashFile(undefined as never, path), { name: "TypeError" }],
    ["a wrong length", () => hashFile(blake2b, path, { length: 65 }), { name: "RangeError" }],
    ["an unknown option", () => hashFile(blake3, path, { nope: 1 } as object), { name: "TypeError" }],
  ])("rejects for %s", async (_, act, error) => {
    expect(await rejection(act())).toMatchObject(error);
  });
});
