// What the calls of blake-simd/bao refuse: an argument too many, an option that is none, a group out of range. Each error
// begins with the name of the call, and nothing has been asked for or read by then.
import {
  BaoDecodeStream,
  BaoEncodeStream,
  fetchVerified,
  nodesOf,
  Outboard,
  OutboardStream,
  outboard,
  outboardOf,
  outboardOfGroups,
  rangeOf,
  VerifiedRangeStream,
} from "blake-simd/bao";
import { SubtreeGroupHasher } from "blake-simd/hazmat";
import { describe, expect, it } from "vitest";
import { content, passed } from "../support/bao.ts";
import { expectBytes } from "../support/messages.ts";

type Loose = (...args: unknown[]) => unknown;

const message = content(5000);
const tree = outboard(message, { group: 1024 });
const { root, length } = tree;
const values = new SubtreeGroupHasher({ group: 1024 }).update(message).groupValues();
const fetch = () => expect.fail("a request");
const shape = { length, group: 1024 };

/** Each with all arguments that it takes, of which the last are the options. */
const calls: [name: string, args: unknown[], call: Loose][] = [
  ["outboard", [message, {}], outboard as Loose],
  ["outboardOf", [message, {}], outboardOf as Loose],
  ["outboardOfGroups", [values, { root, length, group: 1024 }], outboardOfGroups as Loose],
  ["OutboardStream", [{}], (...args) => Reflect.construct(OutboardStream, args)],
  ["Outboard.from", [tree.toBytes(), { root, group: 1024 }], Outboard.from as Loose],
  ["Outboard.fromParts", [[], { root, length }], Outboard.fromParts as Loose],
  ["BaoEncodeStream", [tree, {}], (...args) => Reflect.construct(BaoEncodeStream, args)],
  ["BaoDecodeStream", [root, {}], (...args) => Reflect.construct(BaoDecodeStream, args)],
  ["VerifiedRangeStream", [tree, {}], (...args) => Reflect.construct(VerifiedRangeStream, args)],
  ["rangeOf", [shape, {}], rangeOf as Loose],
  ["nodesOf", [shape, {}], nodesOf as Loose],
  ["fetchVerified", ["https://example.com", { root, outboard: outboard(""), fetch }], fetchVerified as Loose],
];

async function messageOf(call: () => unknown): Promise<string> {
  try {
    await call();
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError);
    return (error as Error).message;
  }
  return "no error";
}

describe.each(calls)("%s", (name, args, call) => {
  it("refuses an argument too many", async () => {
    const text = `${name}: arguments must be at most ${args.length}, got ${args.length + 1}`;
    expect(await messageOf(() => call(...args, undefined))).toBe(text);
  });

  it("refuses an option that is none, and options that are none", async () => {
    const others = args.slice(0, -1);
    const unknown = { ...(args.at(-1) as object), colour: 1 };
    const text = await messageOf(() => call(...others, unknown));
    expect(text).toMatch(/: unknown option "colour"; allowed are [\w, ]+$/);
    for (const wrong of [null, 5, "group", [], () => {}]) {
      const text = await messageOf(() => call(...others, wrong));
      expect(text.startsWith(`${name}: options must be a plain object, got `), text).toBe(true);
    }
  });
});

it.each([
  ["toBytes", 1, (...args: []) => tree.toBytes(...args)],
  ["check", 0, (...args: []) => tree.check(...args)],
] as const)("%s refuses an argument too many", (name, most, call) => {
  const text = `${name}: arguments must be at most ${most}, got ${most + 1}`;
  expect(() => (call as Loose)(...["bao", 5].slice(0, most + 1))).toThrow(new TypeError(text));
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
    const long = content(70_000);
    const tree = outboard(long);
    expect([tree.group, (await outboardOf([long])).group]).toEqual([16_384, 16_384]);
    expectBytes(await passed(new BaoDecodeStream(tree.root), await passed(new BaoEncodeStream(tree), long)), long);
    for (const format of ["bao", "iroh", "post-order"] as const) {
      const { length } = long;
      const parts = [{ start: 0, bytes: tree.toBytes(format) }];
      for (const read of [
        Outboard.from(tree.toBytes(format), { root: tree.root, length, format }),
        Outboard.fromParts(parts, { root: tree.root, length, format }),
      ]) {
        expectBytes(await passed(new VerifiedRangeStream(read), long), long);
      }
    }
    for (const format of ["bao", "iroh"] as const) {
      const encoding = await passed(new BaoEncodeStream(tree, { format }), long);
      expectBytes(await passed(new BaoDecodeStream(tree.root, { format }), encoding), long);
    }
  });
});
