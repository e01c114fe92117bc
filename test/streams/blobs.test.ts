// How digestOf reads Blobs: by slices if they are in memory, else as a stream, and which slices.
import { openAsBlob } from "node:fs";
import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import { blake3 } from "blake-simd";
import { digestOf } from "blake-simd/streams";
import { describe, expect, it } from "vitest";

const MIB = 2 ** 20;
const message = new Uint8Array(3 * MIB + 5).map((_, i) => (i * 31) ^ (i >> 11));
const digestBy = (bytes: Uint8Array) => Buffer.from(nobleBlake3(bytes)).toString("hex");
const digestFrom = async (blob: Blob, options?: object) =>
  Buffer.from(await digestOf(blake3, blob, options)).toString("hex");

/** A Blob that notes what is asked of it. */
class Watched extends Blob {
  readonly asked: string[] = [];

  override slice(start?: number, end?: number): Blob {
    this.asked.push(`${start}-${end}`);
    return super.slice(start, end);
  }

  override stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    this.asked.push("all");
    return super.stream();
  }
}

describe("a Blob in memory", () => {
  it.each([0, 1, MIB - 1, MIB, MIB + 1, 2 * MIB, message.length])("of %i bytes", async (length) => {
    expect(await digestFrom(new Blob([message.subarray(0, length)]))).toBe(digestBy(message.subarray(0, length)));
  });

  it("whose chunks say that they are empty", async () => {
    class Lying extends Blob {
      override slice(start?: number, end?: number): Blob {
        const slice = super.slice(start, end);
        const lie = new TransformStream({
          transform: (chunk, controller) => controller.enqueue(Object.defineProperty(chunk, "length", { value: 0 })),
        });
        return Object.assign(slice, { stream: () => Blob.prototype.stream.call(slice).pipeThrough(lie) });
      }
    }
    expect(await digestFrom(new Lying([message]))).toBe(digestBy(message));
  });

  it("of many parts, in slices of slices", async () => {
    const parts = Array.from({ length: 50 }, (_, i) => message.subarray(i * 60_001, (i + 1) * 60_001));
    const all = new Blob([...parts, new Blob([message.subarray(0, 700_001)]).slice(1)]);
    const bytes = Buffer.concat([...parts, message.subarray(1, 700_001)]);
    expect(await digestFrom(all)).toBe(digestBy(bytes));
    expect(await digestFrom(all.slice(59_999, 2_500_000))).toBe(digestBy(bytes.subarray(59_999, 2_500_000)));
  });

  it("is read by slices of 1 MiB, each of which is one step of progress", async () => {
    const blob = new Watched([message]);
    const steps: number[] = [];
    await digestFrom(blob, { onProgress: (bytes: number) => steps.push(bytes) });
    const places = [0, MIB, 2 * MIB, 3 * MIB].map((at) => `${at}-${Math.min(at + MIB, message.length)}`);
    expect(blob.asked).toEqual(["0-1", ...places]);
    expect(steps).toEqual([MIB, 2 * MIB, 3 * MIB, message.length]);
  });

  it.each([
    [0, ["all"]],
    [1, ["0-1", "0-1"]],
  ])("of %i bytes is read by slices if it has any", async (length, asked) => {
    const blob = new Watched([message.subarray(0, length)]);
    expect(await digestFrom(blob)).toBe(digestBy(message.subarray(0, length)));
    expect(blob.asked).toEqual(asked);
  });

  it("is refused if a slice has not the bytes that it should have", async () => {
    const blob = new Watched([message]);
    blob.slice = (start, end) => new Blob([message]).slice(start, end === 2 * MIB ? end - 7 : end);
    await expect(digestFrom(blob)).rejects.toThrow(
      `digestOf: the Blob changed while it was being hashed: expected ${message.length} bytes, got ${message.length - 7}`,
    );
  });

  it("is read no further once the signal is aborted, and others are not disturbed", async () => {
    const blob = new Watched([message]);
    const stop = new AbortController();
    const reason = new Error("enough");
    const other = digestFrom(new Blob([message]));
    await expect(digestFrom(blob, { signal: stop.signal, onProgress: () => stop.abort(reason) })).rejects.toBe(reason);
    await setImmediate();
    expect(blob.asked).toEqual(["0-1", `0-${MIB}`]);
    expect(await other).toBe(digestBy(message));
    expect(await digestFrom(blob)).toBe(digestBy(message));
  });
});

describe("a Blob is read as one stream", () => {
  it("if it is a file, and fails if the file changes or is gone", async () => {
    const folder = await mkdtemp(join(tmpdir(), "blake-simd-blobs-"));
    try {
      const path = join(folder, "file");
      await writeFile(path, message);
      const blob = await openAsBlob(path);
      expect(await digestFrom(blob)).toBe(digestBy(message));
      let asked = "";
      const { stream } = blob;
      Object.defineProperty(blob, "stream", {
        value() {
          asked = "all";
          return stream.call(blob);
        },
      });
      expect(await digestFrom(blob)).toBe(digestBy(message));
      expect(asked).toBe("all");
      await truncate(path, MIB);
      await expect(digestFrom(blob)).rejects.toThrow("could not be read");
      await rm(path);
      await expect(digestFrom(blob)).rejects.toThrow("could not be read");
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("if its bytes come only through the event loop, as in browsers", async () => {
    const blob = new Watched([message]);
    blob.slice = (start, end) => {
      const slice = new Blob([message]).slice(start, end);
      slice.arrayBuffer = async () => {
        await setImmediate();
        return new ArrayBuffer(1);
      };
      return slice;
    };
    expect(await digestFrom(blob)).toBe(digestBy(message));
    expect(blob.asked).toEqual(["all"]);
  });

  it("if it has 4 GiB or more, or says so: a slice there ends Node's process", async () => {
    const blob = new Watched([message]);
    Object.defineProperty(blob, "size", { value: 2 ** 32 });
    expect(await digestFrom(blob)).toBe(digestBy(message));
    expect(blob.asked).toEqual(["all"]);
  });

  it("if it only resembles one", async () => {
    const stream = () => new Blob([message]).stream();
    expect(await digestFrom({ size: 5, stream } as unknown as Blob)).toBe(digestBy(message));
  });
});
