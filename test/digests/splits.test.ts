// A message in pieces has the digest of the whole, wherever it is cut: at edges of blocks, chunks and input areas, at
// random, and with digests in between.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eachBackend } from "../support/backends.ts";
import { AREA, edges, expectBytes, pattern, smallEdges } from "../support/messages.ts";
import { eachSubject, expected, expectedPrefixes, type Subject } from "../support/subjects.ts";

const message = pattern(5 * AREA);

type Cut = readonly number[];

const total = (cut: Cut) => cut.reduce((sum, length) => sum + length, 0);

function pairs(sizes: readonly number[], others = sizes): Cut[] {
  return sizes.flatMap((first) => others.map((second) => [first, second]));
}

function triples(sizes: readonly number[]): Cut[] {
  return sizes.flatMap((first) => pairs(sizes).map((rest) => [first, ...rest]));
}

/** Hashes the pieces that a cut makes of the message; `between` runs after each. */
function digestOf({ algorithm }: Subject, cut: Cut, between = (_: { digest(): Uint8Array }): void => {}): Uint8Array {
  const hasher = algorithm.create();
  let at = 0;
  for (const length of cut) {
    hasher.update(message.subarray(at, at + length));
    between(hasher);
    at += length;
  }
  return hasher.digest();
}

function checkCuts(subject: Subject, cuts: readonly Cut[]): void {
  const digests = expectedPrefixes(subject, message, cuts.map(total));
  eachBackend(() => {
    it("updates alone, and with a digest after each", () => {
      for (const cut of cuts) {
        const wanted = digests.get(total(cut));
        expectBytes(digestOf(subject, cut), wanted, cut.join(" + "));
        const digest = digestOf(subject, cut, (hasher) => hasher.digest());
        expectBytes(digest, wanted, cut.join(" + "));
      }
    });
  }, subject.name);
}

// Once: fast-check makes a map of all characters for it.
const TEXT = fc.string({ unit: "binary", maxLength: 400 });

eachSubject((subject) => {
  describe("two pieces with an edge of a block, chunk or input area", () => {
    checkCuts(subject, pairs(edges(subject), [1, subject.blockLength, subject.chunkLength + 1, AREA - 1, AREA + 1]));
  });

  describe("three pieces with an edge of a block or chunk", () => {
    checkCuts(subject, triples(smallEdges(subject)));
  });

  describe("one byte more than whole groups of 4096, and then more than an input area", () => {
    checkCuts(
      subject,
      [4097, 8193, AREA - 4095].flatMap((first) => [
        [first, AREA],
        [first, AREA, 1],
      ]),
    );
  });

  describe("equal pieces over several input areas", () => {
    const sizes = [1021, 4096, AREA / 2, AREA - 1, AREA + 1];
    checkCuts(
      subject,
      sizes.map((size) => new Array(Math.floor(message.length / size)).fill(size)),
    );
  });

  eachBackend(() => {
    it("random pieces of random bytes and text", () => {
      const piece = fc.oneof(
        { weight: 6, arbitrary: fc.uint8Array({ maxLength: 3 * subject.blockLength }) },
        { weight: 2, arbitrary: fc.uint8Array({ maxLength: 3 * subject.chunkLength, size: "max" }) },
        { weight: 1, arbitrary: fc.integer({ min: 0, max: 2 * AREA }).map((length) => message.slice(0, length)) },
        { weight: 3, arbitrary: TEXT },
        { weight: 1, arbitrary: fc.constantFrom("\ud83d", "\ude00", "\ude00\ud83d", "a\ud800b") },
      );
      fc.assert(
        fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
          const bytes = pieces.map((each) => (typeof each === "string" ? new TextEncoder().encode(each) : each));
          const whole = Buffer.concat(bytes);
          const hasher = subject.algorithm.create();
          for (const each of pieces) hasher.update(each);
          expectBytes(hasher.digest(), subject.algorithm(whole));
          if (whole.length < 4096) expectBytes(hasher.digest(), expected(subject, whole));
          expect(hasher.bytesHashed).toBe(BigInt(whole.length));
        }),
        { numRuns: 25 },
      );
    });
  }, subject.name);
});
