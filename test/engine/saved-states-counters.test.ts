// Counters that no message in a test reaches: states with a count near 2^32, 2^64 and the end, put together by hand, continue
// as the specification does.

import { blake2b as nobleBlake2b, blake2s as nobleBlake2s } from "@noble/hashes/blake2.js";
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import { type Algorithm, blake2b, blake2s, blake3 } from "blake-simd";
import { restore, save } from "blake-simd/states";
import { describe, expect, it } from "vitest";
import { eachBackend } from "../support/backends.ts";
import { expectError } from "../support/errors.ts";
import { expectBytes, pattern } from "../support/messages.ts";
import type { Options } from "../support/oracle.ts";
import { BLAKE2B, BLAKE2S, blake2 } from "../support/reference-blake2.ts";
import { build, parse, withState } from "../support/saved-state.ts";
import { finishBlake2, goOn, keyed, PLAIN } from "../support/specification.ts";
import { keyOf } from "../support/subjects.ts";
import { vectors } from "../vectors/index.ts";

const COUNT = 16;
const HEAD = 32;

function noise(length: number, seed: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length }, (_, i) => (Math.imul(i + 1, 2654435761) ^ Math.imul(seed, 40503)) >>> 13);
}

function putCount(state: DataView, count: bigint): void {
  state.setBigUint64(COUNT, count & (2n ** 64n - 1n), true);
  state.setBigUint64(COUNT + 8, count >> 64n, true);
}

describe("the plain implementations", () => {
  const lengths = [0, 1, 63, 64, 65, 127, 128, 129, 256, 257, 1000];
  const key = keyOf(32);

  it("of BLAKE2 give RFC 7693's digests of abc", () => {
    const abc = new TextEncoder().encode("abc");
    const b =
      "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d17d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923";
    const s = "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982";
    expect(Buffer.from(blake2(BLAKE2B, abc)).toString("hex")).toBe(b);
    expect(Buffer.from(blake2(BLAKE2S, abc)).toString("hex")).toBe(s);
  });

  it("of BLAKE2 agree with noble", () => {
    for (const length of lengths) {
      expectBytes(blake2(BLAKE2B, pattern(length), { key }), nobleBlake2b(pattern(length), { key }));
      expectBytes(blake2(BLAKE2S, pattern(length)), nobleBlake2s(pattern(length)));
      const both = { salt: noise(16, 1), personal: noise(16, 2), length: 21 };
      const theirs = nobleBlake2b(pattern(length), { salt: both.salt, personalization: both.personal, dkLen: 21 });
      expectBytes(blake2(BLAKE2B, pattern(length), both), theirs);
    }
  });

  it("of BLAKE2 build the tree that Python's documentation of hashlib has", () => {
    const message = new Uint8Array(6000);
    const tree = { fanout: 2, maxDepth: 2, maxLeafLength: 4096, innerHashLength: 64 };
    const left = blake2(BLAKE2B, message.subarray(0, 4096), tree);
    const right = blake2(BLAKE2B, message.subarray(4096), { ...tree, nodeOffset: 1n, lastNode: true });
    const root = { ...tree, length: 32, nodeDepth: 1, lastNode: true };
    const digest = blake2(BLAKE2B, Uint8Array.of(...left, ...right), root);
    expect(Buffer.from(digest).toString("hex")).toBe(
      "3ad2a9b37c6070e374c7a8c508fe20ca86b6ed54e286e93a0318e95e881db5aa",
    );
  });

  it("of BLAKE3 agrees with noble", () => {
    for (const length of [...lengths, 1024, 1025, 2048, 2049, 3072, 5000, 7 * 1024, 16_384, 16_385]) {
      expectBytes(goOn(PLAIN, [], 0n, pattern(length)), nobleBlake3(pattern(length)));
      expectBytes(goOn(keyed(key), [], 0n, pattern(length)), nobleBlake3(pattern(length), { key }));
    }
  });
});

const blake2Cases = [
  { algorithm: blake2b as Algorithm<Options>, word: 8 as const },
  { algorithm: blake2s as Algorithm<Options>, word: 4 as const },
];

eachBackend(() => {
  describe.each(blake2Cases)("$algorithm.algorithm", ({ algorithm, word }) => {
    const block = 16 * word;
    const limit = 2n ** BigInt(block);
    const message = pattern(5 * block + 3);

    /** A hasher that has absorbed `total` bytes, its key's block included, and the digest of it and `more` bytes. */
    function goOnFrom(total: bigint, more: number, options: Options = {}): [Uint8Array, Uint8Array] {
      const waiting = Number((total - 1n) % BigInt(block)) + 1;
      const prefix = BigInt(options.key ? block : 0);
      const chain = noise(8 * word, Number(total % 1009n));
      const buffer = noise(waiting, more);
      const saved = save(algorithm.create(options).update(pattern(2 * block)));
      const state = withState(saved, (head, bytes) => {
        head.setUint32(4, waiting, true);
        putCount(head, total - prefix);
        bytes.fill(0, HEAD);
        bytes.set(chain, HEAD);
        bytes.set(buffer, HEAD + 8 * word);
      });
      const hasher = restore(algorithm, state);
      expect(hasher.bytesHashed).toBe(total - prefix);
      const digest = hasher.update(message.subarray(0, more)).digest();
      expect(hasher.bytesHashed).toBe(total - prefix + BigInt(more));
      const rest = Buffer.concat([buffer, message.subarray(0, more)]);
      const bits = word === 8 ? 64 : 32;
      return [digest, finishBlake2(bits, chain, total - BigInt(waiting), rest, options.lastNode)];
    }

    it("continues from counts near the ends of their words as Go's does", () => {
      const { presets } = vectors(algorithm.algorithm as "blake2b" | "blake2s");
      expect(presets.length).toBeGreaterThan(20);
      const fresh = save(algorithm.create());
      for (const { count, input, digest } of presets) {
        // A block that has been counted is compressed when a byte follows it, so the first one of the input waits.
        const waiting = Math.min(input, block);
        const state = withState(fresh, (head, bytes) => {
          head.setUint32(4, waiting, true);
          putCount(head, count + BigInt(waiting));
          bytes.set(pattern(waiting), HEAD + 8 * word);
        });
        const hasher = restore(algorithm, state).update(pattern(input).subarray(waiting));
        expect(hasher.digest("hex"), `${input} bytes after ${count}`).toBe(digest);
      }
    });

    it("has the chaining values of Go's midstates", () => {
      const { chains } = vectors(algorithm.algorithm as "blake2b" | "blake2s");
      expect(chains.length).toBeGreaterThan(3);
      for (const { input, chain } of chains) {
        const { state } = parse(save(algorithm.create().update(pattern(input))));
        expect(Buffer.from(state.subarray(HEAD, HEAD + 8 * word)).toString("hex"), `${input} bytes`).toBe(chain);
      }
    });

    const bits = word === 8 ? [31n, 32n, 53n, 63n, 64n, 127n] : [31n, 32n, 53n, 63n];
    it.each(bits)("carries at 2^%s", (bit) => {
      for (const before of [1, block - 1, block, block + 1, 3 * block, 3 * block + 7]) {
        for (const more of [0, 1, before - 1, before, before + 1, message.length]) {
          const options = more % 2 ? { key: keyOf(32) } : { lastNode: before % 2 === 0 };
          const [digest, wanted] = goOnFrom(2n ** bit - BigInt(before), more, options);
          expectBytes(digest, wanted, `${before} before, ${more} more`);
        }
      }
    });

    it("counts to the end", () => {
      for (const before of [1, block, block + 1, 4 * block]) {
        const [digest, wanted] = goOnFrom(limit - BigInt(before), before - 1);
        expectBytes(digest, wanted, `${before} before the end`);
      }
    });

    it("refuses a count past the end", () => {
      const saved = save(algorithm.create({ key: keyOf(9) }).update(pattern(2 * block)));
      const beyond = withState(saved, (head) => putCount(head, limit - BigInt(block)));
      expectError(() => restore(algorithm, beyond), RangeError, "restore: state must have byte count", `got ${limit}`);
    });
  });

  describe("blake3", () => {
    const key = keyOf(32);
    const bitsSet = (value: bigint) => value.toString(2).replaceAll("0", "").length;

    /** The digest of `more` bytes after `chunks` chunks and `waiting` bytes, ours and the specified one. */
    function goOnFrom(chunks: bigint, waiting: number, more: number, options: Options): [Uint8Array, Uint8Array] {
      const depth = bitsSet(chunks);
      const stack = Array.from({ length: depth }, (_, i) => noise(32, i + 1));
      const saved = algorithmOf(depth, options);
      const state = withState(saved, (head, bytes) => {
        head.setUint32(4, waiting, true);
        putCount(head, chunks * 1024n + BigInt(waiting));
        bytes.copyWithin(64, 32, 64);
        bytes.fill(0, 96, 164);
        bytes.set(pattern(waiting), 96);
        for (const [i, cv] of stack.entries()) bytes.set(cv, 176 + 32 * i);
      });
      const message = Buffer.concat([pattern(waiting), pattern(more)]);
      const mode = options.key ? keyed(options.key) : PLAIN;
      const wanted = goOn(mode, stack, chunks, message);
      return [restore(blake3, state).update(pattern(more)).digest(), wanted];
    }

    /** A saved state with a stack of this depth. */
    function algorithmOf(depth: number, options: Options): Uint8Array {
      const saved = save(blake3.create(options as object).update("x"));
      const fields = parse(saved);
      const state = new Uint8Array(176 + 32 * depth);
      state.set(fields.state);
      return withState(build({ ...fields, state }), (head) => {
        head.setUint32(0, 176 + 32 * depth, true);
        head.setUint32(164, depth, true);
      });
    }

    const near = (chunk: bigint) => [1n, 2n, 3n, 4n, 5n, 8n, 40n, 64n].map((before) => chunk - before);
    // The chunk counter's own carries, and where the bytes' count passes 2^32 and 2^63.
    it.each([22n, 31n, 32n, 53n])("carries at chunk 2^%s", (bit) => {
      for (const chunks of near(2n ** bit)) {
        for (const more of [1, 1024, 5 * 1024 + 1, 70_000]) {
          const options = more % 2 ? { key } : {};
          const [digest, wanted] = goOnFrom(chunks, 1, more, options);
          expectBytes(digest, wanted, `${chunks} chunks, ${more} more`);
        }
      }
    });

    it("counts to the end, with the deepest stack", () => {
      for (const before of [1n, 2n, 3n, 16n]) {
        const [digest, wanted] = goOnFrom(2n ** 54n - before, 64, Number(before) * 1024 - 65, {});
        expectBytes(digest, wanted, `${before} chunks before the end`);
      }
    });

    it("refuses a count past the end", () => {
      const beyond = withState(save(blake3.create().update(pattern(2000))), (head) =>
        putCount(head, 2n ** 64n + 2000n),
      );
      expectError(
        () => restore(blake3, beyond),
        RangeError,
        "restore: state must have byte count",
        `got ${2n ** 64n + 2000n}`,
      );
    });
  });
});
