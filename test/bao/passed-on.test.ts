// What the streams pass on of the chunks that are written to them: copies of what was verified, whatever becomes of the chunks.
import { Worker } from "node:worker_threads";
import { equal } from "blake-simd";
import { BaoDecodeStream, BaoEncodeStream, IntegrityError, outboard, VerifiedRangeStream } from "blake-simd/bao";
import { describe, expect, it, vi } from "vitest";
import { BaoKernel, INPUT, prepareKernel } from "../../js/bao/kernel.ts";
import { outboard as sourceOutboard } from "../../js/bao/outboard-of.ts";
import { concat, content, flipped, through } from "../support/bao.ts";
import { Decoding, verifierOf } from "../support/bao-machines.ts";
import { DecoderError, isPrefix } from "../support/bao-peer.ts";

const KiB = 1024;
const message = content(600 * KiB + 77);

async function encodingOf(group: number) {
  const tree = outboard(message, { group });
  const { bytes } = await through(new BaoEncodeStream(tree), message);
  return { tree, encoding: bytes };
}

/** Writes chunks, and does something to each once it has been taken; returns what came out, uncopied. */
async function give(
  stream: TransformStream<Uint8Array, Uint8Array>,
  chunks: Uint8Array[],
  then: (chunk: Uint8Array) => unknown = () => {},
) {
  const writer = stream.writable.getWriter();
  const reader = stream.readable.getReader();
  const given: Uint8Array[] = [];
  const reading = (async () => {
    for (let read = await reader.read(); !read.done; read = await reader.read()) given.push(read.value);
  })();
  for (const chunk of chunks) {
    await writer.write(chunk);
    then(chunk);
  }
  await writer.close();
  await reading;
  return given;
}

/** Writes all bytes as one chunk, and leaves time between reads. */
async function readSlowly(stream: TransformStream<Uint8Array, Uint8Array>, bytes: Uint8Array) {
  const writer = stream.writable.getWriter();
  const written = writer.write(bytes).catch(() => {});
  const reader = stream.readable.getReader();
  const given: Uint8Array[] = [];
  let error: unknown;
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      given.push(read.value);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  } catch (reason) {
    error = reason;
  }
  await written;
  return { given: concat(given), error };
}

const wipe = (chunk: Uint8Array) => chunk.fill(0);

const split = (bytes: Uint8Array, size: number): Uint8Array[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.slice(i * size, (i + 1) * size));

const inSharedMemory = (bytes: Uint8Array): Uint8Array => {
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return shared;
};

describe.each([1, 16])("with groups of %i KiB", (kib) => {
  const group = kib * KiB;
  it("gives a slow reader all that comes before a wrong group of the same chunk", async () => {
    const { tree, encoding } = await encodingOf(group);
    const wanted = message.subarray(0, Math.floor((message.length - 1) / group) * group);
    const changed = (bytes: Uint8Array): Uint8Array => {
      const copy = bytes.slice();
      copy[copy.length - 1]! ^= 1;
      return copy;
    };
    const cases = [
      [new BaoDecodeStream(tree.root, { group }), changed(encoding)],
      [new VerifiedRangeStream(tree), changed(message)],
    ] as const;
    for (const [stream, bytes] of cases) {
      const { given, error } = await readSlowly(stream, bytes);
      expect(error).toBeInstanceOf(IntegrityError);
      expect(given.length).toBe(wanted.length);
      expect(equal(given, wanted)).toBe(true);
    }
  });
});

/** What may become of a chunk that has been written. */
const fates: [name: string, then: (chunk: Uint8Array) => unknown, place?: (bytes: Uint8Array) => Uint8Array][] = [
  ["is wiped", wipe],
  ["lies in shared memory, and is wiped", wipe, inSharedMemory],
  ["is filled again", (chunk) => chunk.fill(0x5a)],
  ["is transferred", ({ buffer }) => structuredClone(buffer, { transfer: [buffer as ArrayBuffer] })],
];

describe.each(fates)("a chunk that %s once it has been written", (_, then, place = (bytes) => bytes) => {
  it.each([1, 16, 1024])("does not change the output, in groups of %i KiB", async (kib) => {
    const group = kib * KiB;
    const { tree, encoding } = await encodingOf(group);
    const cases = [
      [new BaoDecodeStream(tree.root, { group }), encoding, message],
      [new VerifiedRangeStream(tree), message, message],
      [new BaoEncodeStream(tree), message, encoding],
    ] as const;
    for (const [stream, bytes, wanted] of cases) {
      const given = await give(stream, split(bytes, 100_000).map(place), then);
      expect(equal(concat(given), wanted)).toBe(true);
      // A reader may transfer what it gets: nothing else is there.
      for (const part of given) expect(part.byteLength).toBe(part.buffer.byteLength);
      expect(new Set(given.map(({ buffer }) => buffer)).size).toBe(given.length);
    }
  });
});

it("gives right bytes, or an error, of memory that another thread changes all the time", async () => {
  const group = 16 * KiB;
  const { tree, encoding } = await encodingOf(group);
  const shared = inSharedMemory(encoding);
  const code = `const { workerData } = require("node:worker_threads");
    const at = workerData.length - 50_000;
    for (;;) workerData[at] ^= 1;`;
  const worker = new Worker(code, { eval: true, workerData: shared });
  await new Promise((resolve) => worker.once("online", resolve));
  for (let round = 0; round < 50; round++) {
    const given: Uint8Array[] = [];
    const decoder = new Decoding(tree.root, { group }, (part) => given.push(part));
    try {
      decoder.push(shared);
    } catch (error) {
      expect(error).toBeInstanceOf(DecoderError);
    }
    expect(isPrefix(concat(given), message)).toBe(true);
  }
  await worker.terminate();
});

it("takes and gives nothing after an error, whatever comes", async () => {
  const { tree, encoding } = await encodingOf(KiB);
  const given: Uint8Array[] = [];
  const take = (part: Uint8Array) => void given.push(part);
  for (const [machine, right] of [
    [new Decoding(tree.root, { group: KiB }, take), encoding],
    [verifierOf(sourceOutboard(message, { group: KiB }), {}, take), message],
  ] as const) {
    expect(() => machine.push(flipped(right, 100_000))).toThrow(DecoderError);
    const before = concat(given);
    for (const bytes of [right, right.subarray(100_000), new Uint8Array(1), new Uint8Array()]) {
      expect(() => machine.push(bytes)).toThrow();
    }
    expect(() => machine.end()).toThrow();
    expect(concat(given)).toEqual(before);
  }
});

it("gives no chunk of no bytes before an error", async () => {
  const { tree, encoding } = await encodingOf(KiB);
  const given: Uint8Array[] = [];
  const take = (part: Uint8Array) => void given.push(part);
  for (const [machine, wrong] of [
    [new Decoding(tree.root, { group: KiB }, take), flipped(encoding, 8)],
    [verifierOf(sourceOutboard(message, { group: KiB }), {}, take), flipped(message, 0)],
  ] as const) {
    expect(() => machine.push(wrong.subarray(0, 5000))).toThrow(DecoderError);
    expect(given).toEqual([]);
  }
});

it("takes chunks of no bytes anywhere, the end included", async () => {
  const group = 16 * KiB;
  const { tree, encoding } = await encodingOf(group);
  const empty = new Uint8Array();
  const between = (bytes: Uint8Array) => [empty, ...split(bytes, 99_999).flatMap((chunk) => [chunk, empty]), empty];
  const decoder = new BaoDecodeStream(tree.root, { group });
  expect(equal(concat(await give(decoder, between(encoding))), message)).toBe(true);
  const verifier = new VerifiedRangeStream(tree);
  expect(equal(concat(await give(verifier, between(message))), message)).toBe(true);
  const encoder = new BaoEncodeStream(tree);
  expect(equal(concat(await give(encoder, between(message))), encoding)).toBe(true);
});

it("wipes a kernel that threw anything else, does not use its instance again, and goes on with another", async () => {
  const { tree, encoding } = await encodingOf(KiB);
  const broken: BaoKernel[] = [];
  const join = vi.spyOn(BaoKernel.prototype, "join").mockImplementationOnce(function (this: BaoKernel) {
    broken.push(this);
    throw new Error("a trap");
  });
  const given: Uint8Array[] = [];
  const decoder = () => new Decoding(tree.root, { group: KiB }, (part) => given.push(part));
  const other = decoder();
  expect(() => decoder().push(encoding)).toThrow("a trap");
  expect(given).toEqual([]);
  const [kernel = expect.fail("join was not called")] = broken;
  expect(kernel.bytes.subarray(INPUT).findIndex((byte) => byte !== 0)).toBe(-1);
  expect(prepareKernel()).not.toBe(kernel);
  other.push(encoding);
  expect(equal(concat(given), message)).toBe(true);
  expect(join.mock.contexts.length).toBeGreaterThan(1);
  join.mockRestore();
});
