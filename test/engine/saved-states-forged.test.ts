// A state whose counts allow one chaining value only is refused with any other, although its checksum fits.
import {
  type Algorithm,
  blake2b,
  blake2s,
  blake2xb,
  blake2xs,
  blake224,
  blake256,
  blake384,
  blake512,
} from "blake-simd";
import { restore, save } from "blake-simd/states";
import { describe, expect, it } from "vitest";
import { eachBackend } from "../support/backends.ts";
import { expectBytes, pattern } from "../support/messages.ts";
import { expectedDigest } from "../support/oracle.ts";
import { withState } from "../support/saved-state.ts";

const HEAD = 32;
const blake1 = [blake224, blake256, blake384, blake512];
const algorithms = [blake2b, blake2s, blake2xb, blake2xs, ...blake1] as unknown as Algorithm<{ key?: Uint8Array }>[];

describe.each(algorithms.map((algorithm) => [algorithm.algorithm, algorithm] as const))("%s", (name, algorithm) => {
  const block = /b$|384|512/.test(name) ? 128 : 64;
  const most = blake1.includes(algorithm as never) ? block - 1 : block;

  eachBackend(() => {
    // It is all in the buffer still, with a key's block: nothing has been compressed. BLAKE compresses a block that is full.
    it.each([1, block - 1, most])("a first chaining value changed, after %i bytes", (length) => {
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
