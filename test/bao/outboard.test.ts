// Outboards of every kind of source, on one thread and several, and what a caller may get wrong.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import { blake3, toHex, useBackend } from "blake-simd";
import {
  BaoDecodeStream,
  BaoEncodeStream,
  IntegrityError,
  nodesOf,
  Outboard,
  OutboardStream,
  outboard,
  outboardOf,
  rangeOf,
  VerifiedRangeStream,
} from "blake-simd/bao";
import { Blake3Pool } from "blake-simd/parallel";
import type { Source } from "blake-simd/streams";
import { afterAll, describe, expect, it } from "vitest";
import { concat, content, flipped, passed, through } from "../support/bao.ts";
import { directory } from "../support/blakesum.ts";
import { expectBytes } from "../support/messages.ts";

const message = content(1_200_001);
const expected = outboard(message);
const nodes = expected.toBytes("bao");

afterAll(() => useBackend("simd128"));

it("of more nodes than are checked at once is right, or wrong at the group whose node is", () => {
  const group = 1024;
  const whole = outboard(message, { group });
  whole.check();
  const bytes = whole.toBytes("post-order");
  const options = { root: whole.root, length: message.length, group, format: "post-order" } as const;
  const wrong = Outboard.from(flipped(bytes, 1100 * 64), options);
  expect(() => wrong.check()).toThrow(IntegrityError);
});

it("of more nodes than the kernel has room for is right, or wrong at its last one", () => {
  const long = new Uint8Array(20_000 * 1024);
  const tree = outboard(long, { group: 1024 });
  tree.check();
  const bytes = tree.toBytes("post-order");
  const options = { root: tree.root, length: long.length, group: 1024, format: "post-order" } as const;
  const wrong = Outboard.from(flipped(bytes, bytes.length - 1), options);
  expect(() => wrong.check()).toThrow(expect.objectContaining({ name: "IntegrityError", reason: "node", offset: 0 }));
});

it.each([1000, 60_000, 200_000, 2 ** 30])(
  "is encoded in ranges with gaps of any size, in chunks of %i",
  async (size) => {
    for (const group of [1024, 16_384]) {
      const tree = outboard(message, { group });
      const ends = [1, 17_000, 50_000, 300_000, 320_000, 1_000_000];
      const ranges = ends.map((start) => ({ start, end: start + 3 }));
      const encoding = await passed(new BaoEncodeStream(tree, { ranges }), message, size);
      const right = concat(ranges.map(({ start, end }) => message.subarray(start, end)));
      expectBytes(await passed(new BaoDecodeStream(tree.root, { group, ranges }), encoding, size), right);
    }
  },
);

it.each(["bao", "iroh", "post-order"] as const)("in %s is refused with a node too few or too many", (format) => {
  const bytes = expected.toBytes(format);
  const { root, length } = expected;
  const from = (some: Uint8Array, claim = length) => Outboard.from(some, { root, length: claim, format });
  expectBytes(from(bytes).toBytes(format), bytes);
  const refused = (reason: string, offset: number) =>
    expect.objectContaining({ name: "IntegrityError", reason, offset });
  for (const missing of [1, 64]) {
    expect(() => from(bytes.subarray(0, -missing))).toThrow(refused("truncated", 0));
    const longer = new Uint8Array(bytes.length + missing);
    longer.set(bytes);
    expect(() => from(longer)).toThrow(refused("trailing", length));
  }
  if (format === "bao") expect(() => from(bytes, length + 1)).toThrow(refused("length", 0));
});

describe("outboardOf", () => {
  it.each<[string, () => Source]>([
    ["bytes", () => message],
    ["a view", () => new DataView(message.buffer)],
    ["a Blob", () => new Blob([message])],
    ["a Response", () => new Response(message)],
    ["a stream", () => new Blob([message]).stream()],
    ["chunks", () => [message.subarray(0, 5), message.subarray(5, 300_000), message.subarray(300_000)]],
  ])("of %s is the outboard", async (_name, source) => {
    expectBytes((await outboardOf(source())).toBytes(), nodes);
  });

  it("takes text, as UTF-8, wherever it is cut", async () => {
    const text = "grün 🙂 ".repeat(3000);
    const { root } = await outboardOf([text.slice(0, 6), text.slice(6)], { group: 1024 });
    expect(toHex(root)).toBe(toHex(nobleBlake3(new TextEncoder().encode(text))));
  });

  it("reports its progress, and stops with a signal", async () => {
    const seen: (number | undefined)[][] = [];
    await outboardOf(message, { onProgress: (...args) => seen.push(args) });
    expect(seen.at(-1)).toEqual([message.length, message.length]);
    const signal = AbortSignal.abort(new Error("no"));
    await expect(outboardOf(message, { signal })).rejects.toThrow("no");
  });

  it.each([1024, 16384, 524_288])("of a file on a pool, groups of %d", async (group) => {
    await using pool = new Blake3Pool({ threads: 2 });
    const path = join(directory, `content-${group}`);
    writeFileSync(path, message);
    const whole = outboard(message, { group }).toBytes();
    const progress: number[] = [];
    const options = { pool, group, onProgress: (bytes: number) => progress.push(bytes) };
    expectBytes((await outboardOf({ path }, options)).toBytes(), whole);
    expect(progress.at(-1)).toBe(message.length);
    expectBytes((await outboardOf(new Blob([message]), { pool, group })).toBytes(), whole);
    expectBytes((await outboardOf(message.subarray(0, 5000), { pool, group })).root, blake3(message.subarray(0, 5000)));
    const signal = AbortSignal.abort(new Error("no"));
    await expect(outboardOf({ path }, { pool, group, signal })).rejects.toThrow("no");
    await expect(outboardOf({ path: `${path}-none` }, { pool })).rejects.toThrow("ENOENT");
    expectBytes(await pool.hash(message), blake3(message));
  });

  it.runIf(process.platform === "linux")("of a file of unknown length, on a pool", async () => {
    await using pool = new Blake3Pool({ threads: 1 });
    const version = readFileSync("/proc/version");
    expectBytes((await outboardOf({ path: "/proc/version" }, { pool })).root, nobleBlake3(version));
  });

  it("of a long message on a pool: by its threads, part by part", async () => {
    await using pool = new Blake3Pool({ threads: 0 });
    const [reports, long] = [[] as number[], new Uint8Array(2 ** 21)];
    const tree = await outboardOf(long, { pool, onProgress: (bytes) => reports.push(bytes) });
    expectBytes(tree.root, nobleBlake3(long));
    expect(reports).toEqual([2 ** 20, 2 ** 21]);
  });

  it("refuses a pool that is closed", async () => {
    const pool = new Blake3Pool({ threads: 0 });
    await pool.close();
    await expect(outboardOf(message, { pool })).rejects.toThrow("the pool is closed");
  });

  it.each([
    [{ group: 1000 }, RangeError, /group must be a power of 2 from 1024 to 1048576, got 1000/],
    [{ group: 2 ** 21 }, RangeError, /got 2097152/],
    [{ group: "1024" }, TypeError, /group must be a number, got a string/],
    [{ groups: 1024 }, TypeError, /unknown option "groups"; allowed are group, signal, onProgress, pool$/],
    [{ pool: {} }, TypeError, /pool must be a Blake3Pool, got an object/],
  ])("refuses %o", async (options, kind, text) => {
    const error = await outboardOf(message, options as never).catch((caught) => caught);
    expect(error).toBeInstanceOf(kind);
    expect(error.message).toMatch(text);
  });
});

describe("OutboardStream", () => {
  it("passes chunks on as they are, and has the outboard", async () => {
    const stream = new OutboardStream();
    const chunks = [message.subarray(0, 1000), message.subarray(1000)];
    const out: unknown[] = [];
    const sink = new WritableStream({ write: (chunk) => void out.push(chunk) });
    await new ReadableStream({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(chunk);
        controller.close();
      },
    })
      .pipeThrough(stream)
      .pipeTo(sink);
    expect(out[0]).toBe(chunks[0]);
    expect(out[1]).toBe(chunks[1]);
    expectBytes((await stream.outboard).toBytes(), nodes);
  });

  it("has errors that name it", async () => {
    const stream = new OutboardStream();
    await stream.readable.cancel();
    await expect(stream.outboard).rejects.toThrow(/^OutboardStream: /);
    const source = new ReadableStream({ start: (controller) => controller.enqueue(5) });
    await expect(source.pipeThrough(new OutboardStream()).pipeTo(new WritableStream())).rejects.toThrow(
      /^OutboardStream: chunk must be/,
    );
    await expect(outboardOf(5 as unknown as Source)).rejects.toThrow(/^outboardOf: source must be/);
  });

  it("is not transferred without what makes its outboard", () => {
    const stream = new OutboardStream();
    expect(() => structuredClone(stream, { transfer: [stream as unknown as ArrayBuffer] })).toThrow(
      expect.objectContaining({ name: "DataCloneError" }),
    );
  });

  it("rejects when it is aborted", async () => {
    const stream = new OutboardStream({ group: 1024 });
    stream.readable.getReader().closed.catch(() => {});
    await stream.writable.abort(new Error("enough"));
    await expect(stream.outboard).rejects.toThrow("enough");
  });
});

describe("an Outboard", () => {
  it("cannot be changed from outside", () => {
    const [tree, bytes] = [outboard(message), nodes.slice()];
    tree.root.fill(0);
    const read = Outboard.from(bytes, { root: expected.root });
    bytes.fill(0);
    tree.toBytes().fill(0);
    for (const each of [tree, read]) {
      expectBytes(each.root, blake3(message));
      expectBytes(each.toBytes(), nodes);
      expect(() => Object.assign(each, { length: 5 })).toThrow(TypeError);
    }
  });

  it.each([
    [() => Outboard.from("x" as never, { root: expected.root }), TypeError, /Outboard.from: bytes must be .* a string/],
    [() => Outboard.from(nodes, undefined as never), TypeError, /options must be a plain object, got undefined/],
    [() => Outboard.from(nodes, {} as never), TypeError, /root must be .* got undefined/],
    [() => Outboard.from(nodes, { root: new Uint8Array(31) }), RangeError, /root must have 32 bytes, got 31/],
    [
      () => Outboard.from(nodes, { root: expected.root, format: "iroh" }),
      TypeError,
      /length must be given with format "iroh"/,
    ],
    [
      () => Outboard.from(nodes, { root: expected.root, format: "bar" as never }),
      TypeError,
      /format must be one of "bao", "iroh", "post-order", got "bar"/,
    ],
    [() => Outboard.from(nodes, { root: expected.root, length: -1 }), RangeError, /length must be an integer from 0/],
    [
      () => Outboard.from(nodes, { root: expected.root, format: 5 as never }),
      TypeError,
      /format must be one of "bao", "iroh", "post-order", got number 5/,
    ],
    [() => Outboard.from(new Uint8Array(7), { root: expected.root }), IntegrityError, /must go on .* got their end/],
    [
      () => Outboard.from(nodes, { root: expected.root, length: 5 }),
      IntegrityError,
      /the header must hold the content's length/,
    ],
    [
      () => Outboard.fromParts([], { root: expected.root }),
      TypeError,
      /fromParts: length must be a number, got undefined/,
    ],
    [() => rangeOf(null as never, {}), TypeError, /rangeOf: options must be a plain object, got null/],
    [
      () => new BaoEncodeStream(expected, { ranges: {} as never }),
      TypeError,
      /ranges must be an array of { start, end }, got an object/,
    ],
    [() => expected.toBytes("x" as never), TypeError, /format must be one of/],
    [() => outboard(5 as never), TypeError, /outboard: input must be .* got number 5/],
    [() => new BaoEncodeStream({} as never), TypeError, /outboard must be an Outboard, got an object/],
    [
      () => new BaoEncodeStream(expected, { start: 40_000, offset: 32_769 }),
      RangeError,
      /offset must be at most 32768/,
    ],
    [() => new BaoEncodeStream(expected, { ranges: [] }), RangeError, /ranges must have at least one range, got none/],
    [
      () => new BaoEncodeStream(expected, { ranges: [{ start: 5, end: 4 }] }),
      RangeError,
      /ranges\[0\].end must be at least/,
    ],
    [
      () => new BaoEncodeStream(expected, { ranges: [{}], start: 5 }),
      TypeError,
      /pass either ranges, or start and end, not both/,
    ],
    [() => new BaoDecodeStream("zz"), RangeError, /root must be 64 hexadecimal digits/],
    [
      () => new BaoDecodeStream(expected.root, { format: "sha" as never }),
      TypeError,
      /format must be one of "bao", "iroh"/,
    ],
    [() => new VerifiedRangeStream(expected, { start: 1.5 }), RangeError, /start must be an integer/],
  ])("and its streams refuse %s", (act, kind, text) => {
    expect(act).toThrow(kind);
    expect(act).toThrow(text);
  });

  it("needs bytes: text fails a stream, and no other that is under way", async () => {
    const tree = outboard(message, { group: 1024 });
    const encoded = await passed(new BaoEncodeStream(tree), message);
    for (const stream of [new BaoDecodeStream(tree.root), new BaoEncodeStream(tree), new VerifiedRangeStream(tree)]) {
      const writer = stream.writable.getWriter();
      stream.readable
        .getReader()
        .read()
        .catch(() => {});
      await expect(writer.write("text" as never)).rejects.toThrow(/chunk must be .* got a string of length 4/);
      expectBytes(await passed(new BaoDecodeStream(tree.root), encoded), message);
    }
  });
});

describe("concurrent streams", () => {
  it("do not disturb one another, other hashes, or a change of backend", async () => {
    const tree = outboard(message, { group: 1024 });
    const encoded = await passed(new BaoEncodeStream(tree), message);
    const hasher = blake3.create();
    const one = through(new BaoDecodeStream(tree.root), encoded, 10_000);
    const two = through(new BaoDecodeStream(tree.root), flipped(encoded, 700_000), 7777);
    const three = passed(new VerifiedRangeStream(expected), message, 5000);
    const four = outboardOf(
      (async function* () {
        for (let at = 0; at < message.length; at += 50_000) {
          useBackend((at / 50_000) % 2 ? "simd128" : "baseline");
          hasher.update(message.subarray(at, at + 50_000));
          yield message.subarray(at, at + 50_000);
        }
      })(),
    );
    expectBytes((await one).bytes, message);
    const { bytes, error } = await two;
    expect(error).toMatchObject({ name: "IntegrityError" });
    expectBytes(bytes, message.subarray(0, bytes.length));
    expectBytes(await three, message);
    expectBytes((await four).toBytes(), nodes);
    expectBytes(hasher.digest(), blake3(message));
  });

  it("give copies of what lies in shared memory", async () => {
    const shared = new Uint8Array(new SharedArrayBuffer(message.length));
    shared.set(message);
    const stream = new VerifiedRangeStream(expected);
    const writer = stream.writable.getWriter();
    const reader = stream.readable.getReader();
    const read = reader.read();
    writer.write(shared).catch(() => {});
    const { value } = await read;
    shared.fill(0);
    expectBytes(value as Uint8Array, message.subarray(0, value?.length));
    expect((value as Uint8Array).buffer).toBeInstanceOf(ArrayBuffer);
  });

  it("are read by the engine's own getters, whatever an array says of itself", async () => {
    class Liar extends Uint8Array {
      override get length(): number {
        return blake3("a call in the middle").length;
      }
      override subarray(): never {
        throw new Error("asked");
      }
    }
    const liar = new Liar(message.buffer);
    expectBytes(outboard(liar).root, blake3(message));
    const stream = new VerifiedRangeStream(expected);
    const writer = stream.writable.getWriter();
    writer.write(liar).then(() => writer.close());
    const parts: Uint8Array[] = [];
    for await (const part of stream.readable) parts.push(part);
    expectBytes(Buffer.concat(parts), message);
  });
});

describe.runIf(process.platform === "linux")("a pool", () => {
  it("makes the outboard of a file of unknown length, and of none if it is aborted before the file is open", async () => {
    const pool = new Blake3Pool({ threads: 2 });
    const source = { path: "/proc/version" };
    const bytes = readFileSync(source.path);
    expectBytes((await outboardOf(source, { pool })).toBytes(), outboard(bytes).toBytes());
    expectBytes((await outboardOf(source, { pool })).root, nobleBlake3(bytes));
    const controller = new AbortController();
    const aborted = outboardOf(source, { pool, signal: controller.signal });
    controller.abort(new Error("not now"));
    await expect(aborted).rejects.toThrow("not now");
    expectBytes((await outboardOf(bytes, { pool })).root, nobleBlake3(bytes));
    await pool.close();
  });
});

describe("ranges", () => {
  it("that overlap or touch are one, whatever their order", async () => {
    const encode = (ranges: { start: number; end: number }[]) =>
      passed(new BaoEncodeStream(expected, { ranges }), message);
    const one = await encode([{ start: 10_000, end: 300_000 }]);
    const three = [
      { start: 200_000, end: 300_000 },
      { start: 10_000, end: 150_000 },
      { start: 20_000, end: 200_000 },
    ];
    expectBytes(await encode(three), one);
    expectBytes(
      await passed(new BaoDecodeStream(expected.root, { group: expected.group, ranges: three }), one),
      message.subarray(10_000, 300_000),
    );
  });

  it("of a tree with more than 2^31 leaves have a node at each of its levels", () => {
    // 2^32 chunks: 32 nodes lead to the first one. In pre-order they are the first ones, after 8 bytes of header.
    const length = 2 ** 42;
    expect(nodesOf({ length, group: 1024, format: "bao" }, { start: 0, end: 1 })).toEqual([
      { start: 8, end: 8 + 32 * 64 },
    ]);
    // The right half of twice as many: its root follows the 2^32 - 1 nodes of the left one.
    const right = 8 + 64 * (1 + (2 ** 32 - 1));
    expect(nodesOf({ length: 2 * length, group: 1024, format: "bao" }, { start: length, end: length + 1 })).toEqual([
      { start: 8, end: 8 + 64 },
      { start: right, end: right + 32 * 64 },
    ]);
  });
});

describe("streams", () => {
  const KiB = 1024;

  it("give no chunk of no bytes", async () => {
    const empty = outboard("");
    const streams: [TransformStream, Uint8Array][] = [
      [new BaoEncodeStream(empty), new Uint8Array()],
      [new BaoEncodeStream(empty, { format: "iroh" }), new Uint8Array()],
      [new BaoDecodeStream(empty.root), new Uint8Array(8)],
      [new VerifiedRangeStream(empty), new Uint8Array()],
      [new VerifiedRangeStream(expected, { start: 5, end: 5 }), message.subarray(0, expected.group)],
    ];
    for (const [stream, bytes] of streams) {
      const given: number[] = [];
      const writer = stream.writable.getWriter();
      const written = writer.write(bytes).then(() => writer.close());
      for await (const chunk of stream.readable) given.push(chunk.length);
      await written;
      expect(given).not.toContain(0);
    }
  });

  it.each([1, 1000, 300_000])("refuse %i bytes too many in the chunk that has the last ones", async (more) => {
    for (const group of [KiB, 16 * KiB]) {
      const tree = outboard(message, { group });
      const encoding = await passed(new BaoEncodeStream(tree), message);
      const longer = (bytes: Uint8Array) => concat([bytes, new Uint8Array(more)]);
      for (const [stream, bytes] of [
        [new BaoDecodeStream(tree.root, { group }), encoding],
        [new VerifiedRangeStream(tree), message],
        [new BaoEncodeStream(tree), message],
      ] as const) {
        const { error } = await through(stream, longer(bytes));
        expect(error).toMatchObject({ name: "IntegrityError", reason: "trailing", offset: message.length });
      }
    }
  });

  it.each([700_000, 1_000_000, 1_100_000])("take groups of 2^20 bytes, in chunks of %i bytes", async (size) => {
    const long = content(3 * 2 ** 20 + 5);
    const group = 2 ** 20;
    const tree = outboard(long, { group });
    const encoding = await passed(new BaoEncodeStream(tree), long, size);
    expectBytes(await passed(new VerifiedRangeStream(tree), long, size), long);
    const decoder = new BaoDecodeStream(tree.root, { group });
    expectBytes(await passed(decoder, encoding, size), long);
    expect(decoder.length).toBe(long.length);
  });

  it.each([16, 512, 1024].map((kib) => kib * KiB))("cut iroh's groups of %i bytes down to chunks", async (group) => {
    const bytes = message.subarray(0, 900_001);
    const tree = outboard(bytes, { group });
    for (const range of [
      { start: 5, end: 10 },
      { start: 2000, end: 5000 },
      { start: 290_000, end: 301_000 },
      { start: 800_000, end: 900_001 },
      { ranges: [{ end: 1 }, { start: 3 * KiB, end: 5 * KiB }, { start: 900_000 }] },
    ]) {
      const encoding = await passed(new BaoEncodeStream(tree, { format: "iroh", ...range }), bytes);
      const decoder = new BaoDecodeStream(tree.root, { format: "iroh", group, ...range });
      const spans = "ranges" in range ? range.ranges : [range];
      const right = concat(spans.map(({ start, end }: { start?: number; end?: number }) => bytes.subarray(start, end)));
      expectBytes(await passed(decoder, encoding), right);
    }
  });

  it.each([1, 8, 16].map((kib) => kib * KiB))("know the length at the end, in groups of %i bytes", async (group) => {
    for (const length of [1, group, group + 1, 3 * group - 1, 5 * group + 77, 300_000]) {
      const bytes = message.subarray(0, length);
      const tree = outboard(bytes, { group });
      const decoder = new BaoDecodeStream(tree.root, { group });
      expectBytes(await passed(decoder, await passed(new BaoEncodeStream(tree), bytes)), bytes);
      expect(decoder.length).toBe(length);
    }
  });

  it("prove an empty range by the chunk where it begins, and by that alone", async () => {
    const group = KiB;
    const bytes = message.subarray(0, 8 * KiB);
    const tree = outboard(bytes, { group });
    for (const start of [0, 1, KiB, 3 * KiB, 8 * KiB - 1, 8 * KiB]) {
      const range = { start, end: start };
      const slice = await passed(new BaoEncodeStream(tree, range), bytes);
      // The header, a node for each level, and one chunk.
      expect(slice).toHaveLength(8 + 3 * 64 + KiB);
      expect(await passed(new BaoDecodeStream(tree.root, range), slice)).toHaveLength(0);
    }
  });
});

describe("a root that is not the content's", () => {
  it.each([1024, 16_384])("fails a decoder at once, in groups of %i", async (group) => {
    const small = message.subarray(0, 200_000);
    const tree = outboard(small, { group });
    const encoded = await passed(new BaoEncodeStream(tree), small);
    const other = outboard(message, { group }).root;
    const { bytes, error } = await through(new BaoDecodeStream(other, { group }), encoded, encoded.length);
    expect(bytes).toHaveLength(0);
    expect(error).toMatchObject({ name: "IntegrityError", reason: "node", offset: 0 });
    expectBytes(await passed(new BaoDecodeStream(tree.root, { group }), encoded), small);
  });
});
