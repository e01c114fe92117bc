// What a hasher's methods mean: a digest is not final; clones are independent; reset starts over; dispose ends it.
import { blake3, useBackend } from "blake-simd";
import { describe, expect, it } from "vitest";
import { eachBackend } from "../support/backends.ts";
import { expectError } from "../support/errors.ts";
import { AREA, edges, expectBytes, pattern } from "../support/messages.ts";
import { type CommonOptions, eachSubject, expected } from "../support/subjects.ts";

const message = pattern(3 * AREA);
const HALVES = [0, 1, 63, 64, 65, 127, 128, 129, 1024, 1025, 5000, AREA, AREA + 1];

eachSubject((subject) => {
  const { algorithm, name, modes } = subject;
  const first = (length: number) => message.subarray(0, length);
  const digestOf = (length: number, options?: CommonOptions) => expected(subject, first(length), options);

  eachBackend((backend) => {
    it("a digest is not final, and repeats", () => {
      for (const options of modes) {
        const hasher = algorithm.create(options);
        for (let at = 0; at < 5000; at += 333) {
          expectBytes(hasher.digest(), digestOf(at, options));
          expectBytes(hasher.digestInto(new Uint8Array(hasher.digestLength)), digestOf(at, options));
          hasher.update(message.subarray(at, at + 333));
        }
      }
    });

    it("an update of nothing changes nothing", () => {
      for (const length of HALVES) {
        const hasher = algorithm.create().update("").update(first(length)).update(new Uint8Array()).update("");
        expectBytes(hasher.digest(), digestOf(length));
        expectBytes(hasher.update("").digest(), digestOf(length));
      }
    });

    it("a clone continues from there, and neither disturbs the other", () => {
      for (const options of modes) {
        for (const length of HALVES) {
          const hasher = algorithm.create(options).update(first(length));
          const clone = hasher.clone();
          clone.update(message.subarray(length, length + 700));
          expectBytes(hasher.digest(), digestOf(length, options));
          hasher.update("other").digest();
          expectBytes(clone.digest(), digestOf(length + 700, options));
          expect(clone.constructor).toBe(hasher.constructor);
          expect([clone.algorithm, clone.digestLength]).toEqual([hasher.algorithm, hasher.digestLength]);
        }
      }
    });

    it("a clone has the key for itself: it resets after the original is disposed of, and the other way round", () => {
      for (const options of modes) {
        for (const disposeClone of [true, false]) {
          const hasher = algorithm.create(options).update(first(100));
          const pair = [hasher, hasher.clone()];
          pair[Number(disposeClone)]!.dispose();
          const left = pair[Number(!disposeClone)]!;
          expectBytes(left.digest(), digestOf(100, options));
          expectBytes(left.reset().update(first(700)).digest(), digestOf(700, options));
        }
      }
    });

    it("a clone of a clone, of a fresh hasher, of a reset one", () => {
      for (const options of modes) {
        expectBytes(algorithm.create(options).clone().clone().update(first(99)).digest(), digestOf(99, options));
        const reset = algorithm.create(options).update(first(3000)).reset().clone();
        expectBytes(reset.update(first(99)).digest(), digestOf(99, options));
      }
    });

    it("reset starts over under the same options", () => {
      for (const options of modes) {
        const hasher = algorithm.create(options);
        for (const length of HALVES) {
          expect(hasher.reset()).toBe(hasher);
          expect(hasher.bytesHashed).toBe(0n);
          expectBytes(hasher.digest(), digestOf(0, options));
          expectBytes(hasher.update(first(length)).digest(), digestOf(length, options));
        }
      }
    });

    it("reset of one that another pushed out", () => {
      const options = modes.at(-1)!;
      const hasher = algorithm.create(options).update(first(3000));
      const other = algorithm.create().update(first(10));
      hasher.reset();
      expectBytes(other.digest(), digestOf(10));
      expectBytes(hasher.update(first(5)).digest(), digestOf(5, options));
    });

    it("dispose ends it: each method throws, and says so", () => {
      for (const options of modes) {
        const hasher = algorithm.create(options).update("x");
        const other = algorithm.create(options).update(first(70));
        expect(hasher.dispose()).toBe(undefined);
        expect(hasher.dispose()).toBe(undefined);
        const refused: Record<string, () => unknown> = {
          update: () => hasher.update("y"),
          digest: () => hasher.digest(),
          digestInto: () => hasher.digestInto(new Uint8Array(64)),
          clone: () => hasher.clone(),
          reset: () => hasher.reset(),
          bytesHashed: () => hasher.bytesHashed,
        };
        for (const [method, act] of Object.entries(refused))
          expectError(act, Error, `${name} hasher.${method}: `, "was disposed");
        expectError(() => hasher.digest("hex"), Error, `${name} hasher.digest: `, "was disposed");
        expectBytes(other.digest(), digestOf(70, options));
      }
    });

    it("dispose of one whose state is in the kernel, one whose state was moved out, and an unused one", () => {
      const owner = algorithm.create().update(first(70));
      const away = algorithm.create().update(first(80));
      const unused = algorithm.create();
      const left = algorithm.create().update(first(90));
      left.digest();
      for (const hasher of [away, unused, owner]) hasher.dispose();
      expectBytes(left.digest(), digestOf(90));
      left.dispose();
      expectBytes(algorithm.create().update(first(91)).digest(), digestOf(91));
    });

    it("Symbol.dispose is dispose", () => {
      const hasher = algorithm.create().update("x");
      hasher[Symbol.dispose]();
      expect(() => hasher.digest()).toThrow("dispose");
      expect(Object.keys(hasher)).toEqual([]);
    });

    it("bytesHashed counts the message, in bytes, and nothing else", () => {
      for (const options of modes) {
        const hasher = algorithm.create(options);
        expect(hasher.bytesHashed).toBe(0n);
        let count = 0;
        for (const length of edges(subject)) {
          count += length;
          expect(hasher.update(first(length)).bytesHashed).toBe(BigInt(count));
        }
        hasher.update("é漢😀\ud800");
        expect(hasher.bytesHashed).toBe(BigInt(count + 2 + 3 + 4 + 3));
        hasher.update(new Float64Array(3));
        hasher.digest();
        const other = algorithm.create().update("12345");
        expect(hasher.bytesHashed).toBe(BigInt(count + 12 + 24));
        expect([other.bytesHashed, hasher.clone().bytesHashed]).toEqual([5n, BigInt(count + 36)]);
      }
    });

    it("continues after a change of backend at any point", () => {
      const other = backend === "baseline" ? "simd128" : "baseline";
      for (const options of modes) {
        for (const length of HALVES) {
          useBackend(backend);
          const hasher = algorithm.create(options).update(first(length));
          const away = algorithm.create(options).update(first(length + 1));
          const clone = hasher.clone();
          useBackend(other);
          expect(hasher.bytesHashed).toBe(BigInt(length));
          for (const h of [hasher, clone]) h.update(message.subarray(length, length + 2000));
          expectBytes(hasher.digest(), digestOf(length + 2000, options));
          useBackend(backend);
          expectBytes(clone.digest(), digestOf(length + 2000, options));
          expectBytes(away.digest(), digestOf(length + 1, options));
        }
      }
    });
  });

  it("has its algorithm, digest length and block length", () => {
    const hasher = algorithm.create();
    expect([hasher.algorithm, hasher.digestLength, hasher.blockLength]).toEqual([
      name,
      subject.digestLength,
      subject.blockLength,
    ]);
    for (const length of subject.lengths) expect(algorithm.create({ length }).digestLength).toBe(length);
  });
});

describe("one-shots between the steps of a hasher", () => {
  it("disturb neither it nor each other", () => {
    const hasher = blake3.create({ key: message.subarray(0, 32) });
    const alone = blake3.create({ key: message.subarray(0, 32) });
    for (const length of HALVES) {
      hasher.update(message.subarray(0, length));
      alone.update(message.subarray(0, length));
      const whole = alone.clone().digest();
      expect(blake3(message.subarray(0, length))).toEqual(blake3.create().update(message.subarray(0, length)).digest());
      blake3("context", { context: "x".repeat(AREA), length: 20_000 });
      expect(() => blake3("", { length: -1 })).toThrow(RangeError);
      expectBytes(hasher.digest(), whole);
    }
  });
});
