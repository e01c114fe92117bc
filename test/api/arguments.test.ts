// What every call of the API does with arguments: it refuses one too many, names itself in errors, and says nothing of
// what it was given, where that may be secret: its kind and its length alone. Its object stays as it was.
import { readFileSync } from "node:fs";
import * as main from "blake-simd";
import * as hazmat from "blake-simd/hazmat";
import { hkdf, hmac, nobleHash } from "blake-simd/hmac";
import { createHash, createHmac } from "blake-simd/node";
import { Blake3Pool } from "blake-simd/parallel";
import { digestOf } from "blake-simd/streams";
import { updateUint64LE } from "blake-simd/typed";
import { describe, expect, it } from "vitest";
import { eachCall } from "../support/calls/all.ts";
import { rightArguments, titleOf, withArgument } from "../support/calls/call.ts";
import { NO_CODE } from "../support/calls/row.mjs";
import { expectError, expectQuick, messageOf } from "../support/errors.ts";
import { expectBytes } from "../support/messages.ts";
import { subjects } from "../support/subjects.ts";

const { blake2b, blake2s, blake3 } = main;
type Loose = (...args: unknown[]) => unknown;

/** Values that hold a secret, by every kind that an argument can have. */
const secrets: readonly (readonly [kind: string, value: unknown])[] = [
  ["an object that calls itself so", { [Symbol.toStringTag]: "correct horse battery 7418" }],
  ["a number", 74183],
  ["a negative number", -74183.5],
  ["a bigint", 0x7418_3741_8374_1837_4183_7418_3741n],
  ["a negative bigint", -0x7418_3741n],
  ["a text", "74183 battery staple 74183"],
  ["an array", ["74183"]],
  ["a boxed text", new String("74183")],
  ["a boxed number", new Number(74183)],
  ["an object", { toString: () => "74183", toJSON: () => "74183" }],
  ["a symbol", Symbol("74183")],
  ["a function", () => "74183"],
  ["a Date", new Date(74183)],
];

async function expectSilence(kind: string, act: () => unknown): Promise<void> {
  const text = await messageOf(act);
  // Not as matchers: there are tens of thousands of these.
  if (/7.?4.?1.?8.?3|battery|1950482|4831|1947744065/.test(text) || text.length > 400) expect.fail(`${kind}: ${text}`);
}

describe.each(eachCall.map((call) => [titleOf(call), call] as const))("%s", (_, call) => {
  const { name, act, arrays, most, optionsAt, peek, quoted = [], more } = call;
  const object = call.make(arrays, NO_CODE);
  const before = peek?.(object as never);
  const unchanged = () => before && expectBytes(peek!(object as never), before, "the object");
  const right = rightArguments(call, object);
  const positions = right.map((_, at) => at);

  it("refuses one argument too many, and takes its own", async () => {
    if (!more) {
      const words = `${name}: arguments must be at most ${most}, got ${most + 1}`;
      await expect((async () => act(object, ...right, { length: 32 }))()).rejects.toThrow(new TypeError(words));
      unchanged();
    }
    const another = call.make(arrays, NO_CODE);
    await act(another, ...rightArguments(call, another));
  });

  it("names itself if one is wrong", async () => {
    for (const at of positions) {
      const text = await messageOf(() => withArgument(call, at, Symbol("wrong"), object));
      expect([name, call.via], `argument ${at}: ${text}`).toContain(text.slice(0, text.indexOf(":")));
      unchanged();
    }
  });

  it("does not say what it was given", async () => {
    for (const at of positions.filter((at) => !quoted.includes(at))) {
      for (const [kind, secret] of secrets) {
        await expectSilence(kind, () => withArgument(call, at, secret, object));
        await expectSilence(kind, () => withArgument(call, at, [secret], object));
        if (at !== optionsAt) continue;
        for (const option of ["key", "context", "salt", "personal", "info", "encoding"]) {
          await expectSilence(`${option}, ${kind}`, () => withArgument(call, at, { [option]: secret }, object));
        }
      }
    }
  });
});

it("every export is among them", () => {
  const called = new Set(eachCall.map(({ name }) => name.replace(/\W.*/, "")));
  const modules = { ...main, ...hazmat, hkdf, hmac, nobleHash };
  const others = [
    "algorithms",
    "backend",
    "vectorLatency",
    "toBase64",
    "toBase64url",
    "Hasher",
    "Xof",
    "ExtendableHasher",
  ];
  expect(Object.keys(modules).filter((name) => !called.has(name) && !others.includes(name))).toEqual([]);
});

describe("megabytes", () => {
  const long = "aBcdefghij".repeat(10 ** 6);
  const huge = 1n << 8_000_000n;
  // Milliseconds on an idle machine.
  const SOON = 500;

  const wrong: Record<string, () => unknown> = {
    ...Object.fromEntries(
      subjects.flatMap(({ algorithm, name }) => [
        [`${name}: a name`, () => algorithm("m", { [long]: 1 } as never)],
        [`${name}: a bigint as input`, () => algorithm(huge as never)],
        [`${name}: a bigint as an option`, () => algorithm.create({ length: huge, salt: huge } as never)],
      ]),
    ),
    "a name for createHash": () => createHash(long),
    "an option of createHash": () => createHash("blake3", { [long]: 1 } as never),
    "an option of createHmac": () => (createHmac as Loose)("blake3", "", { [long]: 1 }),
    "an option of hkdf": () => hkdf(blake2s, new Uint8Array(1), { [long]: 1 } as never),
    "an option of digestOf": () => digestOf(blake3, new Uint8Array(1), { [long]: 1 } as never),
    "an encoding": () => blake3.create().digest(long as "hex"),
    "digits that are none": () => main.fromHex(`${long}!!`),
    "a node offset": () => blake2b("m", { nodeOffset: huge }),
    "a negative node offset": () => blake2s("m", { nodeOffset: -huge }),
    "a position": () => Object.assign(blake3.create().xof(), { position: huge }),
    "an offset": () => hazmat.chainingValue("m", { offset: huge }),
    "a length of a subtree": () => hazmat.leftSubtreeLength(huge),
    "an integer": () => updateUint64LE(blake3.create(), huge),
  };

  it.each(Object.entries(wrong))("%s: refused at once, in few words", async (_, act) => {
    const text = await messageOf(act);
    await expectQuick(SOON, () => messageOf(act));
    expect(text).not.toBe("no error");
    expect(text.length, text.slice(0, 100)).toBeLessThan(400);
  });
});

describe("a pool", () => {
  it("refuses text, which may be meant as a file's name", async () => {
    const pool = new Blake3Pool({ threads: 0 });
    await expect((pool.hash as Loose)("package.json")).rejects.toThrow(
      /must be bytes, .*\{ path \}.*blake3 hashes text/,
    );
    expect(await pool.hash({ path: "package.json" })).toEqual(blake3(readFileSync("package.json")));
    await pool.close();
    expect(await messageOf(() => pool.hash(new Uint8Array()))).toBe("Blake3Pool.hash: the pool is closed");
    expect(await messageOf(() => pool.allocate(1))).toBe("Blake3Pool.allocate: the pool is closed");
  });
});

it.each(["outputLength", "length"])("createHash says how to get a length other than the name's, by %s", (option) => {
  const make = () => createHash("blake2b512", { [option]: 32 });
  const advice = `createHash("blake2b", { ${option}: 32 })`;
  expectError(make, RangeError, `blake2b512: ${option} must be 64, got number 32`, advice);
});
