// Calls that other packages' users make, and that must not pass in silence; and hexadecimal digests in one call.
import { readFileSync } from "node:fs";
import { blake2s, blake3, toHex } from "blake-simd";
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
import {
  chainingValue,
  leftSubtreeLength,
  maxSubtreeLength,
  mergeSubtrees,
  partsOf,
  rootOf,
  rootXof,
  SubtreeCollector,
  SubtreeGroupHasher,
  SubtreeHasher,
} from "blake-simd/hazmat";
import { hkdf, hmac, nobleHash } from "blake-simd/hmac";
import { createHash, getHashes, hashFile, hashThrough } from "blake-simd/node";
import { Blake3Pool } from "blake-simd/parallel";
import { restore, save } from "blake-simd/states";
import { DigestStream, digestOf, HashStream, VerifyStream } from "blake-simd/streams";
import { describe, expect, it } from "vitest";
import { expectError } from "../support/errors.ts";
import { eachSubject, subjects } from "../support/subjects.ts";

type Loose = (...args: unknown[]) => unknown;

describe("hex", () =>
  eachSubject(({ algorithm, modes, name, oracle }) => {
    it("is the digest that an independent implementation gives, in every mode", () => {
      for (const options of modes) {
        expect(algorithm.hex("hello", options)).toBe(toHex(oracle(options).update(Buffer.from("hello")).digest()));
      }
      expect(algorithm.hex("")).toBe(toHex(oracle({}).digest()));
    });

    it("throws what the call throws", () => {
      expectError(() => (algorithm.hex as Loose)(5), TypeError, `${name}.hex: input must be`, "got a number");
      expectError(
        () => (algorithm.hex as Loose)("", { colour: 1 }),
        TypeError,
        `${name}.hex: unknown option "colour"; allowed are`,
      );
    });
  }));

describe("a call with too many arguments", () =>
  eachSubject(({ algorithm, name }) => {
    const hasher = algorithm.create().update("a");
    const bytes = new Uint8Array(64);
    const calls: [call: string, act: Loose, args: unknown[]][] = [
      [name, algorithm as unknown as Loose, ["a", {}]],
      [`${name}.hex`, algorithm.hex as Loose, ["a", {}]],
      [`${name}.into`, algorithm.into as Loose, ["a", bytes, {}]],
      [`${name}.many`, algorithm.many as Loose, [["a"], {}]],
      [`${name}.create`, algorithm.create as Loose, [{}]],
      [`${name} hasher.update`, hasher.update.bind(hasher) as Loose, ["616263"]],
      [`${name} hasher.digest`, hasher.digest.bind(hasher) as Loose, ["hex"]],
    ];

    it.each(calls)("%s throws, and the hasher stays as it was", (call, act, args) => {
      const words = `${call}: arguments must be at most ${args.length}, got ${args.length + 1}`;
      expectError(() => act(...args, { length: 32 }), TypeError, words);
      expect(hasher.digest()).toEqual(algorithm("a"));
      expect(bytes).toEqual(new Uint8Array(64));
    });
  }));

describe("every other call, but those of node:crypto, refuses arguments too many, and its object stays as it was:", () => {
  const mac = hmac.create(blake2s, Buffer.from("key")).update("a");
  const adapted = nobleHash(blake2s);
  const made =
    (Class: unknown): Loose =>
    (...args) =>
      new (Class as new (...args: unknown[]) => unknown)(...args);
  const bytes = new Uint8Array(4);
  const chunk = new Uint8Array(32);
  const subtree = new SubtreeHasher().update("a");
  const groups = new SubtreeGroupHasher({ group: 1024 }).update("a");
  const half = chainingValue("a".repeat(1024));
  const collector = new SubtreeCollector(2048, 1024).set(0, half).set(1024, half.slice());
  const content = new Uint8Array(3000);
  const tree = outboard(content, { group: 1024 });
  const shape = { root: tree.root, length: 3000, group: 1024 };
  const values = Uint8Array.of(
    ...chainingValue(content.subarray(0, 1024)),
    ...chainingValue(content.subarray(1024, 2048), { offset: 1024 }),
    ...chainingValue(content.subarray(2048), { offset: 2048 }),
  );
  const fetch = async (): Promise<Response> =>
    new Response(content, { status: 206, headers: { "Content-Range": "bytes 0-2999/3000" } });
  const calls: [call: string, act: Loose, args: unknown[]][] = [
    ["outboard", outboard as Loose, ["a", {}]],
    ["outboardOf", outboardOf as Loose, [new Uint8Array(1), {}]],
    ["outboardOfGroups", outboardOfGroups as Loose, [values, shape]],
    ["Outboard.from", Outboard.from as Loose, [tree.toBytes(), { root: tree.root, group: 1024 }]],
    ["Outboard.fromParts", Outboard.fromParts as Loose, [[], shape]],
    ["toBytes", tree.toBytes.bind(tree) as Loose, ["iroh"]],
    ["check", tree.check.bind(tree), []],
    ["rangeOf", rangeOf as Loose, [shape, {}]],
    ["nodesOf", nodesOf as Loose, [shape, {}]],
    ["OutboardStream", made(OutboardStream), [{}]],
    ["BaoEncodeStream", made(BaoEncodeStream), [tree, {}]],
    ["BaoDecodeStream", made(BaoDecodeStream), [tree.root, {}]],
    ["VerifiedRangeStream", made(VerifiedRangeStream), [tree, {}]],
    ["fetchVerified", fetchVerified as Loose, ["https://a.example", { root: tree.root, outboard: tree, fetch }]],
    ["save", save as Loose, [blake3.create()]],
    ["restore", restore as Loose, [blake3, save(blake3.create())]],
    ["chainingValue", chainingValue as Loose, ["a", {}]],
    ["mergeSubtrees", mergeSubtrees as Loose, [chunk, chunk, {}]],
    ["rootOf", rootOf as Loose, [chunk, chunk, {}, {}]],
    ["rootXof", rootXof as Loose, [chunk, chunk, {}]],
    ["partsOf", partsOf as Loose, [5000, 1024, 0]],
    ["leftSubtreeLength", leftSubtreeLength as Loose, [5000]],
    ["maxSubtreeLength", maxSubtreeLength as Loose, [1024]],
    ["SubtreeHasher", made(SubtreeHasher), [{}]],
    ["SubtreeHasher.update", subtree.update.bind(subtree) as Loose, ["a"]],
    ["SubtreeHasher.chainingValue", subtree.chainingValue.bind(subtree), []],
    ["SubtreeGroupHasher", made(SubtreeGroupHasher), [{ group: 1024 }]],
    ["SubtreeGroupHasher.update", groups.update.bind(groups) as Loose, ["a"]],
    ["SubtreeGroupHasher.groupValues", groups.groupValues.bind(groups), []],
    ["SubtreeGroupHasher.chainingValue", groups.chainingValue.bind(groups), []],
    ["SubtreeCollector", made(SubtreeCollector), [5000, 1024, {}]],
    ["SubtreeCollector.set", collector.set.bind(collector) as Loose, [0, half, undefined]],
    ["SubtreeCollector.chainingValue", collector.chainingValue.bind(collector), []],
    ["SubtreeCollector.digest", collector.digest.bind(collector) as Loose, [{}]],
    ["SubtreeCollector.xof", collector.xof.bind(collector), []],
    ["SubtreeCollector.save", collector.save.bind(collector), []],
    ["SubtreeCollector.restore", SubtreeCollector.restore as Loose, [collector.save()]],
    ["digestOf", digestOf as Loose, [blake3, new Uint8Array(1), {}]],
    ["DigestStream", made(DigestStream), [blake3, {}]],
    ["HashStream", made(HashStream), [blake3, {}]],
    ["VerifyStream", made(VerifyStream), [blake3, blake3("a"), {}]],
    ["hmac", hmac as Loose, [blake2s, new Uint8Array(3), "a"]],
    ["hmac.create", hmac.create as Loose, [blake2s, new Uint8Array(3)]],
    ["hmac-blake2s.update", mac.update.bind(mac) as Loose, ["b"]],
    ["hmac-blake2s.digest", mac.digest.bind(mac) as Loose, ["hex"]],
    ["hmac-blake2s.clone", mac.clone.bind(mac), []],
    ["hmac-blake2s.reset", mac.reset.bind(mac), []],
    ["hkdf", hkdf as Loose, [blake2s, new Uint8Array(1), {}]],
    ["hkdf.extract", hkdf.extract as Loose, [blake2s, new Uint8Array(1), "salt"]],
    ["hkdf.expand", hkdf.expand as Loose, [blake2s, new Uint8Array(1), "info", 32]],
    ["nobleHash", nobleHash as Loose, [blake2s, {}]],
    ["nobleHash(blake2s)", adapted as Loose, [bytes]],
    ["nobleHash(blake2s).create", adapted.create as Loose, []],
    ["getHashes", getHashes as Loose, []],
    ["hashFile", hashFile as Loose, [blake3, "package.json", {}]],
    ["hashThrough", hashThrough as Loose, [blake3, () => {}, {}]],
    ["Blake3Pool", made(Blake3Pool), [{ threads: 0 }]],
  ];

  it.each(calls)("%s", async (call, act, args) => {
    const words = `${call}: arguments must be at most ${args.length}, got ${args.length + 1}`;
    await expect((async () => act(...args, { length: 32 }))()).rejects.toThrow(new TypeError(words));
    expect(mac.digest()).toEqual(hmac(blake2s, Buffer.from("key"), "a"));
    expect([subtree.bytesHashed, groups.bytesHashed]).toEqual([1n, 1n]);
    expect(collector.digest()).toEqual(rootOf(half, half.slice()));
  });

  it.each(calls.filter(([call]) => !/(^check|[.](reset|update|digest))$/.test(call)))(
    "%s takes as many",
    async (_, act, args) => {
      expect(await act(...args)).toBeDefined();
    },
  );
});

describe("a pool", () => {
  const pool = new Blake3Pool({ threads: 0 });
  const loose = (method: "hash" | "allocate" | "release"): Loose => pool[method].bind(pool) as Loose;

  it("refuses arguments too many", async () => {
    const words = (call: string, most: number) =>
      `Blake3Pool.${call}: arguments must be at most ${most}, got ${most + 1}`;
    await expect(loose("hash")("a", {}, 32)).rejects.toThrow(new TypeError(words("hash", 2)));
    expectError(() => loose("allocate")(1, 2), TypeError, words("allocate", 1));
    const bytes = pool.allocate(4);
    expectError(() => loose("release")(bytes, 2), TypeError, words("release", 1));
    pool.release(bytes);
  });

  it("refuses text, which may be meant as a file's name", async () => {
    await expect(loose("hash")("package.json")).rejects.toThrow(/must be bytes, .*\{ path \}.*blake3 hashes text/);
    expect(await pool.hash({ path: "package.json" })).toEqual(blake3(readFileSync("package.json")));
  });
});

const keyed = subjects.filter(({ keyLengths }) => keyLengths.length > 0);

describe.each(keyed)("$name", ({ algorithm, name }) => {
  it.each([
    ["null", null, TypeError, "got null"],
    ["undefined", undefined, TypeError, "got undefined"],
    ["no bytes", new Uint8Array(), RangeError, "got 0"],
  ])("says of %s as a key that it is left out", (_, key, kind, got) => {
    const message = expectError(() => (algorithm as unknown as Loose)("", { key }), kind, `${name}: key must`, got);
    expect(message).toMatch(/le(ft|ave it) out/);
  });
});

describe("createHash", () => {
  it.each(["outputLength", "length"])("says how to get a length other than the name's, by %s", (option) => {
    const make = () => (createHash as unknown as Loose)("blake2b512", { [option]: 32 });
    expectError(
      make,
      RangeError,
      `blake2b512: ${option} must be 64, got number 32`,
      `createHash("blake2b", { ${option}: 32 })`,
    );
  });
});
