// BLAKE-224, -256, -384 and -512: every length, cut and salt against @noble/hashes; counters at their ends.

import {
  blake224 as noble224,
  blake256 as noble256,
  blake384 as noble384,
  blake512 as noble512,
} from "@noble/hashes/blake1.js";
import { type Algorithm, algorithms, type Blake1Options, type Hasher } from "blake-simd";
import { blake224, blake256, blake384, blake512 } from "blake-simd/blake1";
import { restore, save } from "blake-simd/states";
import { describe, expect, it } from "vitest";
import { eachBackend } from "../support/backends.ts";
import { AREA } from "../support/messages.ts";
import { parse, withState } from "../support/saved-state.ts";
import { counting, vectors } from "../vectors/index.ts";

const LAST = 1100;
const message = counting(3 * AREA + 1);

interface OracleHash {
  update(piece: Uint8Array): unknown;
  clone(): OracleHash;
  digest(): Uint8Array;
}

interface Oracle {
  (input: Uint8Array, options?: { salt?: Uint8Array }): Uint8Array;
  create(options?: { salt?: Uint8Array }): OracleHash;
}

interface Case {
  readonly name: "blake224" | "blake256" | "blake384" | "blake512";
  readonly algorithm: Algorithm<Blake1Options>;
  readonly oracle: Oracle;
  readonly saltLength: number;
}

const cases: readonly Case[] = [
  { name: "blake224", algorithm: blake224, oracle: noble224, saltLength: 16 },
  { name: "blake256", algorithm: blake256, oracle: noble256, saltLength: 16 },
  { name: "blake384", algorithm: blake384, oracle: noble384, saltLength: 32 },
  { name: "blake512", algorithm: blake512, oracle: noble512, saltLength: 32 },
];

function saltOf({ saltLength }: Case): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: saltLength }, (_, i) => 255 - 7 * i);
}

const hex = (digest: Uint8Array): string => Buffer.from(digest).toString("hex");

/** The independent digest of the message's first bytes. */
function expected({ oracle }: Case, length: number, options: { salt?: Uint8Array } = {}): string {
  return hex(oracle(message.subarray(0, length), options));
}

/** Lengths at which the padding takes another block, and at which bytes reach the kernel another way. */
function edges({ blockLength }: { blockLength: number }): number[] {
  const lengthField = blockLength / 8;
  return [blockLength, 2 * blockLength, AREA, AREA + blockLength, 2 * AREA].flatMap((size) =>
    [-lengthField - 1, -lengthField, -1, 0, 1].map((offset) => size + offset),
  );
}

describe.each(cases)("$name", (subject) => {
  const { name, algorithm, oracle, saltLength } = subject;
  const salted = { salt: saltOf(subject) };
  const modes: readonly { salt?: Uint8Array<ArrayBuffer> }[] = [{}, salted];

  it("is what the package and its entry export, with the sizes of the paper", () => {
    expect(algorithms[name]).toBe(algorithm);
    expect(algorithm.algorithm).toBe(name);
    expect(algorithm.digestLength).toBe(Number(name.slice(5)) / 8);
    expect(algorithm.blockLength).toBe(4 * saltLength);
  });

  eachBackend(() => {
    it.each(modes)("every length from 0 to 1100 under %o, whole and byte by byte", (options) => {
      const hasher = algorithm.create(options);
      const reference = oracle.create(options);
      const output = new Uint8Array(algorithm.digestLength);
      for (let length = 0; length <= LAST; length++) {
        const wanted = hex(reference.clone().digest());
        const input = message.subarray(0, length);
        expect(hex(algorithm(input, options)), `${length} bytes`).toBe(wanted);
        expect(hex(algorithm.into(input, output, options)), `${length} bytes into`).toBe(wanted);
        expect(hasher.digest("hex"), `${length} bytes, one at a time`).toBe(wanted);
        hasher.update(message.subarray(length, length + 1));
        reference.update(message.subarray(length, length + 1));
      }
    });

    it.each(modes)("cut at the edges of blocks, padding and input areas under %o", (options) => {
      for (const length of edges(algorithm)) {
        const wanted = expected(subject, length, options);
        expect(hex(algorithm(message.subarray(0, length), options)), `${length} bytes`).toBe(wanted);
        for (const at of edges(algorithm).filter((edge) => edge <= length)) {
          const hasher = algorithm.create(options).update(message.subarray(0, at));
          // A digest in between makes the kernel absorb what was gathered.
          hasher.digest();
          expect(hasher.update(message.subarray(at, length)).digest("hex"), `${at} of ${length} bytes`).toBe(wanted);
        }
      }
    });

    it("clones and starts again under the same salt", () => {
      const hasher = algorithm.create(salted).update(message.subarray(0, 100));
      const clone = hasher.clone().update(message.subarray(100, 300));
      expect(hasher.digest("hex")).toBe(expected(subject, 100, salted));
      expect(clone.digest("hex")).toBe(expected(subject, 300, salted));
      expect(hasher.reset().update(message.subarray(0, 7)).digest("hex")).toBe(expected(subject, 7, salted));
      expect(hasher.bytesHashed).toBe(7n);
      expect(hex(algorithm(message.subarray(0, 7)))).toBe(expected(subject, 7));
    });

    it("keeps hashers of both digest lengths of a kernel apart", () => {
      const both = cases.filter((other) => other.saltLength === saltLength);
      const hashers = both.map((other) => other.algorithm.create());
      for (let at = 0; at < 500; at += 50) for (const each of hashers) each.update(message.subarray(at, at + 50));
      both.forEach((other, i) => {
        expect(hashers[i]!.digest("hex")).toBe(expected(other, 500));
      });
    });

    it("takes a salt of any kind of input; one of zeros is none", () => {
      const input = message.subarray(0, 200);
      const text = "é".repeat(saltLength / 2);
      const options = { salt: new TextEncoder().encode(text) };
      const wanted = expected(subject, 200, options);
      expect(hex(algorithm(input, { salt: text }))).toBe(wanted);
      expect(hex(algorithm(input, { salt: options.salt.buffer }))).toBe(wanted);
      expect(hex(algorithm(input, { salt: new DataView(options.salt.buffer) }))).toBe(wanted);
      expect(hex(algorithm(input, { salt: new Uint8Array(saltLength) }))).toBe(expected(subject, 200));
      expect(hex(algorithm(input, {}))).toBe(expected(subject, 200));
    });
  });

  /** Every way to set options; each has to refuse wrong ones. */
  function refusals(options: unknown): (() => unknown)[] {
    const wrong = options as Blake1Options;
    return [
      () => algorithm("text", wrong),
      () => algorithm.into("text", new Uint8Array(64), wrong),
      () => algorithm.create(wrong),
    ];
  }

  it.each([0, 1, saltLength - 1, saltLength + 1, 48 - saltLength])("refuses a salt of %i bytes", (length) => {
    const wanted = `: salt must have ${saltLength} bytes, got ${length || "0: leave it out"}`;
    for (const act of refusals({ salt: new Uint8Array(length) })) expect(act).toThrow(wanted);
    for (const act of refusals({ salt: "s".repeat(length) })) expect(act).toThrow(wanted);
  });

  it.each([null, 5, 5n, true, {}, [1, 2]])("refuses %o as a salt", (salt) => {
    for (const act of refusals({ salt })) {
      expect(act).toThrow(TypeError);
      expect(act).toThrow(": salt must be ");
    }
  });

  it.each(["length", "key", "personal", "Salt"])("refuses the option %s", (option) => {
    const wanted = `: unknown option "${option}"; ${option === "Salt" ? 'did you mean "salt"?' : "allowed are salt"}`;
    for (const act of refusals({ [option]: 32 })) expect(act).toThrow(wanted);
  });

  it("hashes as before after a refusal", () => {
    const hasher = algorithm.create().update("te");
    for (const act of refusals({ salt: "short" })) expect(act).toThrow(RangeError);
    expect(hasher.update("xt").digest("hex")).toBe(hex(oracle(new TextEncoder().encode("text"))));
    expect(hex(algorithm("text"))).toBe(hasher.digest("hex"));
  });
});

// Where a saved state's kernel state has its byte count and chaining value (docs/states.md).
const COUNT = 16;
const CHAIN = 32;

/** A hasher as if `count` bytes, whole blocks, had come before and left the chaining value alone. */
function preset(algorithm: Algorithm<Blake1Options>, count: bigint, options?: Blake1Options): Hasher {
  const fresh = save(algorithm.create(options));
  const state = withState(fresh, (view) => {
    view.setBigUint64(COUNT, count & (2n ** 64n - 1n), true);
    view.setBigUint64(COUNT + 8, count >> 64n, true);
  });
  return restore(algorithm, state);
}

describe.each(cases)("$name beyond what can be hashed in a test", ({ name, algorithm, saltLength }) => {
  const { presets } = vectors(name);

  eachBackend(() => {
    it("continues from counts near the ends of their words", () => {
      expect(presets.length).toBeGreaterThan(20);
      for (const { count, input, options, digest } of presets) {
        const hasher = preset(algorithm, count, options);
        expect(hasher.bytesHashed).toBe(count);
        hasher.update(counting(input));
        expect(hasher.digest("hex"), `${input} bytes after ${count}`).toBe(digest);
        expect(hasher.bytesHashed).toBe(count + BigInt(input));
      }
    });
  });

  it("restores no count of more bits than two words hold", () => {
    const limit = 2n ** BigInt(4 * saltLength - 3);
    const last = limit - BigInt(algorithm.blockLength);
    expect(preset(algorithm, last).bytesHashed).toBe(last);
    const wanted = `restore: state must have byte count from 0 to ${limit - 1n}, got ${limit}`;
    expect(() => preset(algorithm, limit)).toThrow(new RangeError(wanted));
  });
});

describe.each(["blake224", "blake256"] as const)("%s", (name) => {
  const { chains } = vectors(name);
  const algorithm = algorithms[name];

  eachBackend(() => {
    it("has the chaining values of Go's midstates", () => {
      expect(chains.length).toBeGreaterThan(4);
      for (const { input, options, chain } of chains) {
        const { state } = parse(save(algorithm.create(options).update(counting(input))));
        const words = Buffer.from(state.subarray(CHAIN, CHAIN + 32)).swap32();
        expect(words.toString("hex"), `${input} bytes`).toBe(chain);
      }
    });
  });
});
