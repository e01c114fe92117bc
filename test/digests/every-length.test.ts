// Every length from 0 to 4 KiB + 1, in every way to hash. vectors.test.ts has longer one-shots, splits.test.ts longer messages
// in pieces.
import { describe, expect, it } from "vitest";
import { eachBackend } from "../support/backends.ts";
import { pattern, same } from "../support/messages.ts";
import { eachSubject, expected, expectedPrefixes, range, type Subject } from "../support/subjects.ts";

const LAST = 4 * 1024 + 1;
const LENGTHS = range(0, LAST);
const message = pattern(LAST);

/** The lengths at which a way of hashing differs from the independent digests. */
function differences(wanted: Map<number, Uint8Array>, digestOf: (length: number) => Uint8Array): number[] {
  return LENGTHS.filter((length) => !same(digestOf(length), wanted.get(length)));
}

function split({ algorithm }: Subject, length: number): Uint8Array {
  const at = (length * 7) % (length + 1);
  return algorithm.create().update(message.subarray(0, at)).update(message.subarray(at, length)).digest();
}

describe("every length", () => {
  eachSubject((subject) => {
    const { algorithm } = subject;
    const wanted = expectedPrefixes(subject, message, LENGTHS);

    it("has an oracle whose running digests are those of whole messages", () => {
      for (const length of [0, 1, 1024, 1025, LAST]) {
        expect(expected(subject, message.subarray(0, length))).toEqual(wanted.get(length));
      }
    });

    eachBackend(() => {
      it("one-shot", () => {
        expect(differences(wanted, (length) => algorithm(message.subarray(0, length)))).toEqual([]);
      });

      it("into an output", () => {
        const output = new Uint8Array(algorithm.digestLength);
        const into = (length: number) => algorithm.into(message.subarray(0, length), output);
        expect(differences(wanted, into)).toEqual([]);
      });

      it("in two updates", () => {
        expect(differences(wanted, (length) => split(subject, length))).toEqual([]);
      });

      it("byte by byte, with a digest after each", () => {
        const hasher = algorithm.create();
        const append = (length: number) => hasher.update(message.subarray(Math.max(0, length - 1), length));
        expect(differences(wanted, (length) => append(length).digest())).toEqual([]);
      });
    });
  });
});
