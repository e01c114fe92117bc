// What a hasher's methods mean: a digest is not final; clones are independent; reset starts over; dispose ends it. In random order,
// beside others: whole-api-model.test.ts.
import { useBackend } from "blake-simd";
import { expect, it } from "vitest";
import { BACKENDS } from "../support/backends.ts";
import { expectError } from "../support/errors.ts";
import { AREA, edges, expectBytes, pattern } from "../support/messages.ts";
import { type CommonOptions, eachSubject, expected } from "../support/subjects.ts";

const message = pattern(3 * AREA);
const HALVES = [0, 1, 63, 64, 65, 127, 128, 129, 1024, 1025, 5000, AREA, AREA + 1];

eachSubject((subject) => {
  const { algorithm, name, modes } = subject;
  const first = (length: number) => message.subarray(0, length);
  const digestOf = (length: number, options?: CommonOptions) => expected(subject, first(length), options);

  it("a digest is not final, and repeats; an update of nothing changes nothing", () => {
    for (const options of modes) {
      const hasher = algorithm.create(options);
      for (let at = 0; at < 5000; at += 333) {
        expectBytes(hasher.digest(), digestOf(at, options));
        expectBytes(hasher.update("").digestInto(new Uint8Array(hasher.digestLength)), digestOf(at, options));
        hasher.update(message.subarray(at, at + 333)).update(new Uint8Array());
      }
    }
  });

  it("a clone continues from there with a key of its own, and neither disturbs the other", () => {
    for (const options of modes) {
      for (const length of HALVES) {
        const hasher = algorithm.create(options).update(first(length));
        const [clone, second] = [hasher.clone(), hasher.clone().clone()];
        clone.update(message.subarray(length, length + 700));
        expectBytes(hasher.digest(), digestOf(length, options));
        hasher.update("other").digest();
        expectBytes(clone.digest(), digestOf(length + 700, options));
        expect(clone.constructor).toBe(hasher.constructor);
        expect([clone.algorithm, clone.digestLength]).toEqual([hasher.algorithm, hasher.digestLength]);
        hasher.dispose();
        expectBytes(clone.reset().update(first(99)).digest(), digestOf(99, options));
        clone.dispose();
        expectBytes(second.digest(), digestOf(length, options));
      }
    }
  });

  it("reset starts over under the same options, also while another has the kernel", () => {
    for (const options of modes) {
      const hasher = algorithm.create(options);
      for (const length of HALVES) {
        const other = algorithm.create().update(first(10));
        expect(hasher.reset()).toBe(hasher);
        expect(hasher.bytesHashed).toBe(0n);
        expectBytes(hasher.digest(), digestOf(0, options));
        expectBytes(hasher.update(first(length)).digest(), digestOf(length, options));
        expectBytes(other.digest(), digestOf(10));
      }
    }
  });

  it("dispose, which Symbol.dispose is, ends it: each method throws, and says so", () => {
    for (const options of modes) {
      const hasher = algorithm.create(options).update("x");
      const other = algorithm.create(options).update(first(70));
      expect([hasher[Symbol.dispose](), hasher.dispose(), hasher.dispose()]).toEqual(Array(3).fill(undefined));
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

  it("bytesHashed counts the message, in bytes, and nothing else", () => {
    for (const options of modes) {
      const hasher = algorithm.create(options);
      let count = 0;
      for (const length of edges(subject)) {
        count += length;
        expect(hasher.update(first(length)).bytesHashed).toBe(BigInt(count));
      }
      hasher.update("é漢😀\ud800").update(new Float64Array(3)).digest();
      const other = algorithm.create().update("12345");
      expect(hasher.bytesHashed).toBe(BigInt(count + 12 + 24));
      expect([other.bytesHashed, hasher.clone().bytesHashed]).toEqual([5n, BigInt(count + 36)]);
    }
  });

  it("continues after a change of backend at any point", () => {
    for (const [backend, other] of [BACKENDS, BACKENDS.toReversed()]) {
      for (const options of modes) {
        for (const length of HALVES) {
          useBackend(backend!);
          const hasher = algorithm.create(options).update(first(length));
          const away = algorithm.create(options).update(first(length + 1));
          const clone = hasher.clone();
          useBackend(other!);
          expect(hasher.bytesHashed).toBe(BigInt(length));
          for (const h of [hasher, clone]) h.update(message.subarray(length, length + 2000));
          expectBytes(hasher.digest(), digestOf(length + 2000, options));
          useBackend(backend!);
          expectBytes(clone.digest(), digestOf(length + 2000, options));
          expectBytes(away.digest(), digestOf(length + 1, options));
        }
      }
    }
  });

  it("has its algorithm, digest length and block length", () => {
    const { algorithm: own, digestLength, blockLength } = algorithm.create();
    expect([own, digestLength, blockLength]).toEqual([name, subject.digestLength, subject.blockLength]);
    for (const length of subject.lengths) expect(algorithm.create({ length }).digestLength).toBe(length);
  });
});
