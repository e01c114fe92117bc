// How Blobs are read: by slices if they are in memory and have the size that they say, else as a stream.
import { openAsBlob } from "node:fs";
import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import { blake3 } from "blake-simd";
import { outboardOf } from "blake-simd/bao";
import { Blake3Pool } from "blake-simd/parallel";
import { digestOf } from "blake-simd/streams";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { rejection } from "../support/streams.ts";

const MIB = 2 ** 20;
const message = new Uint8Array(2 * MIB + 500_005).map((_, i) => (i * 31) ^ (i >> 11));
const known = new Map<Uint8Array, string>();
function digestBy(bytes: Uint8Array): string {
  const digest = known.get(bytes) ?? Buffer.from(nobleBlake3(bytes)).toString("hex");
  known.set(bytes, digest);
  return digest;
}
const hexOf = (digest: Uint8Array) => Buffer.from(digest).toString("hex");
const digestFrom = async (blob: Blob, options?: object) => hexOf(await digestOf(blake3, blob, options));

/** Notes what is asked of a Blob, by the engine's methods, while `act` runs. */
async function asked(
  blob: Blob,
  act: () => Promise<unknown>,
  arrayBuffer = Blob.prototype.arrayBuffer,
): Promise<string[]> {
  const calls: string[] = [];
  const { slice, stream } = Blob.prototype;
  vi.spyOn(Blob.prototype, "arrayBuffer").mockImplementation(function (this: Blob) {
    if (this === blob) calls.push("at once");
    return arrayBuffer.call(this);
  });
  vi.spyOn(Blob.prototype, "slice").mockImplementation(function (this: Blob, start, end) {
    if (this === blob) calls.push(`${start}-${end}`);
    return slice.call(this, start, end);
  });
  vi.spyOn(Blob.prototype, "stream").mockImplementation(function (this: Blob) {
    if (this === blob) calls.push("all");
    return stream.call(this);
  });
  await act();
  vi.restoreAllMocks();
  return calls;
}

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "blake-simd-blobs-"));
});
afterAll(() => rm(folder, { recursive: true }));

describe("a Blob in memory", () => {
  it.each([0, 1, MIB - 1, MIB, MIB + 1, message.length])("of %i bytes", async (length) => {
    expect(await digestFrom(new Blob([message.subarray(0, length)]))).toBe(digestBy(message.subarray(0, length)));
  });

  it("of many parts, in slices of slices", async () => {
    const parts = Array.from({ length: 50 }, (_, i) => message.subarray(i * 60_001, (i + 1) * 60_001));
    const all = new Blob([...parts, new Blob([message.subarray(0, 700_001)]).slice(1)]);
    const bytes = Buffer.concat([...parts, message.subarray(1, 700_001)]);
    expect(await digestFrom(all)).toBe(digestBy(bytes));
    expect(await digestFrom(all.slice(59_999, 2_500_000))).toBe(digestBy(bytes.subarray(59_999, 2_500_000)));
  });

  it("is read by slices of 1 MiB, each of which is one step of progress", async () => {
    const blob = new Blob([message]);
    const steps: (number | undefined)[][] = [];
    const onProgress = (...step: number[]) => steps.push(step);
    const places = [0, MIB, 2 * MIB].map((at) => `${at}-${Math.min(at + MIB, message.length)}`);
    expect(await asked(blob, () => digestFrom(blob, { onProgress }))).toEqual(["0-1", ...places]);
    expect(steps).toEqual([MIB, 2 * MIB, message.length].map((at) => [at, message.length]));
  });

  it.each([
    [0, ["all"]],
    // By Node's own handle.
    [1, []],
    [65_536, []],
    [65_537, ["0-1", "0-65537"]],
  ])("of %i bytes is read by slices if it is not short", async (length, places) => {
    const blob = new Blob([message.subarray(0, length)]);
    const act = async () => expect(await digestFrom(blob)).toBe(digestBy(message.subarray(0, length)));
    expect(await asked(blob, act)).toEqual(places);
  });

  it("is refused if a slice has not the bytes that it should have", async () => {
    const blob = new Blob([message]);
    const { slice } = Blob.prototype;
    vi.spyOn(Blob.prototype, "slice").mockImplementation(function (this: Blob, start, end) {
      return slice.call(this, start, end === 2 * MIB ? end - 7 : end);
    });
    await expect(digestFrom(blob)).rejects.toThrow(
      `digestOf: the Blob changed while it was being hashed: expected ${MIB} bytes, got ${MIB - 7}`,
    );
    vi.restoreAllMocks();
  });

  it("is read no further once the signal is aborted, and others are not disturbed", async () => {
    const blob = new Blob([message]);
    const stop = new AbortController();
    const reason = new Error("enough");
    const other = digestFrom(new Blob([message]));
    const places = await asked(blob, async () => {
      await expect(digestFrom(blob, { signal: stop.signal, onProgress: () => stop.abort(reason) })).rejects.toBe(
        reason,
      );
      await setImmediate();
    });
    expect(places).toEqual(["0-1", `0-${MIB}`]);
    expect(await other).toBe(digestBy(message));
    expect(await digestFrom(blob)).toBe(digestBy(message));
  });
});

describe("a Blob's size is not believed", () => {
  const pool = new Blake3Pool({ threads: 2 });
  afterAll(() => pool.close());

  /** Each way to hash a Blob. */
  const ways: Record<string, (blob: Blob) => Promise<Uint8Array>> = {
    digestOf: (blob) => digestOf(blake3, blob),
    "Blake3Pool.hash": (blob) => pool.hash(blob),
    outboardOf: async (blob) => (await outboardOf(blob)).root,
    "outboardOf with a pool": async (blob) => (await outboardOf(blob, { pool })).root,
  };

  const own = (blob: Blob, members: Partial<Blob>) =>
    Object.defineProperties(
      blob,
      Object.fromEntries(Object.entries(members).map(([name, value]) => [name, { value }])),
    ) as Blob;
  class Remote extends Blob {
    override stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
      return new Blob([message]).stream();
    }
  }
  it.each<[string, () => Blob]>([
    ["of one that says less", () => own(new Blob([message]), { size: MIB })],
    ["of one that says more", () => own(new Blob([message]), { size: message.length + 1 })],
    ["of one that says a few bytes", () => own(new Blob([message]), { size: 5 })],
    ["of one that says 0", () => own(new Blob([message]), { size: 0 })],
    ["of one that says no number", () => own(new Blob([message]), { size: Number.NaN })],
    ["of one that says half a byte more", () => own(new Blob([message]), { size: message.length + 0.5 })],
    ["of one that says 4 GiB, where a slice ends Node's process", () => own(new Blob([message]), { size: 2 ** 32 })],
    ["nor one just before them", () => own(new Blob([message]), { size: 2 ** 32 - 1 })],
    ["of one with a stream of its own", () => new Remote(["abc"])],
    ["of one with slices of its own", () => own(new Blob([message]), { slice: () => new Blob(["abc"]) })],
    ["of one with bytes of its own", () => own(new Blob([message]), { arrayBuffer: async () => new ArrayBuffer(9) })],
    ["of an object that resembles one", () => ({ size: 5, stream: () => new Blob([message]).stream() }) as Blob],
  ])("%s", async (_, make) => {
    for (const [name, hash] of Object.entries(ways)) {
      expect([name, hexOf(await hash(make()))]).toEqual([name, digestBy(message)]);
    }
  });

  it("of one without a stream, as jsdom's are: its bytes must be as many", async () => {
    const blob = { size: message.length, slice: () => blob, arrayBuffer: async () => message.slice().buffer } as never;
    const short = { size: 5, slice: () => short, arrayBuffer: async () => new ArrayBuffer(4) } as never;
    for (const hash of Object.values(ways)) {
      expect(hexOf(await hash(blob))).toBe(digestBy(message));
      await expect(hash(short)).rejects.toThrow("the Blob changed while it was being hashed: expected 5 bytes, got 4");
    }
  });

  it("of one whose stream is of another kind, which is refused by name", async () => {
    const foreign = { size: 5, stream: () => Readable.from(["abcde"]) } as never;
    for (const [name, hash] of Object.entries(ways)) {
      const error = (await rejection(hash(foreign))) as Error;
      expect([name, error.name]).toEqual([name, "TypeError"]);
      expect(error.message).toMatch(/^(digestOf|outboardOf|Blake3Pool.hash): stream\(\) must be a ReadableStream/);
    }
  });

  it("of files from 4 GiB on, which Node gets wrong: whatever parts they are, they are streamed", async () => {
    const [path, exact] = [join(folder, "large"), join(folder, "exact")];
    for (const [name, size] of [[path, 2 ** 32 + 12_345] as const, [exact, 2 ** 32] as const]) {
      await writeFile(name, message);
      await truncate(name, size);
    }
    const [large, whole] = [await openAsBlob(path), await openAsBlob(exact)];
    expect([large.size, whole.size]).toEqual([12_345, 0]);
    const blobs = [
      large,
      new Blob([whole]),
      new Blob(["a", large]),
      new Blob(["a", new Blob([large, large]), message]),
      // No byte up to its size is a file's.
      new Blob([message, new Blob([new Blob(["a"]), whole])]),
      new Blob([message, large]).slice(0, message.length + 12_345).slice(0),
    ];
    for (const blob of blobs.slice(0, 5)) {
      const enough = new AbortController();
      const totals: unknown[] = [];
      const onProgress = (_: number, total?: number) => {
        totals.push(total);
        enough.abort();
      };
      const act = () => rejection(digestFrom(blob, { onProgress, signal: enough.signal }));
      expect(await asked(blob, act)).toEqual(["all"]);
      expect(totals).toEqual([undefined]);
    }
    // Nor is one of them read at once, which would take all of its memory.
    const failure = new Error("streamed");
    vi.spyOn(Blob.prototype, "stream").mockImplementation(() => {
      throw failure;
    });
    const calls = vi.spyOn(Blob.prototype, "arrayBuffer");
    for (const blob of [large, whole]) expect(await rejection(digestFrom(blob))).toBe(failure);
    expect(calls).not.toHaveBeenCalled();
    vi.restoreAllMocks();
    // A slice of them has its size.
    const expected = digestBy(Buffer.concat([message, message.subarray(0, 12_345)]));
    for (const hash of Object.values(ways)) expect(hexOf(await hash(blobs[5] as Blob))).toBe(expected);
  });

  it("of parts in memory and in a file, which are hashed by slices if their sum is right", async () => {
    const path = join(folder, "part");
    await writeFile(path, message);
    const file = await openAsBlob(path);
    const blob = new Blob([message.subarray(0, MIB + 1), file, file.slice(5, MIB), "end"]);
    const bytes = Buffer.concat([message.subarray(0, MIB + 1), message, message.subarray(5, MIB), Buffer.from("end")]);
    for (const [from, to] of [
      [0, bytes.length],
      [MIB - 3, 2 * MIB + 5],
      [MIB + 7, bytes.length - 1],
    ] as const) {
      const wanted = digestBy(bytes.subarray(from, to));
      for (const [name, hash] of Object.entries(ways)) {
        expect([name, hexOf(await hash(blob.slice(from, to)))]).toEqual([name, wanted]);
      }
    }
    await truncate(path, MIB);
    for (const hash of Object.values(ways)) await expect(hash(blob)).rejects.toThrow();
  });
});

describe("a Blob is read as one stream", () => {
  it("if it is a file, and fails if the file changes or is gone", async () => {
    const path = join(folder, "file");
    await writeFile(path, message);
    const blob = await openAsBlob(path);
    const totals = new Set<number>();
    const onProgress = (_: number, total: number) => totals.add(total);
    const act = async () => expect(await digestFrom(blob, { onProgress })).toBe(digestBy(message));
    expect(await asked(blob, act)).toEqual(["0-1", "all"]);
    expect([...totals]).toEqual([message.length]);
    await truncate(path, MIB);
    await expect(digestFrom(blob)).rejects.toThrow("could not be read");
    await rm(path);
    await expect(digestFrom(blob)).rejects.toThrow("could not be read");
  });

  it("if its bytes come only through the event loop, as in browsers", async () => {
    const blob = new Blob([message]);
    const { arrayBuffer } = Blob.prototype;
    const act = async () => expect(await digestFrom(blob)).toBe(digestBy(message));
    const later = async function (this: Blob) {
      await setImmediate();
      return arrayBuffer.call(this);
    };
    expect(await asked(blob, act, later)).toEqual(["0-1", "all"]);
  });
});

it.each<[string, (path: string) => Promise<Blob>]>([
  ["in memory", async () => new Blob([message.subarray(0, 600_000), message])],
  ["that is a file", (path) => openAsBlob(path)],
])("the stream of a Blob %s is cancelled and unlocked when the signal is aborted", async (_, open) => {
  const path = join(folder, "cancelled");
  await writeFile(path, message);
  const blob = await open(path);
  const streams: ReadableStream[] = [];
  const { stream } = Blob.prototype;
  vi.spyOn(Blob.prototype, "stream").mockImplementation(function (this: Blob) {
    streams.push(stream.call(this));
    return streams.at(-1)!;
  });
  const stop = new AbortController();
  const onProgress = () => stop.abort(new Error("enough"));
  await expect(digestFrom(blob, { signal: stop.signal, onProgress })).rejects.toThrow("enough");
  vi.restoreAllMocks();
  expect(streams).toHaveLength(1);
  // Of a stream that was not cancelled there would be more.
  expect(await streams[0]!.getReader().read()).toEqual({ done: true, value: undefined });
});
