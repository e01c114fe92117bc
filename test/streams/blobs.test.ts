// Blobs: read as streams; by browsers' pools in slices.
import { openAsBlob } from "node:fs";
import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { blake3 as noble } from "@noble/hashes/blake3.js";
import { blake3 } from "blake-simd";
import { outboardOf } from "blake-simd/bao";
import { Blake3Pool } from "blake-simd/parallel";
import { digestOf } from "blake-simd/streams";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { pattern } from "../support/messages.ts";
import { rejection } from "../support/streams.ts";

const message = new Uint8Array(pattern(2_500_005));
const pool = new Blake3Pool({ threads: 2 });
const hex = (digest: Uint8Array) => Buffer.from(digest).toString("hex");
const wanted = (bytes: Uint8Array) => hex(noble(bytes));

/** Each way to hash a Blob. */
const ways: Record<string, (blob: Blob) => Promise<Uint8Array>> = {
  digestOf: (blob) => digestOf(blake3, blob),
  "Blake3Pool.hash": (blob) => pool.hash(blob),
  outboardOf: async (blob) => (await outboardOf(blob)).root,
  "outboardOf with a pool": async (blob) => (await outboardOf(blob, { pool })).root,
};

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "blake-simd-blobs-"));
});
afterAll(async () => {
  await pool.close();
  await rm(folder, { recursive: true });
});

describe.each(Object.entries(ways))("%s", (_, hash) => {
  it.each([0, 1, 65_536, 65_537, message.length])("a Blob of %i bytes", async (length) => {
    const bytes = message.subarray(0, length);
    expect(hex(await hash(new Blob([bytes])))).toBe(wanted(bytes));
    expect(hex(await hash(new File(["--", bytes, new Blob(["-"])], "name").slice(2, -1)))).toBe(wanted(bytes));
  });

  it("a file, which fails if it changes or is gone", async () => {
    const path = join(folder, "file");
    await writeFile(path, message);
    const blob = await openAsBlob(path);
    expect(hex(await hash(blob))).toBe(wanted(message));
    expect(hex(await hash(blob.slice(5, 2_000_000)))).toBe(wanted(message.subarray(5, 2_000_000)));
    await truncate(path, 1_000_000);
    await expect(hash(blob)).rejects.toThrow("could not be read");
    await rm(path);
    await expect(hash(blob)).rejects.toThrow("could not be read");
  });
});

describe("in a browser", () => {
  beforeAll(() => void vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined));
  afterAll(() => void vi.restoreAllMocks());

  it("long Blobs are read into one buffer, beside each other", async () => {
    const getReader = vi.spyOn(ReadableStream.prototype, "getReader");
    const other = message.map((byte) => byte ^ 1);
    const digests = await Promise.all([message, other].map((bytes) => digestOf(blake3, new Blob([bytes]))));
    expect(digests.map(hex)).toEqual([message, other].map(wanted));
    expect(getReader.mock.calls).toEqual([[{ mode: "byob" }], [{ mode: "byob" }]]);
    getReader.mockRestore();
  });

  it("a signal stops the read", async () => {
    const controller = new AbortController();
    const reason = new Error("enough");
    const onProgress = () => controller.abort(reason);
    const stopped = digestOf(blake3, new Blob([message]), { signal: controller.signal, onProgress });
    expect(await rejection(stopped)).toBe(reason);
  });

  it("the stream of a polyfill may be one of other chunks", async () => {
    const blob = new Blob([message]);
    Object.assign(blob, { stream: () => new Response(message).body?.pipeThrough(new TransformStream()) });
    expect(hex(await digestOf(blake3, blob))).toBe(wanted(message));
  });
});

it("a file of 4 GiB or more is streamed in Node, where its size is too small", async () => {
  const path = join(folder, "large");
  await writeFile(path, message);
  await truncate(path, 2 ** 32 + 100_000);
  const blob = await openAsBlob(path);
  const enough = new AbortController();
  const onProgress = vi.fn((bytes: number) => bytes > 2_000_000 && enough.abort(new Error("enough")));
  for (const hash of [digestOf(blake3, blob, { onProgress, signal: enough.signal })])
    await expect(hash).rejects.toThrow("enough");
  expect(onProgress.mock.lastCall![0]).toBeGreaterThan(2_000_000);
});

it("knows its size", async () => {
  const totals = new Set<unknown>();
  await digestOf(blake3, new Blob([message]), { onProgress: (_, total) => totals.add(total) });
  expect([...totals]).toEqual([message.length]);
});

it("its stream is cancelled and unlocked when the signal is aborted", async () => {
  const streams: ReadableStream[] = [];
  const { stream } = Blob.prototype;
  vi.spyOn(Blob.prototype, "stream").mockImplementation(function (this: Blob) {
    streams.push(stream.call(this));
    return streams.at(-1) as ReturnType<typeof stream>;
  });
  const stop = new AbortController();
  const onProgress = () => stop.abort(new Error("enough"));
  const blob = new Blob([message.subarray(0, 600_000), message]);
  expect(await rejection(digestOf(blake3, blob, { signal: stop.signal, onProgress }))).toBe(stop.signal.reason);
  vi.restoreAllMocks();
  // Of a stream that was not cancelled there would be more.
  expect(await streams[0]!.getReader().read()).toEqual({ done: true, value: undefined });
});
