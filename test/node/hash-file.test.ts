// hashFile of blake-simd/node: paths, handles, lengths and failures.
import { createHash as createNodeHash } from "node:crypto";
import { createReadStream, existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { pathToFileURL } from "node:url";
import { runInNewContext } from "node:vm";
import { blake2b, blake3 } from "blake-simd";
import { createHash, hashFile } from "blake-simd/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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

  it("refuses a handle whose file loses its last byte", async () => {
    const name = join(folder, "loses");
    writeFileSync(name, message.subarray(0, 1000));
    const handle = await open(name);
    const stat = async () => {
      const status = await handle.stat();
      truncateSync(name, 999);
      return status;
    };
    const file = { stat, read: handle.read.bind(handle) } as unknown as FileHandle;
    await expect(hashFile(blake3, file)).rejects.toThrow("expected 1000 bytes, got 999");
    await handle.close();
  });

  it("refuses a file that becomes shorter, by its name", async () => {
    const shrinking = join(folder, "shrinks");
    const expected =
      /^hashFile: the file became shorter while it was being hashed: expected 3000000 bytes, got 1052672/;
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
    await handle.close();
  });

  it.runIf(existsSync("/sys/kernel/uevent_seqnum"))("reads a file of /sys, which is shorter than it says", async () => {
    const name = "/sys/kernel/uevent_seqnum";
    expect(await hashFile(blake3, name)).toEqual(nobleDigest(readFileSync(name)));
  });

  it.each<[string, object, string]>([
    ["no number of bytes read", { read: async () => ({}) }, "bytesRead must be a number, got undefined"],
    ["NaN bytes read", { read: async () => ({ bytesRead: Number.NaN }) }, "bytesRead must be an integer from 0 to"],
    ["half a byte read", { read: async () => ({ bytesRead: 0.5 }) }, "bytesRead must be an integer from 0 to"],
    ["less than nothing read", { read: async () => ({ bytesRead: -1 }) }, "bytesRead must be an integer from 0 to"],
    ["more read than asked", { read: async () => ({ bytesRead: 65_537 }) }, "bytesRead must be an integer from 0 to"],
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
      [1_052_672, 3_000_000],
      [2_105_344, 3_000_000],
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
