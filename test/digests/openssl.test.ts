// Against Node's own BLAKE2 (OpenSSL), which knows the default lengths alone.
import { createHash } from "node:crypto";
import { blake2b, blake2s } from "blake-simd";
import fc from "fast-check";
import { describe, it } from "vitest";
import { eachBackend } from "../support/backends.ts";
import { AREA, expectBytes, pattern } from "../support/messages.ts";

describe.each([
  { algorithm: blake2b, openssl: "blake2b512" },
  { algorithm: blake2s, openssl: "blake2s256" },
])("$openssl", ({ algorithm, openssl }) => {
  const opensslDigest = (bytes: Uint8Array) => createHash(openssl).update(bytes).digest();

  eachBackend(() => {
    it("random messages, in two pieces", () => {
      const message = fc.uint8Array({ maxLength: 5000, size: "max" });
      fc.assert(
        fc.property(message, fc.nat(5000), (bytes, at) => {
          expectBytes(algorithm(bytes), opensslDigest(bytes));
          const hasher = algorithm.create().update(bytes.subarray(0, at)).update(bytes.subarray(at));
          expectBytes(hasher.digest(), opensslDigest(bytes));
        }),
        { numRuns: 300 },
      );
    });

    it("a message of 100 MiB, longer than memory that somebody thought would do", () => {
      const message = new Uint8Array(100 * 2 ** 20).fill(7);
      message[message.length - 1] = 8;
      expectBytes(algorithm(message), opensslDigest(message));
    });

    it("long messages", () => {
      const bytes = pattern(20 * AREA + 1);
      for (const length of [AREA, AREA + 1, 2 * AREA - 1, 10 * AREA, bytes.length]) {
        const message = bytes.subarray(0, length);
        expectBytes(algorithm(message), opensslDigest(message));
        expectBytes(algorithm.create().update(message).digest(), opensslDigest(message));
      }
    });
  });
});
