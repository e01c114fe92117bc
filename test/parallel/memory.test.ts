// The memory of pools: what `allocate` lends, what workers share, and what a closed pool leaves, which is nothing.
import { blake3 } from "blake-simd";
import { Blake3Pool } from "blake-simd/parallel";
import { afterEach, describe, expect, it } from "vitest";
import { SharedMemory } from "../../js/parallel/shared-memory.ts";
import { FIRST_AREA, PAGE } from "../../js/tree/kernel.ts";
import { runNode } from "../support/child.ts";
import { detach, type ErrorKind, expectError } from "../support/errors.ts";
import { expectBytes } from "../support/messages.ts";
import { digestOf, KIB, MESSAGE, MIB, pool, SOURCES, watchSharedMemories, withPool } from "../support/pool.ts";

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
  it("is zero, shared, and in no other array's buffer, which is at most an eighth longer", () => {
    for (const length of [0, 1, 64, 65, 1000, 65_537, MIB, 3 * MIB + 1]) {
      const [bytes, others] = [pool.allocate(length), pool.allocate(length)];
      expect(bytes.length).toBe(length);
      expect(isOnly(0, bytes)).toBe(true);
      expect(bytes.buffer).toBeInstanceOf(SharedArrayBuffer);
      expect(bytes.buffer).not.toBe(others.buffer);
      expect(bytes.buffer.byteLength).toBeGreaterThanOrEqual(length);
      expect(bytes.buffer.byteLength).toBeLessThanOrEqual(Math.max(64, length + Math.max(63, length / 8)));
    }
  });

  it("has no key in its buffer, and a write to all of it spoils no hash", async () => {
    const key = crypto.getRandomValues(new Uint8Array(32));
    const wanted = blake3(MESSAGE, { key });
    const bytes = new Uint8Array(pool.allocate(64).buffer);
    for (let i = 0; i < 10; i++) {
      const digest = pool.hash(MESSAGE, { key });
      // The parts are under way, as their keys in the workers' memory show.
      await new Promise((resolve) => setImmediate(resolve));
      expect(Buffer.from(bytes.buffer).indexOf(key)).toBe(-1);
      bytes.fill(1);
      expectBytes(await digest, wanted);
    }
  });

  it.each([0, 1])("comes back wiped after a release, for the same length, with %i threads", async (threads) => {
    await withPool({ threads }, async (own) => {
      const pieces = Array.from({ length: 10 }, () => own.allocate(100 * KIB).fill(7));
      const buffers = new Set(pieces.map(({ buffer }) => buffer));
      expect(buffers.size).toBe(10);
      for (const bytes of pieces) own.release(bytes);
      for (let i = 0; i < 10; i++) {
        const again = own.allocate(100 * KIB - (i % 8));
        expect(again.buffer).toBeInstanceOf(threads ? SharedArrayBuffer : ArrayBuffer);
        expect(buffers.delete(again.buffer)).toBe(true);
        expect(isOnly(0, new Uint8Array(again.buffer))).toBe(true);
      }
    });
  });

  it("is released once, as a whole, by the array that was allocated, whatever that says", () => {
    const [bytes, others] = [pool.allocate(100).fill(1), pool.allocate(100).fill(2)];
    Object.defineProperty(bytes, "length", { value: MIB });
    Object.defineProperty(bytes, "byteOffset", { value: 0 });
    const text = "Blake3Pool.release: bytes must be an array from allocate that has not been released";
    for (const other of [new Uint8Array(1), others.subarray(0)])
      expectError(() => pool.release(other), TypeError, text);
    pool.release(bytes);
    expectError(() => pool.release(bytes), TypeError, text);
    expect(isOnly(0, new Uint8Array(bytes.buffer))).toBe(true);
    expect(isOnly(2, others)).toBe(true);
    pool.release(others);
  });

  it("can be released, but not used again, if it was detached", async () => {
    await withPool({ threads: 0 }, async (own) => {
      const bytes = own.allocate(100);
      detach(bytes.buffer as ArrayBuffer);
      own.release(bytes);
      expect(own.allocate(100)).toHaveLength(100);
    });
  });

  it.each<[unknown, ErrorKind, string]>([
    [2 ** 50, RangeError, "got number 1125899906842624"],
    [-1, RangeError, "got -1"],
    [undefined, TypeError, "undefined"],
  ])("cannot have the length %o", (length, kind, got) => {
    expectError(() => pool.allocate(length as number), kind, "Blake3Pool.allocate: length", got);
  });

  it("stays its owner's after close, and is released all the same", async () => {
    const first = new Blake3Pool({ threads: 2 });
    const bytes = first.allocate(MIB).fill(1);
    await first.close();
    await withPool({ threads: 2 }, async (second) => {
      const others = second.allocate(MIB).fill(2);
      expect(others.buffer).not.toBe(bytes.buffer);
      expectBytes(await second.hash(MESSAGE), digestOf(MESSAGE.length));
      expect(isOnly(1, bytes)).toBe(true);
      first.release(bytes);
      expect([isOnly(0, bytes), isOnly(2, others)]).toEqual([true, true]);
      expect(() => first.release(bytes)).toThrow(TypeError);
    });
  });
});

it("no key and no message stays in what workers share, which are zeros once a pool is closed", async () => {
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

describe("memory that workers share", () => {
  const newMemory = () =>
    new SharedMemory(new WebAssembly.Memory({ initial: FIRST_AREA / PAGE, maximum: 64, shared: true }));

  it("reserves less if an engine cannot reserve 4 GiB, and is not there if it can reserve nothing", () => {
    const maxima: unknown[] = [];
    class Memory {
      constructor(options: WebAssembly.MemoryDescriptor) {
        maxima.push(options);
        throw new RangeError("could not allocate memory");
      }
    }
    // Those of pools that have been closed come first.
    const retired = [];
    for (let memory = SharedMemory.create(); memory?.memory.buffer.byteLength !== PAGE; memory = SharedMemory.create())
      retired.push(memory);
    globals.WebAssembly = { Memory };
    expect(SharedMemory.create()).toBeUndefined();
    const wanted = [2 ** 32, 2 ** 30, 2 ** 28].map((bytes) => ({ initial: 1, maximum: bytes / PAGE, shared: true }));
    expect(maxima).toEqual(wanted);
  });

  it.each([{ SharedArrayBuffer: undefined }, { crossOriginIsolated: false }])("is not there with %o", (lacks) => {
    Object.assign(globals, lacks);
    expect(SharedMemory.create()).toBeUndefined();
  });

  it("grows by the pages that are missing, to its maximum, and uses what was released for the same length", () => {
    const memory = newMemory();
    const allocate = (...pages: number[]) => pages.map((count) => memory.allocate(count * PAGE)! / PAGE);
    expect(allocate(1, 2, 1)).toEqual([1, 2, 4]);
    expect(memory.memory.buffer.byteLength).toBe(5 * PAGE);
    for (const [start, pages] of [
      [1, 1],
      [4, 1],
      [2, 2],
    ] as const)
      memory.release(start * PAGE, pages * PAGE);
    expect(allocate(3)).toEqual([5]);
    expect(new Set(allocate(1, 1))).toEqual(new Set([1, 4]));
    expect(allocate(1, 2, 2)).toEqual([8, 2, 9]);
    expect(memory.allocate(54 * PAGE)).toBeUndefined();
    expect(allocate(53)).toEqual([11]);
    expect(memory.allocate(PAGE)).toBeUndefined();
  });

  it("zeroes what is released, and nothing else", () => {
    const memory = newMemory();
    for (let i = 0; i < 3; i++) memory.allocate(PAGE);
    const [before, own, after] = [1, 2, 3].map((page) => memory.view(page * PAGE, PAGE).fill(7)) as Uint8Array[];
    memory.release(own!.byteOffset, PAGE);
    expect([isOnly(7, before!), isOnly(0, own!), isOnly(7, after!)]).toEqual([true, true, true]);
  });
});
