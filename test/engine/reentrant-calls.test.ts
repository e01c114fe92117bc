// A built-in that the caller has replaced, and that hashes in the middle of a call: the call throws, and every hasher
// stays as it was. Getters and iterators that hash are among the commands of test/api/whole-api-model.test.ts.
import { useBackend } from "blake-simd";
import { expect, it } from "vitest";
import { eachBackend } from "../support/backends.ts";
import { eachSubject, keyOf } from "../support/subjects.ts";

const message = "the message of the call";

eachSubject(({ name, algorithm, secretFrom }) => {
  eachBackend((backend) => {
    it("throws if a replaced TextEncoder hashes, and leaves every hasher as it was", () => {
      useBackend(backend);
      const native = TextEncoder.prototype.encodeInto;
      const text = "text".repeat(50);
      const [updated, other] = [algorithm.create().update("before"), algorithm.create().update("another")];
      const calls = [
        () => algorithm(message),
        () => algorithm.into(message, new Uint8Array(algorithm.digestLength)),
        () => algorithm.many([message]),
        () => algorithm.create().update(message),
        () => algorithm(text.repeat(1000)),
        () => algorithm.hex(text),
        () => updated.update(text),
      ];
      for (const call of calls) {
        TextEncoder.prototype.encodeInto = function (...parameters) {
          TextEncoder.prototype.encodeInto = native;
          const result = this.encodeInto(...parameters);
          algorithm(new Uint8Array(3));
          return result;
        };
        try {
          expect(call).toThrow("a replaced built-in method must not hash");
        } finally {
          TextEncoder.prototype.encodeInto = native;
        }
      }
      expect(updated.digest()).toEqual(algorithm("before"));
      expect(other.digest()).toEqual(algorithm("another"));
    });

    it("throws if a replaced `set` hashes under options when those of the call have been read", () => {
      useBackend(backend);
      const prototype = Object.getPrototypeOf(Uint8Array.prototype);
      const native = prototype.set;
      const [own, others] = [secretFrom(keyOf(64)), secretFrom(keyOf(70).subarray(6))];
      const wanted = algorithm(message, own);
      // Its bytes are copied before the options are written.
      const other = algorithm.create().update("another");
      prototype.set = function (...parameters: unknown[]) {
        prototype.set = native;
        algorithm(message, others);
        return native.apply(this, parameters);
      };
      try {
        expect(() => algorithm(message, own)).toThrow("a replaced built-in method must not hash");
      } finally {
        prototype.set = native;
      }
      expect(algorithm(message, own)).toEqual(wanted);
      other.dispose();
    });
  }, name);
});
