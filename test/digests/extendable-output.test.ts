// Extendable outputs: as other implementations read them, in any pieces, from any place, and at both ends.
import {
  type Algorithm,
  blake2b,
  blake2xb,
  blake2xs,
  blake3,
  type ExtendableHasher,
  useBackend,
  type Xof,
} from "blake-simd";
import { describe, expect, it } from "vitest";
import { eachBackend } from "../support/backends.ts";
import { expectError } from "../support/errors.ts";
import { expectBytes, pattern } from "../support/messages.ts";
import { type CommonOptions, expected, keyOf, subjects } from "../support/subjects.ts";
import { bytes, vectors } from "../vectors/index.ts";

type Extendable = Algorithm<CommonOptions, ExtendableHasher>;

const { xof: blake3Reads, modes } = vectors("blake3");
const END = 2n ** 64n - 1n;

/**
 * Where an output ends whose length was not declared, the longest that can be declared, and reads by other
 * implementations.
 */
const table = [
  { name: "blake2xb", algorithm: blake2xb, end: 2n ** 38n, longest: 2 ** 32 - 2, reads: vectors("blake2xb").xof },
  { name: "blake2xs", algorithm: blake2xs, end: 2n ** 37n, longest: 2 ** 16 - 2, reads: vectors("blake2xs").xof },
  {
    name: "blake3",
    algorithm: blake3,
    end: END,
    longest: undefined,
    reads: blake3Reads.map(({ mode, ...read }) => ({ ...read, options: modes[mode] })),
  },
].map((row) => ({ ...row, algorithm: row.algorithm as Extendable }));

describe.each(table)("$name", ({ name, algorithm, end, longest, reads }) => {
  const subject = subjects.find((each) => each.name === name)!;
  const message = pattern(1000);
  const length = 40_000;
  const options = { length };
  const whole = expected(subject, message, options);
  const reader = (): Xof => algorithm.create(options).update(message).xof();

  eachBackend((backend) => {
    it("is what other implementations read, up to the end", () => {
      expect(reads.some(({ position, output }) => position + BigInt(output.length / 2) === end)).toBe(true);
      for (const { input, options, position, output } of reads) {
        const xof = algorithm
          .create(options as never)
          .update(pattern(input))
          .xof();
        xof.position = position;
        expectBytes(xof.read(output.length / 2), bytes(output), `position ${position}`);
        expect(xof.position).toBe(position + BigInt(output.length / 2));
      }
    });

    it("is the same in any pieces, from anywhere", () => {
      const xof = reader();
      for (let position = 0; position <= 330; position++) {
        for (const size of [0, 1, 31, 32, 33, 63, 64, 65, 128, 193, 256, 257, 511, 512]) {
          xof.position = position;
          expectBytes(xof.read(size), whole.subarray(position, position + size), `${size} bytes from ${position}`);
        }
      }
      for (const step of [61, 64, 4096, 16_384, 16_385, length]) {
        const output = new Uint8Array(length);
        xof.position = 0;
        for (let at = 0; at < length; at += step) xof.readInto(output.subarray(at, at + step));
        expectBytes(output, whole, `steps of ${step}`);
      }
    });

    it("begins with the digest, whatever lengths are declared", () => {
      for (const length of [undefined, 1, 31, 32, 33, 64, 65, 200, 16_384, 16_385]) {
        const options = length === undefined ? {} : { length };
        const digest = expected(subject, message, options);
        const hasher = algorithm.create(options).update(message);
        expectBytes(hasher.digest(), digest);
        expectBytes(hasher.clone().xof().read(digest.length), digest);
      }
    });

    it("is not disturbed by its hasher, by others, by one-shots or by another build", () => {
      const hasher = algorithm.create(options).update(message);
      const keyed = { length, key: keyOf(32) };
      const readers = [hasher.xof(), algorithm.create(keyed).update(message).xof()];
      const outputs = [whole, expected(subject, message, keyed)];
      for (let at = 0; at < 3000; at += 300) {
        for (const [i, xof] of readers.entries()) expectBytes(xof.read(300), outputs[i]!.subarray(at, at + 300));
        hasher.update(pattern(at));
        algorithm("one-shot");
        useBackend(backend === "simd128" || at % 600 ? "baseline" : "simd128");
      }
      hasher.dispose();
      readers[0]!.position = 0n;
      expectBytes(readers[0]!.read(3000), whole.subarray(0, 3000));
    });

    it("ends where it does: a read beyond reads nothing", () => {
      for (const [options, last] of [
        [{ length: 100 }, name === "blake3" ? END : 100n],
        [{ length: longest ?? 5 }, longest ? BigInt(longest) : END],
        [{}, end],
      ] as const) {
        const xof = algorithm.create(options).update("x").xof();
        xof.position = last - 3n;
        const untouched = new Uint8Array(4).fill(7);
        const must = `length must be at most 3 at position ${last - 3n}, got 4`;
        expectError(() => xof.read(4), RangeError, `${name} reader.read: ${must}`);
        expectError(() => xof.readInto(untouched), RangeError, `${name} reader.readInto: ${must}`);
        expectBytes(untouched, new Uint8Array(4).fill(7));
        expect(xof.position).toBe(last - 3n);
        expect(xof.read(3)).toHaveLength(3);
        expect(xof.position).toBe(last);
        expect(xof.read(0)).toHaveLength(0);
        expectError(
          () => Object.assign(xof, { position: last + 1n }),
          RangeError,
          `${name} reader.position`,
          `${last}`,
        );
      }
    });
  }, name);

  it("has positions and lengths that are whole numbers, and does not move for others", () => {
    const xof = algorithm.create().xof();
    xof.position = 10;
    const range = `position must be an integer from 0 to ${end}, got`;
    for (const [value, kind, text] of [
      [-1, RangeError, `${range} -1`],
      [1.5, RangeError, `${range} 1.5`],
      [2n ** 64n, RangeError, `${range} ${2n ** 64n}`],
      [2 ** 53, RangeError, "position must be a bigint above 2^53 - 1, got number 9007199254740992"],
      ["5", TypeError, "position must be a number or a bigint, got a string of length 1"],
      [undefined, TypeError, "position must be a number or a bigint, got undefined"],
    ] as const) {
      expectError(() => Object.assign(xof, { position: value }), kind, `${name} reader.position: ${text}`);
    }
    for (const length of [-1, 1.5, Number.NaN, 2 ** 53]) expect(() => xof.read(length)).toThrow(RangeError);
    for (const length of [undefined, "5", 5n, Symbol("5")]) {
      expectError(() => xof.read(length as never), TypeError, `${name} reader.read: length must be a number, got`);
    }
    expectError(() => xof.read(Number.MAX_SAFE_INTEGER), RangeError, `${name} reader.read: length must be`);
    expect(xof.position).toBe(10n);
    for (const position of [2n ** 32n, 2n ** 36n + 2n ** 32n]) {
      xof.position = position - 1n;
      const [first, second] = [xof.read(1), xof.read(1)];
      expect(xof.position).toBe(position + 1n);
      xof.position = position - 1n;
      expectBytes(xof.read(2), Uint8Array.of(...first, ...second));
    }
  });

  it("is gone after dispose", () => {
    const xof = reader();
    xof.dispose();
    xof.dispose();
    const gone = (method: string) => `${name} reader.${method}: the reader was disposed`;
    expectError(() => xof.read(1), Error, gone("read"));
    expectError(() => xof.readInto(5 as never), Error, gone("readInto"));
    expectError(() => Object.assign(xof, { position: 1 }), Error, gone("position"));
    const hasher = algorithm.create();
    hasher.dispose();
    expectError(() => hasher.xof(), Error, `${name} hasher.xof: the hasher was disposed`);
  });
});

it("is there for extendable outputs alone", () => {
  // @ts-expect-error: the type has no such method either
  expect(blake2b.create().xof).toBeUndefined();
});
