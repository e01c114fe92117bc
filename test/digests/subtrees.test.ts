// Subtrees: against the Rust crate's, and put together again against the digest of the whole.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import { type Blake3Options, blake3, toHex, useBackend } from "blake-simd";
import {
  type Blake3Mode,
  chainingValue,
  leftSubtreeLength,
  maxSubtreeLength,
  mergeSubtrees,
  rootOf,
  rootXof,
  SubtreeHasher,
} from "blake-simd/hazmat";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bytes, counting, vectors } from "../vectors/index.js";

const { subtrees, merges, leftSizes, longestSubtrees, modes } = vectors("blake3");
const KiB = 1024;
const message = counting(4 * KiB * KiB + 1);

/** The whole tree, from chunks up, each node by a call of its own. */
function chainOf(from: number, to: number, mode: Blake3Mode, leaf: number): Uint8Array {
  if (to - from <= leaf) return chainingValue(message.subarray(from, to), { offset: from, ...mode });
  const middle = from + leftSubtreeLength(to - from);
  return mergeSubtrees(chainOf(from, middle, mode, leaf), chainOf(middle, to, mode, leaf), mode);
}

function halves(length: number, mode: Blake3Mode, leaf: number): [left: Uint8Array, right: Uint8Array] {
  const middle = leftSubtreeLength(length);
  return [chainOf(0, middle, mode, leaf), chainOf(middle, length, mode, leaf)];
}
afterAll(() => useBackend("simd128"));

describe.each(["baseline", "simd128"] as const)("hazmat in the %s build", (backend) => {
  beforeAll(() => useBackend(backend));

  it.each(subtrees)("chains $input bytes at $offset in mode $mode as Rust does", (subtree) => {
    const { mode, offset, input } = subtree;
    expect(toHex(chainingValue(counting(input), { offset, ...modes[mode] }))).toBe(subtree.chainingValue);
  });

  it.each(merges)("merges as Rust does in mode $mode", ({ mode, left, right, parent, root }) => {
    const pair = [bytes(left), bytes(right), modes[mode]] as const;
    expect(toHex(mergeSubtrees(...pair))).toBe(parent);
    expect(toHex(rootOf(...pair, { length: root.length / 2 }))).toBe(root);
    expect(toHex(rootOf(...pair))).toBe(root.slice(0, 64));
    const xof = rootXof(...pair);
    xof.position = 50;
    expect(toHex(xof.read(root.length / 2 - 50))).toBe(root.slice(100));
  });

  it("gives the digest of messages around every power of two, by subtrees of several sizes", () => {
    const around = Array.from({ length: 11 }, (_, i) => (2 * KiB) << i).flatMap((n) => [n - 1, n, n + 1]);
    for (const length of [KiB + 1, ...around, 3 * KiB, 5000, 100_000, 1_000_000]) {
      const digest = toHex(blake3(message.subarray(0, length)));
      for (const leaf of [64 * KiB, 1024 * KiB]) {
        expect(toHex(rootOf(...halves(length, {}, leaf))), `${length} bytes by ${leaf}`).toBe(digest);
      }
    }
    for (const length of [KiB + 1, 2 * KiB, 5000, 16 * KiB + 1, 50_000]) {
      expect(toHex(rootOf(...halves(length, {}, KiB)))).toBe(toHex(nobleBlake3(message.subarray(0, length))));
    }
  });

  it("gives the digest in every mode and of any length", () => {
    for (const mode of [{ key: counting(32) }, { context: "blake-simd 2026 test" }] as Blake3Options[]) {
      const pair = halves(30_000, mode, 4 * KiB);
      expect(toHex(rootOf(...pair, mode))).toBe(toHex(blake3(message.subarray(0, 30_000), mode)));
      const long = blake3(message.subarray(0, 30_000), { ...mode, length: 20_000 });
      expect(Buffer.compare(rootOf(...pair, mode, { length: 20_000 }), long)).toBe(0);
      expect(Buffer.compare(rootXof(...pair, mode).read(20_000), long)).toBe(0);
      expect(rootOf(...pair, mode, { length: 0 })).toEqual(new Uint8Array(0));
    }
  });

  it("chains a subtree that comes in pieces, between other work", () => {
    const whole = toHex(chainingValue(message.subarray(0, 300_000), { offset: 2 ** 30 }));
    for (const step of [100, 1000, 1024, 5000, 65_536, 70_000]) {
      const subtree = new SubtreeHasher({ offset: 2n ** 30n });
      for (let at = 0; at < 300_000; at += step) {
        subtree.update(message.subarray(at, Math.min(at + step, 300_000)));
        if (at % 7 === 0) subtree.chainingValue();
        if (at < 10_000) blake3.create().update("another").digest();
      }
      expect(subtree.bytesHashed).toBe(300_000n);
      expect(toHex(subtree.chainingValue())).toBe(whole);
      subtree.dispose();
      expect(() => subtree.update("x")).toThrow("SubtreeHasher.update: the hasher was disposed");
      expect(() => subtree.chainingValue()).toThrow("SubtreeHasher.chainingValue: the hasher was disposed");
    }
  });

  it("takes what a hash takes", () => {
    const value = toHex(chainingValue(counting(4), { offset: 1024 }));
    expect(toHex(chainingValue("\u0000\u0001\u0002\u0003", { offset: 1024n }))).toBe(value);
    expect(toHex(chainingValue(counting(4).buffer, { offset: 1024 }))).toBe(value);
    expect(toHex(chainingValue(new DataView(counting(4).buffer), { offset: 1024 }))).toBe(value);
  });

  it("leaves a hasher alone", () => {
    const hasher = blake3.create().update("abc");
    chainOf(0, 5000, { key: counting(32) }, KiB);
    rootOf(...halves(3000, { context: "x" }, KiB), { context: "x" });
    expect(hasher.update("def").digest("hex")).toBe(toHex(nobleBlake3(Buffer.from("abcdef"))));
  });
});

describe("the shape of the tree", () => {
  it("splits as Rust does", () => {
    for (const { size, leftSize } of leftSizes) {
      expect(leftSubtreeLength(size)).toBe(leftSize);
      if (size <= Number.MAX_SAFE_INTEGER) expect(leftSubtreeLength(Number(size))).toBe(Number(leftSize));
    }
  });

  it("has the limits of Rust's", () => {
    for (const { offset, longest } of longestSubtrees) {
      expect(maxSubtreeLength(offset)).toBe(longest || undefined);
      if (offset <= Number.MAX_SAFE_INTEGER)
        expect(maxSubtreeLength(Number(offset))).toBe(Number(longest) || undefined);
    }
  });
});

/** Each must throw, and say this. */
const illegal: [what: string, call: () => unknown, error: new (message: string) => Error, message: string][] = [
  [
    "an unaligned offset",
    () => chainingValue("a", { offset: 5 }),
    RangeError,
    "offset must be a multiple of 1024, got 5",
  ],
  ["an offset before 0", () => chainingValue("a", { offset: -1024 }), RangeError, "got -1024"],
  ["an offset beyond 2^64", () => chainingValue("a", { offset: 2n ** 64n }), RangeError, "got 18446744073709551616"],
  [
    "an offset that is no number",
    () => chainingValue("a", { offset: "0" as never }),
    TypeError,
    "got a string of length 1",
  ],
  [
    "an offset that no number is exact for",
    () => chainingValue("a", { offset: 2 ** 53 }),
    RangeError,
    "offset must be a bigint above 2^53 - 1, got number 9007199254740992",
  ],
  [
    "too much input for the offset",
    () => chainingValue(counting(1025), { offset: 3072 }),
    RangeError,
    "input must have at most 1024 bytes in a subtree at offset 3072, got 1025",
  ],
  ["too much text", () => chainingValue("ä".repeat(513), { offset: 1024 }), RangeError, "got 1026"],
  ["an empty subtree", () => chainingValue(""), RangeError, "input must have at least 1 byte in a subtree, got 0"],
  ["no input", () => chainingValue(undefined as never), TypeError, "input must be a string"],
  ["an unknown option", () => chainingValue("a", { length: 5 } as never), TypeError, 'unknown option "length"'],
  [
    "two modes",
    () => chainingValue("a", { key: counting(32), context: "" }),
    TypeError,
    "pass either key or context, not both",
  ],
  ["a short key", () => chainingValue("a", { key: Buffer.from("short") }), RangeError, "key must have 32 bytes, got 5"],
  ["options that are none", () => new SubtreeHasher(5 as never), TypeError, "options must be a plain object"],
  ["a short left", () => mergeSubtrees(counting(31), counting(32)), RangeError, "left must have 32 bytes, got 31"],
  ["a long right", () => rootOf(counting(32), counting(64)), RangeError, "right must have 32 bytes, got 64"],
  ["a left that is no bytes", () => rootXof("left" as never, counting(32)), TypeError, "left must be a Uint8Array"],
  ["a missing right", () => mergeSubtrees(counting(32), undefined as never), TypeError, "right must be a Uint8Array"],
  [
    "an unknown mode",
    () => mergeSubtrees(counting(32), counting(32), { offset: 0 } as never),
    TypeError,
    'unknown option "offset"',
  ],
  [
    "an unknown option of the root",
    () => rootOf(counting(32), counting(32), {}, { key: 5 } as never),
    TypeError,
    '"key"',
  ],
  ["a length out of range", () => rootOf(counting(32), counting(32), {}, { length: -1 }), RangeError, "got -1"],
  [
    "the halves of a chunk",
    () => leftSubtreeLength(1024),
    RangeError,
    "length must be more than 1024, one chunk, got 1024",
  ],
  ["the halves of too much", () => leftSubtreeLength(2n ** 64n), RangeError, "got 18446744073709551616"],
  ["the halves of nothing", () => leftSubtreeLength(undefined as never), TypeError, "got undefined"],
  ["the limit at no offset", () => maxSubtreeLength(undefined as never), TypeError, "got undefined"],
  ["the limit in a chunk", () => maxSubtreeLength(1000), RangeError, "offset must be a multiple of 1024, got 1000"],
];

/** What an error names. */
const CALLS = /^(chainingValue|leftSubtreeLength|maxSubtreeLength|mergeSubtrees|rootOf|rootXof|SubtreeHasher): /;

it.each(illegal)("refuses %s", (_, call, error, text) => {
  expect(call).toThrow(error);
  expect(call).toThrow(CALLS);
  expect(call).toThrow(text);
});

it("says first that it has been disposed of, whatever it is given", () => {
  const hasher = new SubtreeHasher().update("a");
  hasher.dispose();
  for (const [member, use] of [
    ["update", () => hasher.update(5 as never)],
    ["chainingValue", () => hasher.chainingValue()],
    ["bytesHashed", () => hasher.bytesHashed],
  ] as const) {
    expect(use).toThrow(new Error(`SubtreeHasher.${member}: the hasher was disposed`));
  }
});

it("uses the same kernel after any call", () => {
  const { Instance } = WebAssembly;
  const subtree = new SubtreeHasher({ key: counting(32) }).update("a");
  const value = chainingValue(counting(KiB), { key: counting(32) });
  let made = 0;
  WebAssembly.Instance = class extends Instance {
    constructor(module: WebAssembly.Module, imports?: WebAssembly.Imports) {
      super(module, imports);
      made++;
    }
  };
  try {
    for (const use of [
      () => subtree.chainingValue(),
      () => mergeSubtrees(value, value.slice()),
      () => rootOf(value, value.slice()),
      () => rootXof(value, value.slice()),
      () => expect(() => chainingValue("")).toThrow(RangeError),
    ]) {
      use();
      subtree.update("b");
      chainingValue("c");
    }
  } finally {
    WebAssembly.Instance = Instance;
  }
  expect(made).toBe(0);
  expect(subtree.bytesHashed).toBe(6n);
});

it("is unchanged after it refuses input", () => {
  const subtree = new SubtreeHasher({ offset: 3072 }).update(counting(1000));
  expect(() => subtree.update(counting(25))).toThrow(RangeError);
  expect(subtree.bytesHashed).toBe(1000n);
  expect(toHex(subtree.chainingValue())).toBe(toHex(chainingValue(counting(1000), { offset: 3072 })));
});

it("keeps nothing of a value that it returned: bytes are merged wherever they are from", () => {
  const at = (offset: number, length = KiB) => chainingValue(counting(length), { offset });
  const [first, second] = [mergeSubtrees(at(0), at(KiB)), mergeSubtrees(at(2 * KiB), at(3 * KiB))];
  const digest = toHex(nobleBlake3(Buffer.concat(Array(4).fill(counting(KiB)))));
  expect(toHex(rootOf(first, second))).toBe(digest);
  expect(toHex(rootOf(first.slice(), second.slice()))).toBe(digest);
  for (const [left, right] of [
    [second, first],
    [first, at(4 * KiB)],
    [at(0, 1000), at(KiB)],
  ] as const) {
    expect(toHex(rootOf(left, right))).toBe(toHex(rootOf(left.slice(), right.slice())));
    expect(toHex(rootOf(left, right))).not.toBe(digest);
    expect(toHex(mergeSubtrees(left, right))).toBe(toHex(mergeSubtrees(left.slice(), right.slice())));
  }
});

/** What another process does: hashes some pieces of a file, and writes down offsets and chaining values. */
const CHAIN_PIECES = `
import { openSync, readSync } from "node:fs";
import { chainingValue } from "blake-simd/hazmat";
const [path, length, ...offsets] = process.argv.slice(1);
const file = openSync(path);
const values = offsets.map(Number).map((offset) => {
  const piece = new Uint8Array(Number(length));
  const bytesRead = readSync(file, piece, 0, piece.length, offset);
  return [offset, Buffer.from(chainingValue(piece.subarray(0, bytesRead), { offset })).toString("hex")];
});
console.log(JSON.stringify(values));
`;

async function chainElsewhere(path: string, length: number, offsets: number[]): Promise<[number, string][]> {
  const args = ["--input-type=module", "-e", CHAIN_PIECES, path, String(length), ...offsets.map(String)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname });
  return JSON.parse(stdout);
}

it("hashes a large object from pieces hashed by other processes, in any order", async () => {
  const folder = mkdtempSync(join(tmpdir(), "blake-simd-"));
  const path = join(folder, "object");
  const length = 256 * KiB;
  writeFileSync(path, message);
  try {
    const shares = [0, 1, 2].map((share) => {
      const numbers = Array.from({ length: 17 }, (_, i) => i).filter((i) => i % 3 === share);
      return numbers.reverse().map((i) => i * length);
    });
    const found = await Promise.all(shares.map((offsets) => chainElsewhere(path, length, offsets)));
    const values = new Map(found.flat());
    expect(values.size).toBe(17);
    const chain = (from: number, to: number): Uint8Array => {
      if (to - from <= length) return bytes(values.get(from) as string);
      const middle = from + leftSubtreeLength(to - from);
      return mergeSubtrees(chain(from, middle), chain(middle, to));
    };
    const middle = leftSubtreeLength(message.length);
    const root = rootOf(chain(0, middle), chain(middle, message.length));
    expect(toHex(root)).toBe(toHex(blake3(message)));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
