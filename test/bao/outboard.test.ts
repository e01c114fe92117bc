// Outboards of every kind of source, on one thread and several; their nodes, and the room that these take.
import { createReadStream, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import { blake3 } from "blake-simd";
import { IntegrityError, Outboard, OutboardStream, outboard, outboardOf } from "blake-simd/bao";
import { Blake3Pool } from "blake-simd/parallel";
import type { Source } from "blake-simd/streams";
import { describe, expect, it } from "vitest";
import { OutboardBuilder } from "../../js/bao/builder.ts";
import { content, flipped } from "../support/bao.ts";
import { directory } from "../support/blakesum.ts";
import { expectBytes } from "../support/messages.ts";
import { streamOf } from "../support/streams.ts";

const KiB = 1024;
const FORMATS = ["bao", "iroh", "post-order"] as const;
const message = content(1_200_001);
const root = nobleBlake3(message);
const expected = outboard(message);
const nodes = expected.toBytes("bao");

// A piece has 256 KiB.
it.each([0, 1, KiB, KiB + 1].flatMap((more) => [0, 256, 512, 768].map((kib) => kib * KiB + more)))(
  "%i bytes have noble's root and as many nodes as groups but one, whether they come at once or not",
  (length) => {
    const bytes = message.subarray(0, length);
    const root = nobleBlake3(bytes);
    for (const group of [KiB, 256 * KiB, 512 * KiB]) {
      const tree = outboard(bytes, { group });
      const count = Math.max(0, Math.ceil(length / group) - 1);
      expectBytes(tree.root, root);
      tree.check();
      expect(FORMATS.map((format) => tree.toBytes(format).length - 64 * count)).toEqual([8, 0, 0]);
      const builder = new OutboardBuilder(group);
      for (let at = 0; at < length; at += 100_000) builder.update(bytes.subarray(at, at + 100_000));
      const other = builder.digest();
      expectBytes(other.root, root);
      expectBytes(other.toBytes("post-order"), tree.toBytes("post-order"));
      const room = count > 0 ? other.node("test", 0).buffer.byteLength : 0;
      expect(room, "no more room than the nodes take").toBe(64 * count);
    }
  },
);

it.each([
  ["are checked at once", 1_200_000, 1100 * 64],
  ["the kernel has room for", 20_000 * KiB, 19_999 * 64 - 1],
])("more nodes than %s are right, or wrong at one", (_, length, at) => {
  const tree = outboard(new Uint8Array(length), { group: KiB });
  tree.check();
  const options = { root: tree.root, length, group: KiB, format: "post-order" } as const;
  const wrong = Outboard.from(flipped(tree.toBytes("post-order"), at), options);
  expect(() => wrong.check()).toThrow(expect.objectContaining({ name: "IntegrityError", reason: "node" }));
});

it.each(FORMATS)("in %s is refused with a node too few or too many, or for another length", (format) => {
  const bytes = expected.toBytes(format);
  const { length } = expected;
  const from = (some: Uint8Array, claim = length) => Outboard.from(some, { root, length: claim, format });
  expectBytes(from(bytes).toBytes(format), bytes);
  const refused = (reason: string, offset: number) =>
    expect.objectContaining({ name: "IntegrityError", reason, offset });
  for (const missing of [1, 64]) {
    expect(() => from(bytes.subarray(0, -missing))).toThrow(refused("truncated", 0));
    expect(() => from(Uint8Array.of(...bytes, ...new Uint8Array(missing)))).toThrow(refused("trailing", length));
  }
  if (format !== "bao") return;
  expect(() => from(bytes, length + 1)).toThrow(refused("length", 0));
  for (const claim of [2n ** 53n, 2n ** 63n, 2n ** 64n - 1n]) {
    const header = new Uint8Array(new BigUint64Array([claim]).buffer);
    expect(() => Outboard.from(header, { root })).toThrow(refused("length", 0));
  }
});

it("cannot be changed from outside", () => {
  const [tree, bytes] = [outboard(message), nodes.slice()];
  tree.root.fill(0);
  const read = Outboard.from(bytes, { root: expected.root });
  bytes.fill(0);
  for (const format of FORMATS) tree.toBytes(format).fill(0);
  for (const each of [tree, read]) {
    expectBytes(each.root, root);
    expectBytes(each.toBytes(), nodes);
    expect(() => Object.assign(each, { length: 5 })).toThrow(TypeError);
  }
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
    const seen: number[] = [];
    expectBytes((await outboardOf(source(), { onProgress: (bytes) => seen.push(bytes) })).toBytes(), nodes);
    expect(seen.at(-1)).toBe(message.length);
    const signal = AbortSignal.abort(new Error("no"));
    await expect(outboardOf(source(), { signal })).rejects.toThrow("no");
  });

  it("takes text, as UTF-8, wherever it is cut", async () => {
    const text = "grün 🙂 ".repeat(3000);
    const tree = await outboardOf([text.slice(0, 6), text.slice(6)], { group: KiB });
    expectBytes(tree.root, nobleBlake3(new TextEncoder().encode(text)));
  });

  it("refuses an error page, or makes its outboard with requireOk: false", async () => {
    const page = () => new Response("none", { status: 404 });
    await expect(outboardOf(page())).rejects.toThrow("got status 404: set requireOk to false to hash it");
    expectBytes((await outboardOf(page(), { requireOk: false })).root, nobleBlake3(new TextEncoder().encode("none")));
  });

  it("names itself in errors", async () => {
    await expect(outboardOf(5 as unknown as Source)).rejects.toThrow(/^outboardOf: source must be/);
    await expect(outboardOf({ path: "package.json" } as unknown as Source)).rejects.toThrow(
      /^outboardOf: source must be .* got an object \(Object\): add the option pool: new Blake3Pool\(\)/,
    );
    const { root } = await outboardOf(createReadStream("package.json"));
    expectBytes(root, blake3(readFileSync("package.json")));
    for (const [options, text] of [
      [{ groups: 1024 }, /unknown option "groups"; allowed are group, signal, onProgress, pool, requireOk$/],
      [
        { requireOk: false, pool: new Blake3Pool({ threads: 0 }) },
        /^outboardOf: unknown option "requireOk"; allowed are group, signal, onProgress, pool$/,
      ],
      [{ group: "1024" }, /^outboardOf: group must be a number, got a string/],
      [{ pool: {} }, /^outboardOf: pool must be a Blake3Pool, got an object/],
    ] as const) {
      const error = await outboardOf(message, options as never).catch((caught) => caught);
      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toMatch(text);
    }
  });
});

describe("on a pool, outboardOf", () => {
  it.each([KiB, 16 * KiB, 512 * KiB])("in groups of %d is the outboard", async (group) => {
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
    expectBytes(await pool.hash(message), root);
  });

  it("hashes a long message by its threads, part by part, and nothing once it is closed", async () => {
    const pool = new Blake3Pool({ threads: 0 });
    const [reports, long] = [[] as number[], new Uint8Array(2 ** 21)];
    const tree = await outboardOf(long, { pool, onProgress: (bytes) => reports.push(bytes) });
    expectBytes(tree.root, nobleBlake3(long));
    expect(reports).toEqual([2 ** 20, 2 ** 21]);
    await pool.close();
    await expect(outboardOf(message, { pool })).rejects.toThrow("the pool is closed");
  });

  it.runIf(process.platform === "linux")("takes a file of unknown length, and ends before one is open", async () => {
    await using pool = new Blake3Pool({ threads: 2 });
    const source = { path: "/proc/version" };
    const bytes = readFileSync(source.path);
    expectBytes((await outboardOf(source, { pool })).toBytes(), outboard(bytes).toBytes());
    const controller = new AbortController();
    const aborted = outboardOf(source, { pool, signal: controller.signal });
    controller.abort(new Error("not now"));
    await expect(aborted).rejects.toThrow("not now");
    expectBytes((await outboardOf(bytes, { pool })).root, nobleBlake3(bytes));
  });
});

describe("OutboardStream", () => {
  it("passes chunks on as they are, and has the outboard", async () => {
    const stream = new OutboardStream();
    const chunks = [message.subarray(0, 1000), message.subarray(1000)];
    const out: unknown[] = [];
    await streamOf(chunks)
      .pipeThrough(stream)
      .pipeTo(new WritableStream({ write: (chunk) => void out.push(chunk) }));
    expect(out.map((chunk, i) => chunk === chunks[i])).toEqual([true, true]);
    expectBytes((await stream.outboard).toBytes(), nodes);
  });

  it("has errors that name it, and is not transferred without what makes its outboard", async () => {
    const stream = new OutboardStream();
    expect(() => structuredClone(stream, { transfer: [stream as unknown as ArrayBuffer] })).toThrow(
      expect.objectContaining({ name: "DataCloneError" }),
    );
    await stream.readable.cancel();
    await expect(stream.outboard).rejects.toThrow(/^OutboardStream: /);
    const wrong = streamOf([5 as never]);
    await expect(wrong.pipeThrough(new OutboardStream()).pipeTo(new WritableStream())).rejects.toThrow(
      /^OutboardStream: chunk must be/,
    );
  });
});

it("an IntegrityError is thrown for values that are not the root's", () => {
  const lie = Outboard.from(nodes, { root: flipped(root, 31) });
  expect(() => lie.check()).toThrow(IntegrityError);
});
