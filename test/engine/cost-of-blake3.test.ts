// The cost model of BLAKE3: how many compressions a message, an output and a subtree cost. Counted in the shipped modules
// themselves: every G has one rotation by 7 bits, and nothing else has, so 56 of them are one compression, or four in lanes.
import { type Backend, blake3, useBackend } from "blake-simd";
import { chainingValue, mergeSubtrees, rootOf } from "blake-simd/hazmat";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COUNTER, type Counted, countInstructions } from "../support/wasm-counting.js";
import { counting } from "../vectors/index.js";

const I32_ROTL = 0x77;
const I32_ROTR = 0x78;
const I32X4_SHR_U = 0xfd00 + 173;
const rotationsBy7: Counted = (opcode, constant) => {
  if (opcode === I32X4_SHR_U && constant === 7) return 4;
  return (opcode === I32_ROTL && constant === 25) || (opcode === I32_ROTR && constant === 7) ? 1 : 0;
};
const PER_COMPRESSION = 56;

const { Module, Instance } = WebAssembly;
let counters: WebAssembly.Global<"i64">[] = [];

class CountingModule extends Module {
  constructor(bytes: BufferSource) {
    super(countInstructions(new Uint8Array(bytes as Uint8Array), rotationsBy7));
  }
}

class WatchedInstance extends Instance {
  constructor(module: WebAssembly.Module, imports?: WebAssembly.Imports) {
    super(module, imports);
    const counter = this.exports[COUNTER] as WebAssembly.Global<"i64"> | undefined;
    if (counter) counters.push(counter);
  }
}

/** The kernels that are loaded from here on count. */
function watch(on: boolean): void {
  Object.assign(WebAssembly, { Module: on ? CountingModule : Module, Instance: on ? WatchedInstance : Instance });
}

function other(name: Backend): Backend {
  return name === "simd128" ? "baseline" : "simd128";
}

/** Rotations by 7 that a call executes. */
function rotations(call: () => unknown): number {
  for (const counter of counters) counter.value = 0n;
  call();
  return counters.reduce((sum, { value }) => sum + Number(value), 0);
}

const CHUNK = 1024;
const BLOCK = 64;
const AREA = 64 * CHUNK;

function blocks(length: number): number {
  return Math.max(1, Math.ceil(length / BLOCK));
}

/** The tree's own formula: the blocks of all chunks, and one parent less than there are chunks. */
function compressions(length: number): number {
  return blocks(length) + Math.max(0, Math.ceil(length / CHUNK) - 1);
}

const small = Array.from({ length: 5 * CHUNK + 2 }, (_, length) => length);
const aroundPowers = Array.from({ length: 13 }, (_, i) => CHUNK << i).flatMap((n) => [n - 1, n, n + 1]);
const large = [AREA - 65, AREA + CHUNK, 3 * AREA, 3 * AREA + 1, 1_000_000, 3_145_728, 4 * 1024 * CHUNK];
const message = counting(4 * 1024 * CHUNK + 1);

describe.each(["baseline", "simd128"] as const)("the cost of BLAKE3 in the %s build", (backend) => {
  const lanes = backend === "baseline" ? 1 : 4;

  beforeAll(() => {
    useBackend(other(backend));
    counters = [];
    watch(true);
    useBackend(backend);
    blake3("");
  });

  afterAll(() => {
    watch(false);
    useBackend(other(backend));
    useBackend("simd128");
  });

  /** Compressions that a call executes; in the lanes each step counts as four, idle ones included. */
  function count(call: () => unknown): number {
    const executed = rotations(call);
    expect(executed % PER_COMPRESSION).toBe(0);
    return executed / PER_COMPRESSION;
  }

  /** Idle lanes: at most two in each step of the chunks and parents left over, and two in each full input area. */
  function mostIdle(length: number): number {
    return lanes === 1 ? 0 : 2 * Math.floor(length / AREA) + 48;
  }

  function expectCost(length: number, call: () => unknown): void {
    const idle = count(call) - compressions(length);
    expect(idle, `idle lanes for ${length} bytes`).toBeGreaterThanOrEqual(0);
    expect(idle, `idle lanes for ${length} bytes`).toBeLessThanOrEqual(mostIdle(length));
  }

  it("is the tree's formula for every small length", () => {
    for (const length of small) expectCost(length, () => blake3(message.subarray(0, length)));
  });

  it("is the tree's formula around every power of two, and for large lengths", () => {
    for (const length of [...aroundPowers, ...large]) expectCost(length, () => blake3(message.subarray(0, length)));
  });

  it("is the same for a message in pieces, of one key or context", () => {
    for (const options of [{}, { key: counting(32) }]) {
      for (const length of [0, 1, 1024, 1025, 5000, AREA + 1, 300_000]) {
        const hasher = blake3.create(options);
        expectCost(length, () => {
          for (let at = 0; at < length; at += 777) hasher.update(message.subarray(at, Math.min(at + 777, length)));
          hasher.digest();
        });
      }
    }
    expect(count(() => blake3("material", { context: "context" }))).toBe(2);
  });

  it("is one compression for each output block", () => {
    const xof = blake3.create().update("seed").xof();
    for (const position of [0, 1, 63, 64, 1000, 2n ** 38n - 70n]) {
      for (const length of [1, 32, 64, 65, 131, 256, 257, 1000, 4096, 40_000]) {
        xof.position = position;
        const skip = Number(xof.position % 64n);
        const touched = Math.ceil((skip + length) / BLOCK);
        const executed = count(() => xof.read(length));
        expect(executed).toBeGreaterThanOrEqual(touched);
        // The lanes may be idle after the first bytes, at the end of the first output area and at the very end.
        expect(executed).toBeLessThanOrEqual(touched + 3 * (lanes - 1));
      }
    }
    expect(count(() => xof.read(0))).toBe(0);
  });

  it("is a subtree's formula, and one compression for each merge", () => {
    for (const length of [1, 1024, 1025, 3268, AREA, AREA + 1]) {
      expectCost(length, () => chainingValue(message.subarray(0, length), { offset: 2n ** 40n }));
    }
    const [left, right] = [counting(32), counting(64).subarray(32)];
    expect(count(() => mergeSubtrees(left, right))).toBe(1);
    expect(count(() => rootOf(left, right, { key: left }))).toBe(1);
  });
});
