// BLAKE2Xb and BLAKE2Xs: outputs read from anywhere, the two meanings of length, and what is refused. own-vectors.test.ts
// and official-vectors.test.ts compare whole outputs with other implementations.
import { type Algorithm, blake2xb, blake2xs, type ExtendableHasher, toHex } from "blake-simd";
import { describe, expect, it } from "vitest";
import { eachBackend } from "../support/backends.ts";
import { expectError } from "../support/errors.ts";
import { expectBytes, pattern } from "../support/messages.ts";
import { bytes, vectors } from "../vectors/index.ts";

interface Options {
  length?: number;
  key?: Uint8Array;
  salt?: Uint8Array;
  personal?: Uint8Array;
}

interface Variant {
  readonly name: "blake2xb" | "blake2xs";
  readonly algorithm: Algorithm<Options, ExtendableHasher>;
  /** The longest output that can be asked for beforehand. */
  readonly longest: number;
  /** Bytes of output if the length is unknown. */
  readonly extent: bigint;
}

const variants: Variant[] = [
  { name: "blake2xb", algorithm: blake2xb, longest: 2 ** 32 - 2, extent: 2n ** 38n },
  { name: "blake2xs", algorithm: blake2xs, longest: 2 ** 16 - 2, extent: 2n ** 37n },
];

describe.each(variants)("$name", ({ name, algorithm, longest, extent }) => {
  const { digestLength } = algorithm;

  eachBackend(() => {
    it("reads outputs of unknown length as other implementations do, up to their end", () => {
      const { xof } = vectors(name);
      expect(xof.some(({ position, output }) => position + BigInt(output.length / 2) === extent)).toBe(true);
      for (const { input, options, position, output } of xof) {
        const reader = algorithm.create(options).update(pattern(input)).xof();
        reader.position = position;
        expectBytes(reader.read(output.length / 2), bytes(output), `position ${position}`);
      }
    });

    it("gives as its digest the first bytes of the output", () => {
      const message = pattern(777);
      for (const length of [undefined, 1, 31, 32, 33, 64, 65, 200, 16_384, 16_385, 50_000]) {
        const options = length === undefined ? {} : { length };
        const digest = algorithm(message, options);
        expect(digest).toHaveLength(length ?? digestLength);
        const hasher = algorithm.create(options).update(message);
        expectBytes(hasher.digest(), digest);
        expectBytes(hasher.xof().read(digest.length), digest);
      }
    });

    it("gives each length an output of its own, the unknown one as well", () => {
      const starts = [undefined, 8, 9, digestLength, 5000].map((length) =>
        toHex(algorithm("x", length === undefined ? {} : { length }).subarray(0, 8)),
      );
      expect(new Set(starts).size).toBe(starts.length);
    });

    it("reads the same output in any pieces, from anywhere", () => {
      const whole = algorithm("seed", { length: 3000 });
      const hasher = algorithm.create({ length: 3000 }).update("seed");
      for (const piece of [1, 7, 31, 32, 63, 64, 65, 128, 250, 1000]) {
        const reader = hasher.xof();
        for (let at = 0; at < whole.length; at += piece) {
          const part = reader.read(Math.min(piece, whole.length - at));
          expectBytes(part, whole.subarray(at, at + piece), `${part.length} bytes from ${at}`);
        }
      }
      const reader = hasher.xof();
      for (let at = 0; at <= 300; at++) {
        for (const n of [1, 33, 64, 130]) {
          reader.position = at;
          expectBytes(reader.read(n), whole.subarray(at, at + n), `${n} bytes from ${at}`);
        }
      }
    });

    it("reads nothing past the end of an output", () => {
      for (const [options, end] of [
        [{ length: 100 }, 100n],
        [{ length: longest }, BigInt(longest)],
        [{}, extent],
      ] as const) {
        const reader = algorithm.create(options).update("x").xof();
        reader.position = end - 3n;
        expectError(() => reader.read(4), RangeError, name, "at most 3");
        expectError(() => reader.readInto(new Uint8Array(4)), RangeError, name, "at most 3");
        expect(reader.position).toBe(end - 3n);
        expect(reader.read(3)).toHaveLength(3);
        expect(reader.position).toBe(end);
        expect(reader.read(0)).toHaveLength(0);
        expectError(
          () => {
            reader.position = end + 1n;
          },
          RangeError,
          name,
          `${end}`,
        );
      }
    });

    it("pads short salts and personals with zeros, and distinguishes all parameters", () => {
      const parameters = { salt: pattern(3), personal: pattern(5) };
      const padded = { salt: new Uint8Array(digestLength / 4), personal: new Uint8Array(digestLength / 4) };
      padded.salt.set(parameters.salt);
      padded.personal.set(parameters.personal);
      expectBytes(algorithm("m", parameters), algorithm("m", padded));
      const key = pattern(6);
      const ways = [{}, { salt: key }, { personal: key }, { key }, { key, salt: key }, { length: 40 }];
      expect(new Set(ways.map((options) => toHex(algorithm("m", options).subarray(0, 32)))).size).toBe(ways.length);
    });
  });

  it("refuses what its parameters cannot be", () => {
    for (const length of [0, -1, 1.5, longest + 1, Number.NaN]) {
      expectError(() => algorithm("", { length }), RangeError, name, `from 1 to ${longest}`, `got ${length}`);
    }
    for (const option of ["salt", "personal"]) {
      const value = new Uint8Array(digestLength / 4 + 1);
      expectError(() => algorithm.create({ [option]: value }), RangeError, name, `0 to ${digestLength / 4} bytes`);
    }
    expectError(
      () => algorithm("", { fanout: 1 } as never),
      TypeError,
      name,
      'unknown option "fanout"; allowed are length, key, salt, personal',
    );
  });
});
