// Many messages at once: the same digests as one by one, in the same order, for every algorithm.
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import { type Algorithm, algorithms, blake2b, blake2s, blake3, toHex, useBackend } from "blake-simd";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eachBackend } from "../support/backends.ts";
import { expectError } from "../support/errors.ts";
import { differingAreas, watchInstances } from "../support/memory.ts";
import { AREA, expectBytes, pattern } from "../support/messages.ts";

const instances = watchInstances();

type Options = { length?: number; key?: Uint8Array; salt?: Uint8Array };
type Message = Uint8Array | string;

/** What each family calls its secret, and how the rest of its options may look. */
function optionsOf(name: string): { secret: (bytes: Uint8Array) => Options; more: Options[] } {
  if (/^blake\d\d\d$/.test(name)) {
    const length = name === "blake224" || name === "blake256" ? 16 : 32;
    return { secret: (bytes) => ({ salt: bytes.subarray(0, length) }), more: [] };
  }
  const length = name === "blake3" ? 32 : 17;
  const secret = (bytes: Uint8Array) => ({ key: bytes.subarray(0, length) });
  return { secret, more: [{ length: 20 }, { ...secret(pattern(99)), length: 7 }] };
}

const all = Object.entries(algorithms).map(([name, algorithm]) => {
  const { secret, more } = optionsOf(name);
  return { name, algorithm: algorithm as unknown as Algorithm<Options>, secret, secretly: secret(pattern(99)), more };
});

const bytes = pattern(4 * AREA);

/** Digests one by one, to compare with. */
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
const view = fc.tuple(length, fc.integer({ min: 0, max: 99 })).map(([n, from]) => bytes.subarray(from, from + n));
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 400 }),
  fc.tuple(length, fc.constantFrom("a", "é", "€", "𝄞", "\ud800")).map(([n, unit]) => unit.repeat(n / 4)),
);

describe.each(all)("$name", ({ name, algorithm, secret, secretly, more }) => {
  eachBackend((backend) => {
    it("gives the digests of the messages one by one, in their order", () => {
      const options = fc.constantFrom<Options | undefined>(undefined, secretly, ...more);
      fc.assert(
        fc.property(fc.array(fc.oneof({ weight: 3, arbitrary: view }, text), { maxLength: 20 }), options, (...given) =>
          expectSame(algorithm, ...given),
        ),
        { numRuns: 60 },
      );
    });

    it("hashes every count up to 20 of messages that are alike", () => {
      for (const size of [0, 1, 64, 128, 1000, 1024, 20_000]) {
        for (let count = 0; count <= 20; count++) {
          expectSame(
            algorithm,
            Array.from({ length: count }, (_, i) => bytes.subarray(i, i + size)),
          );
        }
      }
    });

    it("hashes every length up to 1100, together with others", () => {
      expectSame(
        algorithm,
        Array.from({ length: 1101 }, (_, i) => bytes.subarray(i, 2 * i)),
      );
    });

    it("hashes more empty messages than a lane has blocks", () => {
      // With long ones after them, so that lanes pay off.
      const messages = [...new Array<string>(1500).fill(""), ...new Array(4).fill(bytes.subarray(0, 3 * AREA))];
      for (const options of [{}, secretly]) {
        const [empty, long] = [algorithm("", options), algorithm(messages.at(-1)!, options)];
        const digests = algorithm.many(messages, options);
        for (const [i, digest] of digests.entries()) expectBytes(digest, i < 1500 ? empty : long);
      }
    });

    it("hashes long messages among short ones", () => {
      const messages = [3 * AREA, 0, 1, AREA + 1, 100, 64, AREA / 2, 200, 2 * AREA, 5].map((n) =>
        bytes.subarray(n / 7, n),
      );
      for (const options of [undefined, secretly]) {
        for (let turn = 0; turn < messages.length; turn++) {
          messages.push(messages.shift()!);
          expectSame(algorithm, messages, options);
        }
      }
    });

    it("takes every kind of input, and any iterable of them", () => {
      const shared = new Uint8Array(new SharedArrayBuffer(70)).fill(3);
      const inputs = [
        "text",
        bytes.slice(0, 9).buffer,
        shared.buffer,
        shared,
        new Uint16Array(50),
        new DataView(shared.buffer, 5),
      ];
      const wanted = inputs.map((input) => algorithm(input));
      expect(algorithm.many(inputs)).toEqual(wanted);
      expect(algorithm.many(new Set(inputs))).toEqual(wanted);
      expect(algorithm.many(inputs.values())).toEqual(wanted);
    });

    it("gives arrays of their own", () => {
      const digests = algorithm.many(["a", "b", "a"]);
      expect(new Set(digests.map(({ buffer }) => buffer)).size).toBe(3);
      const kept = digests.map((digest) => digest.slice());
      algorithm.many([pattern(1000), pattern(2000), "a"]);
      expect(digests).toEqual(kept);
    });

    it("leaves hashers and inputs as they were", () => {
      const hasher = algorithm.create(secretly).update("begun");
      const inputs = [bytes.slice(0, 10), bytes.slice(0, 2000)];
      algorithm.many(inputs, secretly);
      expect(inputs).toEqual([bytes.slice(0, 10), bytes.slice(0, 2000)]);
      expectBytes(hasher.update(" and done").digest(), algorithm("begun and done", secretly));
    });

    it("leaves nothing in memory that reveals messages or the key", () => {
      useBackend(backend === "simd128" ? "baseline" : "simd128");
      useBackend(backend);
      const [first, second] = [1, 2].map((byte) => {
        const bytes = new Uint8Array(AREA + 5).fill(byte);
        const messages = [0, 1, 50, 64, 1000, 1024, 1025, AREA, AREA + 5].map((n) => bytes.subarray(0, n));
        for (let count = 1; count <= messages.length; count++) {
          algorithm.many(messages.slice(-count), secret(bytes));
        }
        return instances.at(-1)!.bytes.slice();
      });
      expect(differingAreas(first!, second!)).toEqual([]);
    });

    it("refuses what is not an iterable of inputs, and says which element is wrong", () => {
      const many = algorithm.many as (inputs: unknown, options?: unknown) => unknown;
      for (const inputs of [undefined, null, 5, "text", {}, () => {}]) {
        expectError(() => many(inputs), TypeError, `${name}.many: inputs must be an array or another iterable`);
      }
      expectError(() => many(["a", bytes, 7]), TypeError, `${name}.many: inputs[2] must be`, "got a number");
      expectError(
        () => many([bytes.subarray(0, 5), undefined, "a"]),
        TypeError,
        name,
        "inputs[1] must be",
        "got undefined",
      );
      expectError(() => many(["a"], { color: 1 }), TypeError, name, "unknown option");
      expectError(() => many([], { [Object.keys(secretly)[0]!]: pattern(99) }), RangeError, name, "must have");
      expect(toHex(algorithm.many(["a"])[0]!)).toBe(toHex(algorithm("a")));
    });
  });
});

it("takes tree parameters like the call", () => {
  const options = { salt: "s", personal: "p", fanout: 3, nodeOffset: 9n, lastNode: true, innerHashLength: 11 };
  for (const algorithm of [blake2b, blake2s]) {
    const inputs = Array.from({ length: 9 }, (_, i) => bytes.subarray(0, 77 * i));
    expect(algorithm.many(inputs, options)).toEqual(inputs.map((input) => algorithm(input, options)));
  }
});

it("takes a context and any length like the call", () => {
  const inputs = Array.from({ length: 9 }, (_, i) => bytes.subarray(0, 177 * i));
  for (const length of [0, 1, 31, 32, 33, 64, 65, 5000]) {
    const options = { context: "many", length };
    expect(blake3.many(inputs, options)).toEqual(inputs.map((input) => blake3(input, options)));
  }
});

describe("blake3 in the lanes", () => {
  const modes = [{}, { key: pattern(32) }, { context: pattern(20) }];

  /** Every length up to 1100, long ones next to short ones: 368 and 1101 have no common divisor. */
  const shuffled = Array.from({ length: 1101 }, (_, i) => bytes.subarray(i, i + ((i * 368) % 1101)));

  eachBackend((backend) => {
    it.each(modes)("gives @noble/hashes' digests of every length up to 1100, %o", (mode) => {
      expect(new Set(shuffled.map((message) => message.length)).size).toBe(1101);
      for (const length of [32, 20]) {
        const digests = blake3.many(shuffled, { ...mode, length });
        for (const [i, message] of shuffled.entries()) {
          expectBytes(digests[i]!, nobleBlake3(message, { ...mode, dkLen: length }), `${message.length} bytes`);
        }
      }
    });

    it("calls the kernel once for what its input area takes, but not for what is little or long", () => {
      useBackend(backend === "simd128" ? "baseline" : "simd128");
      useBackend(backend);
      blake3("");
      const { calls } = instances.at(-1)!;
      const callsFor = (messages: Message[], options?: Options) => {
        calls.length = 0;
        blake3.many(messages, options);
        return calls.map(({ name }) => name).join(" ");
      };
      const [short, long] = [64, 3000].map((length) => new Array(60).fill(bytes.subarray(0, length)));
      const loop = (count: number) => new Array(count).fill("hash").join(" ");
      expect(callsFor(short!)).toBe(backend === "simd128" ? "many" : loop(60));
      const chunks = new Array(65).fill(bytes.subarray(0, 1024));
      expect(callsFor(chunks)).toBe(backend === "simd128" ? "many many" : loop(65));
      expect(callsFor(short!.slice(0, 3))).toBe(loop(3));
      expect(callsFor(long!)).toBe(loop(60));
      expect(callsFor([...short!, ...long!])).toBe(backend === "simd128" ? `many ${loop(60)}` : loop(120));
    });

    it("hashes texts of about a chunk, whose bytes may be more", () => {
      const counts = [0, 1, 340, 341, 342, 343, 511, 512, 513, 1023, 1024, 1025];
      const texts = ["a", "é", "€", "𝄞"].flatMap((unit) => counts.map((n) => unit.repeat(n / unit.length)));
      const wanted = texts.map((text) => nobleBlake3(new TextEncoder().encode(text)));
      for (const [i, digest] of blake3.many(texts).entries()) expectBytes(digest, wanted[i]!, `text ${i}`);
    });

    it("leaves no message in memory if a view is detached before its turn", () => {
      useBackend(backend === "simd128" ? "baseline" : "simd128");
      useBackend(backend);
      blake3("");
      const fresh = instances.at(-1)!.bytes.slice(AREA);
      const inputs = Array.from({ length: 20 }, () => new Uint8Array(1000).fill(7));
      const options = {
        get length() {
          structuredClone(undefined, { transfer: [inputs[15]!.buffer] });
          return 32;
        },
      };
      expect(() => blake3.many(inputs, options)).toThrow(TypeError);
      expect(instances.at(-1)!.bytes.slice(AREA)).toEqual(fresh);
      expectSame(blake3 as Algorithm<Options>, shuffled.slice(0, 100));
    });
  });
});
