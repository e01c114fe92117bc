// The memory of pools: what `allocate` lends, what workers share, and what a closed pool leaves, which is nothing.
import { blake3 } from "blake-simd";
import { afterEach, describe, expect, it } from "vitest";
import { FIRST_AREA } from "../../js/tree/kernel.ts";
import { runNode } from "../support/child.ts";
import { type ErrorKind, expectError } from "../support/errors.ts";
import { expectBytes } from "../support/messages.ts";
import { KIB, MIB, pool, SOURCES, watchSharedMemories, withPool } from "../support/pool.ts";

const sharedMemories = watchSharedMemories();
const isOnly = (value: number, bytes: Uint8Array): boolean =>
  Buffer.compare(bytes, Buffer.alloc(bytes.length, value)) === 0;

/** Global names that tests replace, with what they are. */
const globals = globalThis as Record<string, unknown>;
const names = ["WebAssembly", "SharedArrayBuffer", "crossOriginIsolated"];
const before = names.map((name) => [name, globals[name]] as const);
afterEach(() => {
  for (const [name, value] of before) {
    if (value === undefined) delete globals[name];
    else globals[name] = value;
  }
});

describe("what is lent", () => {
  it("is zero, shared, and in no other array's buffer", () => {
    for (const length of [0, 1, 64, 65, 1000, 65_537, MIB, 3 * MIB + 1]) {
      const [bytes, others] = [pool.allocate(length), pool.allocate(length)];
      expect(bytes.length).toBe(length);
      expect(isOnly(0, bytes)).toBe(true);
      expect(bytes.buffer).toBeInstanceOf(SharedArrayBuffer);
      expect(bytes.buffer).not.toBe(others.buffer);
      expect(bytes.buffer.byteLength).toBe(length);
    }
  });

  it.each([0, 1])("comes back wiped after a release, for the same length, with %i threads", async (threads) => {
    await withPool({ threads }, async (own) => {
      const pieces = Array.from({ length: 10 }, () => own.allocate(100 * KIB).fill(7));
      const buffers = new Set(pieces.map(({ buffer }) => buffer));
      expect(buffers.size).toBe(10);
      for (const bytes of pieces) own.release(bytes);
      for (let i = 0; i < 10; i++) {
        const again = own.allocate(100 * KIB);
        expect(again.buffer).toBeInstanceOf(threads ? SharedArrayBuffer : ArrayBuffer);
        expect(buffers.delete(again.buffer)).toBe(true);
        expect(isOnly(0, new Uint8Array(again.buffer))).toBe(true);
      }
    });
  });

  it("is released once, as a whole, by the array that was allocated", () => {
    const [bytes, others] = [pool.allocate(100).fill(1), pool.allocate(100).fill(2)];
    const text = "Blake3Pool.release: bytes must be an array from allocate that has not been released";
    for (const other of [new Uint8Array(1), others.subarray(0)])
      expectError(() => pool.release(other), TypeError, text);
    pool.release(bytes);
    expectError(() => pool.release(bytes), TypeError, text);
    expect(isOnly(0, new Uint8Array(bytes.buffer))).toBe(true);
    expect(isOnly(2, others)).toBe(true);
    pool.release(others);
  });

  it.each<[unknown, ErrorKind, string]>([
    [2 ** 50, RangeError, "got number 1125899906842624"],
    [-1, RangeError, "got -1"],
    [undefined, TypeError, "undefined"],
  ])("cannot have the length %o", (length, kind, got) => {
    expectError(() => pool.allocate(length as number), kind, "Blake3Pool.allocate: length", got);
  });
});

it("no key and no message stays in what workers share", async () => {
  const secret = crypto.getRandomValues(new Uint8Array(32));
  const message = new Uint8Array(Buffer.alloc(3 * MIB, secret));
  const wanted = blake3(message, { key: secret });
  for (const callingThread of [false, true, false]) {
    await withPool({ threads: 2, callingThread }, async (own) => {
      for (const kind of ["bytes", "the pool's memory", "a Blob", "a path"]) {
        const source = await SOURCES[kind]!(message, own);
        expectBytes(await own.hash(source, { key: secret }), wanted, kind);
        for (const memory of sharedMemories()) expect(memory.indexOf(secret.subarray(0, 16))).toBe(-1);
      }
    });
    for (const memory of sharedMemories()) expect(isOnly(0, memory.subarray(FIRST_AREA))).toBe(true);
  }
});

it("pools share what is compiled, keep no digest, and once closed have their memory and kernel collected", () => {
  const code = `
    const made = { memories: [], instances: [], modules: 0 };
    const { Memory, Instance, Module } = WebAssembly;
    WebAssembly.Memory = class extends Memory {
      constructor(options) {
        super(options);
        made.memories.push(new WeakRef(this));
      }
    };
    WebAssembly.Instance = class extends Instance {
      constructor(...args) {
        super(...args);
        made.instances.push(new WeakRef(this));
      }
    };
    WebAssembly.Module = class extends Module {
      constructor(bytes) {
        super(bytes);
        made.modules++;
      }
    };
    const { Blake3Pool } = await import("blake-simd/parallel");
    const message = new Uint8Array(3_000_000);
    const alive = (refs) => refs.filter((ref) => ref.deref()).length;
    const untilAlive = async (most, refs) => {
      while (alive(refs) > most) {
        await new Promise((resolve) => setTimeout(resolve, 10));
        gc();
      }
    };
    const pools = [];
    const modules = [];
    for (const threads of [0, 2, 0, 2]) {
      const pool = new Blake3Pool({ threads });
      await pool.hash(message);
      const digests = [];
      for (let i = 0; i < 100; i++) digests.push(new WeakRef(await pool.hash(message.subarray(0, i % 2 ? 2_000_000 : 10), { onProgress() {} })));
      // The engine may still hold the last one.
      await untilAlive(2, digests);
      await pool.close();
      pools.push(pool);
      modules.push(made.modules);
      // What merges chaining values stays, for all pools and collectors.
      await untilAlive(1, made.memories);
    }
    const { length } = made.instances;
    console.log(JSON.stringify([modules[3] - modules[1], alive(made.instances) < length, pools.map(({ threads }) => threads)]));`;
  expect(runNode(code, { flags: ["--expose-gc"] })).toEqual([0, true, [0, 2, 0, 2]]);
});
