// Instances that an exception has left: they are never called again, nothing is left in the memory, and the next values
// are right.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { useBackend } from "../../js/engine/backend.ts";
import { useVectorLatency } from "../../js/engine/vector-latency.ts";
import {
  AREA_SIZE,
  filler,
  hashPart,
  MAX_PART,
  newPartKernel,
  type PartKernel,
} from "../../js/parallel/part-kernel.ts";
import { FIRST_AREA, MODE_SIZE, PAGE, PIECE } from "../../js/tree/kernel.ts";
import { treeModule } from "../../js/tree/module.ts";
import { eachBackend } from "../support/backends.ts";
import { expectBytes } from "../support/messages.ts";
import { KIB } from "../support/pool.ts";
import { keyed, subtreeValue } from "../support/specification.ts";
import { atTheEndOfTheStack, isOverflow } from "../support/stack.ts";

const MESSAGE = crypto.getRandomValues(new Uint8Array(40 * KIB + 5));
const KEY = crypto.getRandomValues(new Uint8Array(32));
const KEYED_HASH = 16;
const zeros = Buffer.alloc(AREA_SIZE);
const trouble = new Error("tested");

function parameters(): Uint8Array {
  const bytes = new Uint8Array(36);
  bytes.set(KEY);
  bytes[32] = KEYED_HASH;
  return bytes;
}

const part = () => ({ slot: 1, offset: 0, length: MESSAGE.length, group: 16 * KIB, parameters: parameters() });

function newMemory(): WebAssembly.Memory {
  const pages = (FIRST_AREA + AREA_SIZE) / PAGE;
  return new WebAssembly.Memory({ initial: pages, maximum: pages });
}

const newKernel = (memory: WebAssembly.Memory) => newPartKernel(treeModule(), memory, FIRST_AREA);

function expectNothingLeft({ buffer }: WebAssembly.Memory): void {
  expect(Buffer.compare(Buffer.from(buffer, FIRST_AREA), zeros)).toBe(0);
}

const { Instance } = WebAssembly;
afterEach(() => {
  WebAssembly.Instance = Instance;
});

/**
 * The `n`th call of an export from now on throws when it has done its work; later calls of its instance are counted.
 */
function breakCall(n: number): { done: boolean; after: number } {
  const state = { done: false, after: 0 };
  let calls = 0;
  WebAssembly.Instance = class {
    exports: WebAssembly.Exports;

    constructor(module: WebAssembly.Module, imports?: WebAssembly.Imports) {
      const { exports } = new Instance(module, imports);
      let broken = false;
      const broke = (value: WebAssembly.ExportValue) => (args: number[]) => {
        if (broken) state.after++;
        const result = (value as (...args: number[]) => unknown)(...args);
        if (calls++ !== n) return result;
        broken = state.done = true;
        throw trouble;
      };
      this.exports = Object.fromEntries(
        Object.entries(exports).map(([name, value]) => {
          if (name === "stackRestore" || typeof value !== "function") return [name, value];
          const call = broke(value);
          return [name, (...args: number[]) => call(args)];
        }),
      );
    }
  } as typeof WebAssembly.Instance;
  return state;
}

eachBackend((backend, latency) => {
  // Of the source, which is not what the package's entries have.
  beforeEach(() => {
    useBackend(backend);
    useVectorLatency(latency);
  });

  const wanted = () => hashPart(newKernel(newMemory()), part(), filler(MESSAGE));

  /** The ways to hash, with bytes that are wiped after it. */
  const ways: Record<string, (kernel: PartKernel, memory: WebAssembly.Memory) => Uint8Array> = {
    pieces: (kernel) => hashPart(kernel, part(), filler(MESSAGE)),
    slot: (kernel, memory) => {
      new Uint8Array(memory.buffer).set(MESSAGE, FIRST_AREA + AREA_SIZE / 2);
      return hashPart(kernel, part(), FIRST_AREA + AREA_SIZE / 2);
    },
  };

  describe.each(Object.entries(ways))("%s", (_, hash) => {
    it("an exception out of any call of an export", () => {
      const values = wanted();
      let failures = 0;
      for (let n = 0; ; n++) {
        const state = breakCall(n);
        const memory = newMemory();
        const kernel = newKernel(memory);
        let error: unknown;
        try {
          hash(kernel, memory);
        } catch (thrown) {
          error = thrown;
        }
        if (!state.done) break;
        failures++;
        expect(error).toBe(trouble);
        expectNothingLeft(memory);
        expectBytes(hash(kernel, memory), values, `after call ${n}`);
        expect(state.after).toBe(0);
        expectNothingLeft(memory);
      }
      expect(failures).toBe(5);
    });

    it("the end of the stack, at any depth", () => {
      const values = wanted();
      const memory = newMemory();
      const kernel = newKernel(memory);
      let overflows = 0;
      for (let frames = 1; frames <= 40; frames += 6) {
        for (let shift = 0; shift < 8; shift += 2) {
          for (const { value, error } of atTheEndOfTheStack(() => hash(kernel, memory), frames, shift)) {
            if (value) expectBytes(value, values);
            else expect(isOverflow(error)).toBe(true);
            if (error) overflows++;
          }
          kernel.finish();
          expect(Buffer.from(memory.buffer).indexOf(KEY.subarray(0, 8))).toBe(-1);
          expectBytes(hash(kernel, memory), values);
          expectNothingLeft(memory);
        }
      }
      expect(overflows).toBeGreaterThan(200);
    });
  });

  it("bytes that fail to come: nothing is left, but for what is another slot's", () => {
    const memory = newMemory();
    const kernel = newKernel(memory);
    const all = Buffer.from(memory.buffer);
    all.fill(7, FIRST_AREA + 0x4000, FIRST_AREA + 0x4000 + MODE_SIZE);
    all.fill(8, FIRST_AREA + PAGE, FIRST_AREA + PAGE + 1000);
    const before = Buffer.from(all);
    const fail = (target: Uint8Array): void => {
      target.fill(1);
      throw trouble;
    };
    expect(() => hashPart(kernel, part(), fail)).toThrow(trouble);
    expect(Buffer.compare(all, before)).toBe(0);
    expectBytes(hashPart(kernel, part(), filler(MESSAGE)), wanted());
  });

  it("the parameters and the bytes are wiped", () => {
    const memory = new WebAssembly.Memory({ initial: 80, maximum: 80 });
    const address = 40 * PAGE;
    const bytes = new Uint8Array(memory.buffer, address, MESSAGE.length);
    bytes.set(MESSAGE);
    const own = part();
    expectBytes(hashPart(newKernel(memory), own, address), wanted());
    expectBytes(bytes, new Uint8Array(MESSAGE.length));
    expectBytes(own.parameters, new Uint8Array(36));
  });

  it("nothing outside of the area is written, and nothing is left in it, of the longest part", () => {
    const pages = (FIRST_AREA + 2 * AREA_SIZE) / PAGE;
    const bytes = new Uint8Array(MAX_PART).fill(7);
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    const area = FIRST_AREA + AREA_SIZE;
    const kernel = newPartKernel(treeModule(), memory, area);
    const all = Buffer.from(memory.buffer);
    const before = Buffer.from(all);
    for (const length of [MAX_PART, MAX_PART - 3 * PIECE - 5000]) {
      hashPart(kernel, { ...part(), length, group: 2 * KIB }, (target, from) => {
        expect(Buffer.compare(all.subarray(0, area), before.subarray(0, area))).toBe(0);
        target.set(bytes.subarray(from, from + target.length));
      });
      expect(Buffer.compare(all, before)).toBe(0);
    }
  });

  it("values of the groups of a part from chunk 2^42 + 2^20 on", () => {
    const chunk = 2 ** 42 + 2 ** 20;
    const mode = keyed(KEY);
    const kernel = newKernel(newMemory());
    // A whole piece of 256 KiB and the beginning of another.
    const bytes = Buffer.concat(Array(7).fill(MESSAGE)).subarray(0, 261 * KIB + 9);
    for (const group of [8 * KIB, 256 * KIB]) {
      const own = { ...part(), offset: chunk * KIB, length: bytes.length, group };
      const groups = Array.from({ length: Math.ceil(bytes.length / group) }, (_, i) =>
        subtreeValue(mode, bytes.subarray(i * group, (i + 1) * group), BigInt(chunk) + BigInt((i * group) / KIB)),
      );
      expectBytes(hashPart(kernel, own, filler(bytes)), Buffer.concat(groups));
    }
  });
});
