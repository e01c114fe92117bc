// BLAKE2 hashes single messages over rows or over scalars, as suits the engine: here over each of them.

import { blake2b, blake2s, useBackend } from "blake-simd";
import { restore, save } from "blake-simd/states";
import { beforeAll, describe, expect, it } from "vitest";
import { memoryMap, watchInstances } from "../support/memory.ts";
import { AREA, pattern, same } from "../support/messages.ts";
import { withState } from "../support/saved-state.ts";
import { expected, expectedPrefixes, range, subjects } from "../support/subjects.ts";

const instances = watchInstances();
const ROWS = memoryMap().get("ROWS")!;

const SHORT = 1100;
const message = pattern(2 * AREA + 1);
const shorter = range(0, SHORT);
const longer = [4095, 4096, 4097, AREA - 1, AREA, AREA + 1, 2 * AREA, 2 * AREA + 1];

/** Takes a new instance, made by `call` in an engine that seems to prefer rows (1) or scalars (0) for BLAKE2b. */
function reload(rows: 0 | 1, call: () => void): void {
  const native = Object.getOwnPropertyDescriptor(Promise, "try");
  Reflect.deleteProperty(Promise, "try");
  if (rows) Object.defineProperty(Promise, "try", { value: () => {}, configurable: true });
  useBackend("baseline");
  useBackend("simd128");
  call();
  Reflect.deleteProperty(Promise, "try");
  if (native) Object.defineProperty(Promise, "try", native);
  expect(instances.at(-1)!.bytes[ROWS]).toBe(rows);
}

describe.each(subjects.filter(({ kernel }) => kernel.startsWith("blake2")))("$name", (subject) => {
  const { algorithm, modes } = subject;
  const wanted = expectedPrefixes(subject, message.subarray(0, SHORT), shorter);
  const load = (rows: 0 | 1) => reload(rows, () => algorithm(""));

  describe.each([
    ["scalars", 0],
    ["rows", 1],
  ] as const)("over %s", (_, rows) => {
    beforeAll(() => load(rows));

    it("hashes every length", () => {
      const isWrong = (length: number) => !same(algorithm(message.subarray(0, length)), wanted.get(length));
      expect(shorter.filter(isWrong)).toEqual([]);
    });

    it("hashes long messages in every mode, in one call and in pieces", () => {
      for (const options of modes) {
        for (const length of longer) {
          const bytes = message.subarray(0, length);
          const digest = expected(subject, bytes, options);
          expect(algorithm(bytes, options)).toEqual(digest);
          const hasher = algorithm.create(options).update(bytes.subarray(0, 1000)).update(bytes.subarray(1000));
          expect(hasher.digest()).toEqual(digest);
        }
      }
    });

    it("continues states of the other", () => {
      for (const at of [0, 1, 64, 65, 128, 129, 1024, 5000]) {
        load(rows ? 0 : 1);
        const begun = save(algorithm.create().update(message.subarray(0, at)));
        load(rows);
        expect(restore(algorithm, begun).update(message.subarray(at)).digest()).toEqual(expected(subject, message));
      }
    });
  });
});

// saved-states-counters.test.ts shows that the baseline build is right about them.
describe.each([
  { name: "blake2b", algorithm: blake2b, bits: [32n, 64n] },
  { name: "blake2s", algorithm: blake2s, bits: [32n] },
])("$name", ({ algorithm, bits }) => {
  it.each(bits)("carries its byte counter at 2^%s over rows and scalars alike", (bit) => {
    const fresh = save(algorithm.create().update(message.subarray(0, 1024)));
    const before = withState(fresh, (state) => {
      state.setBigUint64(16, BigInt.asUintN(64, 2n ** bit - 2048n), true);
    });
    const digest = () => restore(algorithm, before).update(message.subarray(0, 5000)).digest("hex");
    useBackend("baseline");
    const wanted = digest();
    for (const rows of [0, 1] as const) {
      reload(rows, () => algorithm(""));
      expect(digest()).toBe(wanted);
    }
  });
});
