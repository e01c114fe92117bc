// Many messages at once: the same digests as one by one, in the same order, for every algorithm; and where BLAKE2s and
// BLAKE3 hash them in lanes, each edge of a lane's list and of the areas of a kernel.
import { type Algorithm, blake2b, blake2s, blake3, useBackend } from "blake-simd";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eachBackend } from "../support/backends.ts";
import { expectError } from "../support/errors.ts";
import { AREA, expectBytes, pattern } from "../support/messages.ts";
import { expectedDigest, type Options } from "../support/oracle.ts";
import { eachSubject, keyOf } from "../support/subjects.ts";

type Message = Uint8Array | string;

const long = pattern(4 * AREA);
const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

/** Compares with the digests one by one. */
function expectSame(algorithm: Algorithm<Options>, messages: Message[], options?: Options): void {
  const digests = algorithm.many(messages, options);
  expect(digests).toHaveLength(messages.length);
  for (const [i, message] of messages.entries()) {
    expectBytes(digests[i]!, algorithm(message, options), `message ${i} of ${messages.length}, ${message.length} long`);
  }
}

const length = fc.oneof(
  fc.constantFrom(0, 1, 63, 64, 65, 127, 128, 129, 1023, 1024, 1025, AREA / 4, AREA / 4 + 1, AREA / 2, AREA),
  fc.integer({ min: 0, max: 300 }),
  fc.integer({ min: 0, max: 5000 }),
  fc.integer({ min: 0, max: 3 * AREA }),
);
const view = fc.tuple(length, fc.integer({ min: 0, max: 99 })).map(([n, from]) => long.subarray(from, from + n));
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 400 }),
  fc.tuple(length, fc.constantFrom("a", "é", "€", "𝄞", "\ud800")).map(([n, unit]) => unit.repeat(n / 4)),
);

eachSubject(({ name, algorithm, modes }) => {
  eachBackend(() => {
    it("gives the digests of the messages one by one, in their order", () => {
      const messages = fc.array(fc.oneof({ weight: 3, arbitrary: view }, text), { maxLength: 20 });
      const options = fc.constantFrom(undefined, ...modes);
      fc.assert(
        fc.property(messages, options, (...given) => expectSame(algorithm, ...given)),
        { numRuns: 40 },
      );
    });
  }, name);

  it("takes every kind of input, and any iterable of them, and gives arrays of their own", () => {
    const shared = new Uint8Array(new SharedArrayBuffer(70)).fill(3);
    const inputs = [
      "text",
      long.slice(0, 9).buffer,
      shared.buffer,
      shared,
      new Uint16Array(50),
      new DataView(shared.buffer, 5),
    ];
    const wanted = inputs.map((input) => algorithm(input));
    const digests = algorithm.many(inputs);
    for (const given of [digests, algorithm.many(new Set(inputs)), algorithm.many(inputs.values())]) {
      expect(given).toEqual(wanted);
    }
    algorithm.many([pattern(1000), pattern(2000), "a"]);
    expect(digests).toEqual(wanted);
    expect(new Set(digests.map(({ buffer }) => buffer)).size).toBe(inputs.length);
  });

  it("refuses what is not an iterable of inputs, and says which element is wrong", () => {
    const many = algorithm.many as (inputs: unknown, options?: unknown) => unknown;
    for (const inputs of [undefined, null, 5, "text", {}, () => {}]) {
      expectError(() => many(inputs), TypeError, `${name}.many: inputs must be an array or another iterable`);
    }
    for (const [i, inputs] of [[7], ["a", undefined], ["a", long, {}]].entries()) {
      expectError(() => many(inputs), TypeError, `${name}.many: inputs[${i}] must be`, "got ");
    }
  });
});

const lanes = [blake2s, blake3] as unknown as Algorithm<Options>[];

/** Compares with the digests of an independent implementation. */
function expectDigests(algorithm: Algorithm<Options>, messages: Message[], options: Options = {}): void {
  for (const [i, digest] of algorithm.many(messages, options).entries()) {
    const message = messages[i] as Message;
    const bytes = typeof message === "string" ? new TextEncoder().encode(message) : message;
    const wanted = expectedDigest(algorithm.algorithm, bytes, options);
    expectBytes(digest, wanted, `message ${i} of ${messages.length}, ${message.length} long`);
  }
}

const EDGES = [0, 1, 63, 64, 65, 512, 1022, 1023, 1024, 1025, 1026, 1087, 1088, 1089, 2048];
const onEdges = [...EDGES, ...EDGES].map((length, i) => long.subarray(i, i + length));

describe.each(lanes.map((algorithm) => [algorithm.algorithm, algorithm] as const))("%s", (name, algorithm) => {
  eachBackend((backend) => {
    const secretly = { key: keyOf(32) };

    it("every length up to 1100, long ones next to short ones, in every mode", () => {
      // 368 and 1101 have no common divisor.
      const shuffled = times(1101, (i) => long.subarray(i, i + ((i * 368) % 1101)));
      for (const mode of [
        {},
        secretly,
        name === "blake3" ? { context: keyOf(20) } : { salt: keyOf(8), lastNode: true },
      ]) {
        expectDigests(algorithm, shuffled, { ...mode, length: 20 });
      }
    });

    it("every count up to 20 of messages that are alike", () => {
      for (const size of [0, 1, 64, 128, 1000, 1024, 20_000]) {
        for (let count = 0; count <= 20; count++)
          expectSame(
            algorithm,
            times(count, (i) => long.subarray(i, i + size)),
          );
      }
    });

    it("more empty or short messages than a lane has blocks, with long ones after them", () => {
      for (const options of [{}, secretly])
        expectSame(algorithm, [...Array(1500).fill(""), ...times(4, () => long)], options);
      const distinct = (count: number) =>
        times(count, (i) => new Uint8Array(4 + (i % 61)).map((_, at) => (i >> (8 * (at % 3))) + at));
      for (const count of [1023, 1024, 1025, 1030, 2048]) {
        expectDigests(algorithm, [...distinct(count), ...times(4, (i) => long.subarray(i, 9000 + i))]);
      }
    });

    it("long messages among short ones", () => {
      const messages = [3 * AREA, 0, 1, AREA + 1, 100, 64, AREA / 2, 200, 2 * AREA, 5].map((n) =>
        long.subarray(n / 7, n),
      );
      for (let turn = 0; turn < messages.length; turn++) {
        messages.push(messages.shift()!);
        expectSame(algorithm, messages, turn % 2 ? secretly : undefined);
      }
    });

    it("digests of 32 bytes, then of fewer, then of 32 again", () => {
      for (const length of [32, 20, 1, 32]) {
        // The last digest of the second call has the place of the first one of the next.
        for (const inputs of [onEdges, [long.subarray(0, AREA + 1), ...onEdges]])
          expectDigests(algorithm, inputs, { length });
      }
    });

    it("texts whose bytes are more than their characters", () => {
      const counts = [...EDGES, 340, 341, 342, 343, 511, 513];
      expectDigests(
        algorithm,
        counts.flatMap((n) => ["a", "é", "€", "𝄞"].map((unit) => unit.repeat(n / unit.length))),
      );
      // An area that is nearly full.
      const first = times(4, (i) => pattern(AREA / 4 - 1024 - i));
      for (const count of [341, 342, 400, 700, 1000, 1024]) {
        const texts = ["€", "é", "𝄞"].map((unit) => unit.repeat(count / unit.length));
        expectDigests(algorithm, [...first, ...texts, ...texts, ...first]);
      }
    });

    it("messages and texts that end in the next slice", () => {
      for (const size of [10_000, 15_000, 16_383]) {
        const parts = times(12, (i) => long.subarray(i, size + 2 * i));
        expectDigests(algorithm, parts);
        expectDigests(
          algorithm,
          parts.map((part) => "€".repeat(part.length / 3)),
        );
      }
    });

    it("text, and none, after up to 70 whole chunks", () => {
      for (let count = 60; count <= 70; count++) {
        const chunks = times(count, (i) => long.subarray(i, i + 1024));
        for (const length of [0, 341, 342, 683, 1024]) expectSame(algorithm, [...chunks, "€".repeat(length), ""]);
      }
    });

    it("every length next to another hasher's waiting bytes", () => {
      useBackend(backend === "simd128" ? "baseline" : "simd128");
      useBackend(backend);
      for (let shift = 0; shift < 3; shift++) {
        const other = algorithm.create().update(long.subarray(0, AREA - 1));
        expectDigests(
          algorithm,
          times(60, (i) => long.subarray(i, i + 64 * (1 + (i % 15)) - shift)),
        );
        expectBytes(other.digest(), expectedDigest(name, long.subarray(0, AREA - 1)));
        other.dispose();
      }
    });
  }, name);
});

it("an empty message of BLAKE2's among long ones, with a key and the parameters of a tree", () => {
  const key = pattern(31);
  const messages = [pattern(1500), "", pattern(2000), pattern(1), "", pattern(1800), pattern(2500)];
  for (const algorithm of [blake2b, blake2s] as unknown as Algorithm<Options>[]) {
    for (const lastNode of [true, false]) {
      const tree = { fanout: 3, maxDepth: 2, nodeOffset: 5n, nodeDepth: 1, innerHashLength: 9, lastNode };
      for (const options of [
        { lastNode },
        { key, lastNode },
        tree,
        { ...tree, key, salt: keyOf(5), personal: keyOf(3) },
      ]) {
        expectDigests(algorithm, messages, options);
        expectDigests(algorithm, messages.toReversed(), options);
      }
    }
  }
});

it("digests of any length", () => {
  for (const length of [0, 1, 31, 32, 33, 64, 65, 5000, 20_000]) {
    expectSame(blake3 as Algorithm as Algorithm<Options>, onEdges, { context: Buffer.from("many"), length });
  }
});
