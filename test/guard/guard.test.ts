// What the guard is for: it finds the defects of its class when they are brought back, and all length classes pass it.
import { type Algorithm, blake2b, blake3 } from "blake-simd";
import { describe, expect, it } from "vitest";
import { Kernel } from "../../js/engine/kernel.ts";
import { Area } from "../../js/engine/memory.ts";
import { eachBackend } from "../support/backends.ts";
import { expectBytes, pattern } from "../support/messages.ts";
import { type CommonOptions, eachSubject, expected, keyOf, subjects } from "../support/subjects.ts";
import { takeFailures, wipingBy } from "./guard.ts";

/** As it was: the bytes from the area's beginning on, past its end. */
function unbounded(this: Area, length: number): void {
  new Uint8Array(this.bytes.buffer).fill(0, this.bytes.byteOffset, this.bytes.byteOffset + length);
}

describe("a wipe that continues past its area", () => {
  it("is found in a read of 20 000 bytes", () => {
    const reader = blake3.create().update("seed").xof();
    const hasher = blake3.create().update("message");
    const { wipeOutput } = Kernel.prototype;
    Kernel.prototype.wipeOutput = function (length) {
      this.output.wipe(length);
    };
    try {
      wipingBy(unbounded, () => expect(() => reader.read(20_000)).toThrow("has changed the byte at 0x10000"));
    } finally {
      Kernel.prototype.wipeOutput = wipeOutput;
    }
    expect(takeFailures()).toHaveLength(1);
    // The read has left its kernel open, which is found too, once.
    expect(() => hasher.digest()).toThrow("a kernel was open when it was asked for");
    expect(takeFailures()).toHaveLength(1);
  });

  it("is found however few bytes too many are asked for", () => {
    const memory = new ArrayBuffer(0x20000);
    expect(() => new Area(memory, 0x4000, 0x100).wipe(0x101)).toThrow("is more than the area");
    expect(takeFailures()).toHaveLength(1);
  });
});

describe("code of the user's in an open kernel", () => {
  it("is found", () => {
    // Decoding a kernel takes an encoder, too.
    blake2b("");
    const { encodeInto } = TextEncoder.prototype;
    TextEncoder.prototype.encodeInto = function (...args) {
      TextEncoder.prototype.encodeInto = encodeInto;
      blake2b("in between");
      return encodeInto.apply(this, args);
    };
    try {
      expect(() => blake2b("message", { key: keyOf(3) })).toThrow("a kernel was open when it was asked for");
    } finally {
      TextEncoder.prototype.encodeInto = encodeInto;
    }
    expect(takeFailures()).toHaveLength(1);
    expectBytes(blake2b("message"), expected(subjects.find(({ name }) => name === "blake2b")!, Buffer.from("message")));
  });
});

/** Around the size of an area, and multiples of it. */
const around = (size: number): number[] => [0, 1, size - 1, size, size + 1, 2 * size, 2 * size + 1, 3 * size + 7];
const MESSAGES = [...around(0x80), ...around(0x400), ...around(0x10000)];
const OUTPUTS = around(0x4000);

eachBackend(() => {
  eachSubject((subject) => {
    const { algorithm } = subject;
    const secret = subject.secretFrom(keyOf(64));

    it("messages of every length, in every call", () => {
      for (const options of [undefined, secret]) {
        const beside = algorithm.create().update(pattern(500));
        for (const length of MESSAGES) {
          const message = pattern(length);
          const wanted = expected(subject, message, options);
          beside.reset().update(pattern(length % 977));
          expectBytes(algorithm(message, options), wanted);
          expectBytes(algorithm.into(message, new Uint8Array(wanted.length), options), wanted);
          const hasher = algorithm.create(options).update(message);
          expectBytes(hasher.clone().digest(), wanted);
          expectBytes(hasher.digest(), wanted);
          expectBytes(beside.digest(), expected(subject, pattern(length % 977)));
        }
      }
    });

    it("many messages, few and more than there are lanes, of every length", () => {
      for (const count of [0, 1, 3, 4, 5, 8, 61, 200]) {
        const messages = Array.from({ length: count }, (_, i) =>
          pattern(count > 10 ? (i * 97) % 1400 : MESSAGES[i * 3]!),
        );
        const beside = algorithm.create(secret).update("beside");
        const digests = algorithm.many(messages, secret);
        digests.forEach((digest, i) => {
          expectBytes(digest, expected(subject, messages[i]!, secret));
        });
        expectBytes(beside.digest(), expected(subject, Buffer.from("beside"), secret));
      }
    });

    it("keys and outputs of every length", () => {
      for (const length of subject.keyLengths) algorithm("message", { key: keyOf(length) });
      for (const length of OUTPUTS.filter(
        (length) => length >= 1 && length <= subject.longest && subject.longest > 64,
      )) {
        const beside = algorithm.create().update("beside");
        expectBytes(algorithm("", { length }), expected(subject, new Uint8Array(), { length }));
        algorithm.many(["a", "b"], { ...secret, length });
        algorithm.create({ length }).digest();
        expectBytes(beside.digest(), expected(subject, Buffer.from("beside")));
      }
    });

    it("bad input leaves no kernel open", () => {
      const bad: [Uint8Array, object][] = [
        [new Uint8Array(1), { nonsense: 1 }],
        [5 as never, {}],
        [pattern(9), { length: -1 }],
        [pattern(9), { salt: 5 }],
      ];
      for (const [input, options] of bad) {
        for (const call of ["call", "into", "many", "create"] as const) {
          const calls = {
            call: () => algorithm(input, options),
            into: () => algorithm.into(input, new Uint8Array(64), options),
            many: () => algorithm.many([input], options),
            create: () => algorithm.create(options).update(input),
          };
          expect(calls[call]).toThrow();
        }
      }
      expect(() => algorithm.into("text", new Uint8Array(3), secret)).toThrow("output must have at least");
      expectBytes(algorithm("text"), expected(subject, Buffer.from("text")));
    });
  });
});

it("every algorithm is there", () => {
  expect(subjects.map(({ algorithm }) => (algorithm as Algorithm<CommonOptions>).algorithm)).toHaveLength(11);
});
