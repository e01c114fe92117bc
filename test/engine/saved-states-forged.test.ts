// A state whose counts allow one chaining value only is refused with any other, although its checksum fits.
import { type Algorithm, blake2b, blake2s, blake2xb, blake2xs } from "blake-simd";
import { restore, save } from "blake-simd/states";
import { describe, expect, it } from "vitest";
import { eachBackend } from "../support/backends.ts";
import { expectBytes, pattern } from "../support/messages.ts";
import { expectedDigest } from "../support/oracle.ts";
import { withState } from "../support/saved-state.ts";

const HEAD = 32;
const algorithms = [blake2b, blake2s, blake2xb, blake2xs] as unknown as Algorithm<{ key?: Uint8Array }>[];

describe.each(algorithms.map((algorithm) => [algorithm.algorithm, algorithm] as const))("%s", (name, algorithm) => {
  const block = /b$/.test(name) ? 128 : 64;

  eachBackend(() => {
    // Up to a whole block, with that of a key, is still in the buffer: nothing has been compressed.
    it.each([1, block - 1, block])("a first chaining value changed, after %i bytes", (length) => {
      const message = pattern(length);
      const saved = save(algorithm.create().update(message));
      for (const at of [0, 7, block / 2 - 1]) {
        const forged = withState(saved, (_, bytes) => {
          bytes[HEAD + at]! ^= 1;
        });
        expect(() => restore(algorithm, forged), `byte ${at}`).toThrow("the first chaining value");
      }
      expectBytes(restore(algorithm, saved).digest(), expectedDigest(name, message));
    });

    it("a later chaining value is the message's own, and accepted", () => {
      const saved = save(algorithm.create().update(pattern(block + 1)));
      const changed = withState(saved, (_, bytes) => {
        bytes[HEAD]! ^= 1;
      });
      expect(restore(algorithm, changed).digest()).not.toEqual(restore(algorithm, saved).digest());
    });
  });
});
