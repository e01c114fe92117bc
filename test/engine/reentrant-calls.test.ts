// Code of the caller's that runs in the middle of a call: getters of options, iterators, proxies. Whatever it does there,
// the call and every hasher give what they would have given without it.
import { type Algorithm, algorithms, type Backend, useBackend } from "blake-simd";
import { describe, expect, it } from "vitest";
import { BACKENDS, eachBackend } from "../support/backends.ts";
import { type CommonOptions, eachSubject } from "../support/subjects.ts";

const message = "the message of the call";
const interlude = "what is hashed in between";

type Call = (algorithm: Algorithm<CommonOptions>, options?: CommonOptions) => Uint8Array;

const CALLS: Record<string, Call> = {
  call: (algorithm, options) => algorithm(message, options),
  into: (algorithm, options) => algorithm.into(message, new Uint8Array(algorithm(message, options).length), options),
  many: (algorithm, options) => algorithm.many([message], options)[0]!,
  create: (algorithm, options) => algorithm.create(options).update(message).digest(),
};

/** Options whose first value to be read comes after something else is done. */
function interrupted(options: CommonOptions, act: () => void): CommonOptions {
  let done = false;
  const get = (target: CommonOptions, option: string | symbol): unknown => {
    if (!done) act();
    done = true;
    return Reflect.get(target, option);
  };
  return new Proxy(options, { get });
}

const otherThan = (backend: Backend): Backend => BACKENDS.find((other) => other !== backend)!;

eachBackend((backend) => {
  eachSubject(({ algorithm, modes }) => {
    describe.each(Object.entries(CALLS))("%s, whose options are read with interruptions,", (_, call) => {
      it("leaves a hasher of the same kernel as it was", () => {
        useBackend(backend);
        for (const options of modes) {
          const wanted = call(algorithm, options);
          const hasher = algorithm.create().update("before, ");
          const updated = interrupted(options, () => hasher.update(interlude));
          expect(call(algorithm, updated)).toEqual(wanted);
          expect(hasher.digest()).toEqual(algorithm(`before, ${interlude}`));
        }
      });

      it("takes its own parameters, whatever else is hashed", () => {
        useBackend(backend);
        for (const options of modes) {
          const wanted = call(algorithm, options);
          for (const other of Object.values(algorithms)) {
            expect(
              call(
                algorithm,
                interrupted(options, () => other(interlude)),
              ),
            ).toEqual(wanted);
          }
        }
      });

      it("gives the same if the build is changed", () => {
        useBackend(backend);
        for (const options of modes) {
          const wanted = call(algorithm, options);
          expect(
            call(
              algorithm,
              interrupted(options, () => useBackend(otherThan(backend))),
            ),
          ).toEqual(wanted);
          useBackend(backend);
        }
      });

      it("throws what a getter throws, and leaves a hasher as it was", () => {
        useBackend(backend);
        const hasher = algorithm.create().update("before");
        const failing = interrupted(modes[1]!, () => {
          hasher.update(", after");
          throw new Error("from a getter");
        });
        expect(() => call(algorithm, failing)).toThrow("from a getter");
        expect(hasher.digest()).toEqual(algorithm("before, after"));
        expect(algorithm(message)).toEqual(call(algorithm, undefined));
      });
    });

    it("many takes inputs from an iterator that hashes", () => {
      useBackend(backend);
      const hasher = algorithm.create();
      function* inputs(): Generator<string> {
        for (const input of ["a", "b", "c"]) {
          hasher.update(input);
          yield input;
        }
      }
      expect(algorithm.many(inputs())).toEqual(["a", "b", "c"].map((input) => algorithm(input)));
      expect(hasher.digest()).toEqual(algorithm("abc"));
    });

    it("throws if a replaced TextEncoder hashes, and leaves every hasher as it was", () => {
      useBackend(backend);
      const native = TextEncoder.prototype.encodeInto;
      const text = "text".repeat(50);
      const [updated, other] = [algorithm.create().update("before"), algorithm.create().update("another")];
      const calls = [
        ...Object.values(CALLS).map((call) => () => call(algorithm, undefined)),
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
  });
});
