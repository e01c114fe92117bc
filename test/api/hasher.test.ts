// What ends a hasher, what it counts and what it says of itself. What its methods compute, in any order and beside
// others: whole-api-model.test.ts, and the table of calls.
import {
  updateFloat32LE,
  updateFloat64BE,
  updateUint8,
  updateUint16BE,
  updateUint32LE,
  updateUint64BE,
} from "blake-simd/typed";
import { expect, it } from "vitest";
import { expectError } from "../support/errors.ts";
import { AREA, edges, expectBytes, pattern } from "../support/messages.ts";
import { type CommonOptions, eachSubject, expected } from "../support/subjects.ts";

const message = pattern(3 * AREA);

eachSubject((subject) => {
  const { algorithm, name, modes } = subject;
  const first = (length: number) => message.subarray(0, length);
  const digestOf = (length: number, options?: CommonOptions) => expected(subject, first(length), options);

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
        updateUint8: () => updateUint8(hasher, 1),
        updateUint16BE: () => updateUint16BE(hasher, 1),
        updateUint32LE: () => updateUint32LE(hasher, 1),
        updateUint64BE: () => updateUint64BE(hasher, 1n),
        updateFloat32LE: () => updateFloat32LE(hasher, 1),
        updateFloat64BE: () => updateFloat64BE(hasher, 1),
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

  it("has its algorithm, digest length and block length", () => {
    const { algorithm: own, digestLength, blockLength } = algorithm.create();
    expect([own, digestLength, blockLength]).toEqual([name, subject.digestLength, subject.blockLength]);
    for (const length of subject.lengths) expect(algorithm.create({ length }).digestLength).toBe(length);
  });
});
