// What the calls of blake-simd/bao refuse beside what every call does (test/api/arguments.test.ts): options that are
// none, a group or a range that cannot be, and what is no outboard. Defaults are the same everywhere.
import { BaoDecodeStream, BaoEncodeStream, Outboard, outboard, outboardOf, VerifiedRangeStream } from "blake-simd/bao";
import { describe, expect, it } from "vitest";
import { content, passed } from "../support/bao.ts";
import { baoCalls } from "../support/calls/bao.ts";
import { rightArguments, titleOf, under } from "../support/calls/call.ts";
import { messageOf } from "../support/errors.ts";
import { expectBytes } from "../support/messages.ts";

const message = content(70_000);
const tree = outboard(message);
const { root, length } = tree;
const nodes = tree.toBytes();

const calls = (await baoCalls())
  // The first argument of rangeOf and nodesOf may be an outboard (ranges.test.ts).
  .filter(({ name, optionsAt }) => optionsAt !== undefined && !/^(range|nodes)Of$/.test(name))
  .map((each) => [titleOf(each), each] as const);

it.each(calls)("%s refuses an option that is none, and options that are none", async (_, each) => {
  const { name, optionsAt } = each;
  const own = rightArguments(each)[optionsAt!] as object;
  expect(await messageOf(() => under(each, { ...own, colour: 1 }))).toMatch(
    /: unknown option "colour"; allowed are [\w, ]+$/,
  );
  for (const wrong of [null, 5, "group", [], () => {}]) {
    const text = await messageOf(() => under(each, wrong));
    expect(text.startsWith(`${name}: options must be a plain object, got `), text).toBe(true);
  }
});

it.each([
  ["BaoEncodeStream", (value: never) => new BaoEncodeStream(value)],
  ["VerifiedRangeStream", (value: never) => new VerifiedRangeStream(value)],
])("%s refuses what is no outboard, even if it looks like one", (name, call) => {
  for (const value of [undefined, null, {}, { ...tree, root }, Object.create(null)]) {
    expect(() => call(value as never)).toThrow(TypeError);
    expect(() => call(value as never)).toThrow(new RegExp(`^${name}: outboard must be an Outboard, got `));
  }
});

describe("a group", () => {
  it.each([0, 1, 512, 1023, 1025, 1536, 2 ** 20 - 1, 2 ** 20 + 1, 2 ** 21, Number.NaN, 1024.5])(
    "of %d bytes is refused",
    (group) => {
      expect(() => outboard(message, { group })).toThrow(
        new RangeError(`outboard: group must be a power of 2 from 1024 to 1048576, got ${group}`),
      );
    },
  );

  it.each([1024, 2048, 2 ** 19, 2 ** 20])("of %d bytes is taken", (group) => {
    expect(outboard(message, { group }).group).toBe(group);
  });

  it("is by default 16384 everywhere, so that what is made by default is read by default", async () => {
    expect([tree.group, (await outboardOf([message])).group]).toEqual([16_384, 16_384]);
    for (const format of ["bao", "iroh", "post-order"] as const) {
      const bytes = tree.toBytes(format);
      for (const read of [
        Outboard.from(bytes, { root, length, format }),
        Outboard.fromParts([{ start: 0, bytes }], { root, length, format }),
      ]) {
        expectBytes(await passed(new VerifiedRangeStream(read), message), message);
      }
    }
    for (const format of [undefined, "bao", "iroh"] as const) {
      const encoding = await passed(new BaoEncodeStream(tree, { format }), message);
      expectBytes(await passed(new BaoDecodeStream(root, { format }), encoding), message);
    }
  });
});

describe("is refused:", () => {
  const from = (options: object) => () => Outboard.from(nodes, { root, ...options });
  const encode = (options: object) => () => new BaoEncodeStream(tree, options);
  const formats = /format must be one of "bao", "iroh", "post-order", got/;

  it.each<[() => unknown, new () => Error, RegExp]>([
    [() => Outboard.from("x" as never, { root }), TypeError, /Outboard.from: bytes must be .* a string/],
    [() => Outboard.from(nodes, undefined as never), TypeError, /options must be a plain object, got undefined/],
    [from({ root: undefined }), TypeError, /root must be .* got undefined/],
    [from({ root: new Uint8Array(31) }), RangeError, /root must have 32 bytes, got 31/],
    [from({ format: "iroh" }), TypeError, /length must be given with format "iroh"/],
    [from({ format: "bar" }), TypeError, formats],
    [from({ format: 5 }), TypeError, formats],
    [from({ length: -1 }), RangeError, /length must be an integer from 0/],
    [() => Outboard.fromParts([], { root }), TypeError, /length must be a number, got undefined/],
    [() => tree.toBytes("x" as never), TypeError, /format must be one of/],
    [() => outboard(5 as never), TypeError, /outboard: input must be .* got a number/],
    [encode({ ranges: {} }), TypeError, /ranges must be an array of { start, end }, got an object/],
    [encode({ start: 40_000, offset: 32_769 }), RangeError, /offset must be at most 32768/],
    [encode({ ranges: [] }), RangeError, /ranges must have at least one range, got none/],
    [encode({ ranges: [{ start: 5, end: 4 }] }), RangeError, /ranges\[0\].end must be at least/],
    [encode({ ranges: [{}], start: 5 }), TypeError, /pass either ranges, or start and end, not both/],
    [() => new BaoDecodeStream("zz"), RangeError, /root must be 64 hexadecimal digits/],
    [() => new BaoDecodeStream(root, { format: "sha" as never }), TypeError, /one of "bao", "iroh"/],
    [() => new VerifiedRangeStream(tree, { start: 1.5 }), RangeError, /start must be an integer/],
    [() => new VerifiedRangeStream(tree, { start: 70_001 }), RangeError, /start must be at most the content's length/],
  ])("%s", (act, kind, text) => {
    expect(act).toThrow(kind);
    expect(act).toThrow(text);
  });

  it("text for a chunk, which fails a stream, and no other that is under way", async () => {
    const encoded = await passed(new BaoEncodeStream(tree), message);
    for (const stream of [new BaoDecodeStream(root), new BaoEncodeStream(tree), new VerifiedRangeStream(tree)]) {
      const reading = stream.readable.getReader().read();
      const text = /chunk must be .* got a string of length 4/;
      await expect(stream.writable.getWriter().write("text" as never)).rejects.toThrow(text);
      await expect(reading).rejects.toThrow(text);
      expectBytes(await passed(new BaoDecodeStream(root), encoded), message);
    }
  });
});
