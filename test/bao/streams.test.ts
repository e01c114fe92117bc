// What the streams of Bao do beside verifying: they give copies whatever becomes of the chunks that were written,
// nothing after an error, no empty chunk, and leave other streams alone.
import { blake3, useBackend } from "blake-simd";
import { BaoDecodeStream, BaoEncodeStream, outboard, outboardOf, VerifiedRangeStream } from "blake-simd/bao";
import { afterAll, describe, expect, it, vi } from "vitest";
import { IntegrityError } from "../../js/bao/errors.ts";
import { BaoKernel, compute } from "../../js/bao/kernel.ts";
import { outboard as sourceOutboard } from "../../js/bao/outboard-of.ts";
import { INPUT_AT } from "../../js/tree/kernel.ts";
import { concat, content, flipped, passed, through } from "../support/bao.ts";
import { Decoding, encoderOf, pushed, verifierOf } from "../support/bao-machines.ts";
import { expectBytes } from "../support/messages.ts";

type Stream = TransformStream<Uint8Array, Uint8Array<ArrayBuffer>>;

const KiB = 1024;
const message = content(600 * KiB + 77);

afterAll(() => useBackend("simd128"));

/** Each kind of stream over the message, with what it takes and what comes out. */
async function streamsOf(group: number, bytes = message) {
  const tree = outboard(bytes, { group });
  const encoding = await passed(new BaoEncodeStream(tree), bytes);
  return [
    { make: (): Stream => new BaoDecodeStream(tree.root, { group }), input: encoding, output: bytes },
    { make: (): Stream => new VerifiedRangeStream(tree), input: bytes, output: bytes },
    { make: (): Stream => new BaoEncodeStream(tree), input: bytes, output: encoding },
  ];
}

/** Writes chunks, and does something to each once it has been taken; returns what came out, uncopied. */
async function written(stream: Stream, chunks: Uint8Array[], then: (chunk: Uint8Array) => unknown = () => {}) {
  const writer = stream.writable.getWriter();
  const given: Uint8Array[] = [];
  const reading = stream.readable.pipeTo(new WritableStream({ write: (part) => void given.push(part) }));
  for (const chunk of chunks) {
    await writer.write(chunk);
    then(chunk);
  }
  await Promise.all([writer.close(), reading]);
  return given;
}

const split = (bytes: Uint8Array, size: number): Uint8Array[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.slice(i * size, (i + 1) * size));

const inSharedMemory = (bytes: Uint8Array): Uint8Array => {
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return shared;
};

/** What may become of a chunk that has been written. */
const fates: [name: string, then: (chunk: Uint8Array) => unknown, place?: (bytes: Uint8Array) => Uint8Array][] = [
  ["is filled again", (chunk) => chunk.fill(0x5a)],
  ["lies in shared memory, and is wiped", (chunk) => chunk.fill(0), inSharedMemory],
  ["is transferred", ({ buffer }) => structuredClone(buffer, { transfer: [buffer as ArrayBuffer] })],
];

describe.each(fates)("a chunk that %s once it has been written", (_, then, place = (bytes) => bytes) => {
  it.each([1, 16, 1024])("does not change the output, in groups of %i KiB", async (kib) => {
    for (const { make, input, output } of await streamsOf(kib * KiB)) {
      const given = await written(make(), split(input, 100_000).map(place), then);
      expectBytes(concat(given), output);
      // A reader may transfer what it gets: nothing else is there.
      for (const part of given) expect(part.byteLength).toBe(part.buffer.byteLength);
      expect(new Set(given.map(({ buffer }) => buffer)).size).toBe(given.length);
    }
  });
});

describe.each([1, 16])("in groups of %i KiB", (kib) => {
  it("a slow reader gets all that comes before a wrong group of the same chunk", async () => {
    const wanted = Math.floor((message.length - 1) / (kib * KiB)) * kib * KiB;
    for (const { make, input } of (await streamsOf(kib * KiB)).slice(0, 2)) {
      const { readable, writable } = make();
      const writing = writable
        .getWriter()
        .write(flipped(input, input.length - 1))
        .catch(() => {});
      const given: Uint8Array[] = [];
      const reading = async () => {
        for await (const part of readable) {
          given.push(part);
          await new Promise((resolve) => setTimeout(resolve, 2));
        }
      };
      await expect(reading()).rejects.toMatchObject({ name: "IntegrityError", reason: "bytes" });
      await writing;
      expectBytes(concat(given), message.subarray(0, wanted));
    }
  });

  it("chunks of no bytes may come anywhere, and none comes out", async () => {
    const empty = new Uint8Array();
    for (const bytes of [message, empty]) {
      for (const { make, input, output } of await streamsOf(kib * KiB, bytes)) {
        const given = await written(make(), [empty, ...split(input, 99_999).flatMap((chunk) => [chunk, empty]), empty]);
        expectBytes(concat(given), output);
        expect(given.every(({ length }) => length > 0)).toBe(true);
      }
    }
    const nothing = new VerifiedRangeStream(outboard(message, { group: kib * KiB }), { start: 5, end: 5 });
    expect(await written(nothing, [message.subarray(0, kib * KiB)])).toEqual([]);
  });
});

it.each([700_000, 1_000_000, 1_100_000])("groups of 2^20 bytes are taken in chunks of %i bytes", async (size) => {
  const long = content(3 * 2 ** 20 + 5);
  for (const { make, input, output } of await streamsOf(2 ** 20, long)) {
    expectBytes(await passed(make(), input, size), output);
  }
});

describe("after an error", () => {
  const tree = sourceOutboard(message, { group: KiB });
  const encoding = pushed((give) => encoderOf(tree, {}, give), message).given;
  const given: Uint8Array[] = [];
  const machines = () => [
    { machine: new Decoding(tree.root, { group: KiB }, (part) => given.push(part)), input: encoding },
    { machine: verifierOf(tree, {}, (part) => given.push(part)), input: message },
  ];

  it("neither side takes or gives anything more", async () => {
    for (const { make, input } of await streamsOf(KiB)) {
      const { readable, writable } = make();
      const [reader, writer] = [readable.getReader(), writable.getWriter()];
      const written = writer.write(flipped(input, 8)).catch((error) => error);
      const error = await reader.read().catch((reason) => reason);
      const [given] = error instanceof IntegrityError ? [error] : [await reader.read().catch((reason) => reason)];
      expect(given).toMatchObject({ name: "IntegrityError" });
      await written;
      for (const act of [() => writer.write(input), () => writer.close(), () => reader.read()]) {
        await expect(act()).rejects.toThrow();
      }
    }
  });

  it("at the first bytes, no empty chunk has been given", () => {
    given.length = 0;
    for (const { machine, input } of machines()) {
      expect(() => machine.push(flipped(input, 8).subarray(0, 5000))).toThrow(IntegrityError);
    }
    expect(given).toEqual([]);
  });

  it("that is none of ours, the kernel is wiped and not used again, but another", () => {
    const broken: BaoKernel[] = [];
    const parent = vi.spyOn(BaoKernel.prototype, "parent").mockImplementationOnce(function (this: BaoKernel) {
      broken.push(this);
      throw new Error("a trap");
    });
    const [{ machine }, { machine: other }] = [machines()[0]!, machines()[0]!];
    given.length = 0;
    expect(() => machine.push(encoding)).toThrow("a trap");
    expect(given).toEqual([]);
    const [kernel = expect.fail("parent was not called")] = broken;
    expect(kernel.bytes.subarray(kernel.area + INPUT_AT).findIndex((byte) => byte !== 0)).toBe(-1);
    expect(compute((own) => own)).not.toBe(kernel);
    other.push(encoding);
    expectBytes(concat(given), message);
    parent.mockRestore();
  });
});

describe("streams side by side", () => {
  it("do not disturb one another, other hashes, or a change of backend", async () => {
    const [decoding, verifying, encoding] = await streamsOf(KiB);
    const hasher = blake3.create();
    const wrong = through(decoding!.make(), flipped(decoding!.input, 300_000), 7777);
    const right = [decoding!, verifying!, encoding!].map(async ({ make, input, output }, i) =>
      expectBytes(await passed(make(), input, 5000 + i), output),
    );
    const tree = outboardOf(
      (async function* () {
        for (const [i, part] of split(message, 50_000).entries()) {
          useBackend(i % 2 ? "simd128" : "baseline");
          hasher.update(part);
          yield part;
        }
      })(),
      { group: KiB },
    );
    const { bytes, error } = await wrong;
    expect(error).toMatchObject({ name: "IntegrityError" });
    expectBytes(bytes, message.subarray(0, bytes.length));
    await Promise.all(right);
    expectBytes((await tree).toBytes(), outboard(message, { group: KiB }).toBytes());
    expectBytes(hasher.digest(), blake3(message));
  });

  it("take nothing of the bytes that another has left in the kernel", async () => {
    for (const group of [KiB, 8 * KiB]) {
      const bytes = message.subarray(0, 64 * KiB);
      // The encoder gives the header, and the nodes over the first group.
      const before = [0, 0, 8 + 64 * Math.log2(bytes.length / group)];
      for (const [i, { make, input }] of (await streamsOf(group, bytes)).entries()) {
        const other = make();
        const reader = other.readable.getReader();
        await Promise.all([other.writable.getWriter().write(input), reader.read()]);
        const given = await through(make(), input.subarray(0, i === 0 ? 8 + 64 : 100));
        await reader.cancel();
        expect(given.error).toMatchObject({ name: "IntegrityError", reason: "truncated" });
        expect(given.bytes.length).toBe(before[i]);
      }
    }
  });
});
