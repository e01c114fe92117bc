// The build for engines without WebAssembly on a big-endian processor, which is played here: the words of an Int32Array
// have their bytes in the other order. CI runs it on a real one, under emulation (test/runtimes).
import { toHex } from "blake-simd";
import { algorithms } from "blake-simd/javascript";
import { restore, save } from "blake-simd/javascript/states";
import * as states from "blake-simd/states";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { wordsOf } from "../../js/javascript/engine/words.ts";
import { pattern } from "../support/messages.ts";
import { expectedDigest } from "../support/oracle.ts";
import { subjects } from "../support/subjects.ts";

const isIndex = (name: string | symbol) => /^\d+$/.test(String(name));

const BigEndian = new Proxy(Int32Array, {
  construct(target, [source, ...place]) {
    const values: number[] = Array.isArray(source) ? source : [];
    const array: Int32Array = Reflect.construct(target, [values.length || source, ...place]);
    const view = new DataView(array.buffer, array.byteOffset, array.byteLength);
    for (const [i, value] of values.entries()) view.setInt32(4 * i, value);
    return new Proxy(array, {
      get: (_, name) => (isIndex(name) ? view.getInt32(4 * Number(name)) : Reflect.get(array, name)),
      set(_, name, value) {
        view.setInt32(4 * Number(name), value);
        return true;
      },
    });
  },
});

it("costs other processors nothing: their words are an Int32Array", () => {
  expect(Object.getPrototypeOf(wordsOf(new ArrayBuffer(8)))).toBe(Int32Array.prototype);
});

// Each kernel is made, and so asks for the byte order, at its first use in this file.
describe.each(subjects)("$name on a big-endian processor", (subject) => {
  const { name, algorithm, modes, blockLength, chunkLength } = subject;
  const there = algorithms[name as keyof typeof algorithms] as typeof algorithm;

  beforeEach(() => {
    vi.stubGlobal("Int32Array", BigEndian);
  });
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  it.each(modes)("has the digests of an independent implementation, under %o", (options) => {
    for (const size of [0, 1, blockLength, blockLength + 1, chunkLength + 1, 2 * chunkLength + 5]) {
      const bytes = pattern(size);
      const expected = toHex(expectedDigest(name, bytes, options));
      expect(there.hex(bytes, options), `${size} bytes`).toBe(expected);
      const [start, rest] = [bytes.subarray(0, size / 3), bytes.subarray(size / 3)];
      expect(there.create(options).update(start).update(rest).digest("hex"), `${size} bytes in pieces`).toBe(expected);
    }
  });

  it("has the saved states of other processors", () => {
    const bytes = pattern(3 * chunkLength + 11);
    const [start, rest] = [bytes.subarray(0, chunkLength + 7), bytes.subarray(chunkLength + 7)];
    const saved = save(there.create().update(start));
    expect(toHex(saved)).toBe(toHex(states.save(algorithm.create().update(start))));
    expect(restore(there, saved).update(rest).digest("hex")).toBe(algorithm.hex(bytes));
    expect(states.restore(algorithm, saved).update(rest).digest("hex")).toBe(algorithm.hex(bytes));
  });
});
