// Outboards of every kind of source, on one thread and several, and what a caller may get wrong.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import { blake3, toHex } from "blake-simd";
import {
  BaoDecodeStream,
  BaoEncodeStream,
  IntegrityError,
  Outboard,
  OutboardStream,
  outboard,
  outboardOf,
  VerifiedRangeStream,
} from "blake-simd/bao";
import { Blake3Pool } from "blake-simd/parallel";
import type { Source } from "blake-simd/streams";
import { describe, expect, it } from "vitest";
import { content, flipped, passed } from "../support/bao.ts";
import { directory } from "../support/blakesum.ts";
import { expectBytes } from "../support/messages.ts";

const message = content(1_200_001);
const expected = outboard(message);
const nodes = expected.toBytes("bao");

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

  const from = (options: object) => () => Outboard.from(nodes, { root: expected.root, ...options });
  const encode = (options: object) => () => new BaoEncodeStream(expected, options);
  const formats = /format must be one of "bao", "iroh", "post-order", got/;

  it.each<[() => unknown, new () => Error, RegExp]>([
    [() => Outboard.from("x" as never, { root: expected.root }), TypeError, /Outboard.from: bytes must be .* a string/],
    [() => Outboard.from(nodes, undefined as never), TypeError, /options must be a plain object, got undefined/],
    [from({ root: undefined }), TypeError, /root must be .* got undefined/],
    [from({ root: new Uint8Array(31) }), RangeError, /root must have 32 bytes, got 31/],
    [from({ format: "iroh" }), TypeError, /length must be given with format "iroh"/],
    [from({ format: "bar" }), TypeError, formats],
    [from({ format: 5 }), TypeError, formats],
    [from({ length: -1 }), RangeError, /length must be an integer from 0/],
    [from({ length: 5 }), IntegrityError as never, /the header must hold the content's length/],
    [
      () => Outboard.from(nodes.subarray(0, 7), { root: expected.root }),
      IntegrityError as never,
      /ended early, at byte 0/,
    ],
    [() => Outboard.fromParts([], { root: expected.root }), TypeError, /length must be a number, got undefined/],
    [() => expected.toBytes("x" as never), TypeError, /format must be one of/],
    [() => outboard(5 as never), TypeError, /outboard: input must be .* got a number/],
    [encode({ ranges: {} }), TypeError, /ranges must be an array of { start, end }, got an object/],
    [encode({ start: 40_000, offset: 32_769 }), RangeError, /offset must be at most 32768/],
    [encode({ ranges: [] }), RangeError, /ranges must have at least one range, got none/],
    [encode({ ranges: [{ start: 5, end: 4 }] }), RangeError, /ranges\[0\].end must be at least/],
    [encode({ ranges: [{}], start: 5 }), TypeError, /pass either ranges, or start and end, not both/],
    [() => new BaoDecodeStream("zz"), RangeError, /root must be 64 hexadecimal digits/],
    [() => new BaoDecodeStream(expected.root, { format: "sha" as never }), TypeError, /one of "bao", "iroh"/],
    [() => new VerifiedRangeStream(expected, { start: 1.5 }), RangeError, /start must be an integer/],
  ])("and its streams refuse %s", (act, kind, text) => {
    expect(act).toThrow(kind);
    expect(act).toThrow(text);
  });

  it("needs bytes: text fails a stream, and no other that is under way", async () => {
    const tree = outboard(message, { group: 1024 });
    const encoded = await passed(new BaoEncodeStream(tree), message);
    const decoder = () => new BaoDecodeStream(tree.root, { group: 1024 });
    for (const stream of [decoder(), new BaoEncodeStream(tree), new VerifiedRangeStream(tree)]) {
      const writer = stream.writable.getWriter();
      stream.readable
        .getReader()
        .read()
        .catch(() => {});
      await expect(writer.write("text" as never)).rejects.toThrow(/chunk must be .* got a string of length 4/);
      expectBytes(await passed(decoder(), encoded), message);
    }
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
