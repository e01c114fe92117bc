// What a closed pool leaves: no memory, no kernel, no bytes.
import { Blake3Pool } from "blake-simd/parallel";
import { expect, it } from "vitest";
import { FIRST_AREA } from "../../js/tree/kernel.ts";
import { runNode } from "../support/child.ts";
import { expectBytes } from "../support/messages.ts";
import { digestOf, MESSAGE, MIB, watchSharedMemories, withPool } from "../support/pool.ts";

const sharedMemories = watchSharedMemories();

const prelude = `
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
  const use = async (threads) => {
    const pool = new Blake3Pool({ threads });
    await pool.hash(message);
    await pool.close();
    return pool;
  };
  const print = (value) => console.log(JSON.stringify(value));
`;

it("a pool keeps no digest that it has returned", () => {
  const code = `${prelude}
    const pool = new Blake3Pool({ threads: 0 });
    const digests = [];
    for (let i = 0; i < 100; i++) digests.push(new WeakRef(await pool.hash(message.subarray(0, i % 2 ? 2_000_000 : 10), { onProgress() {} })));
    // The engine may still hold the last one.
    while (digests.filter((digest) => digest.deref()).length > 2) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      gc();
    }
    await pool.close();
    print("collected");`;
  expect(runNode(code, { flags: ["--expose-gc"] })).toBe("collected");
});

it("pools share what is compiled", () => {
  const code = `${prelude}
    const counts = [];
    for (const threads of [0, 2, 0, 2]) {
      await use(threads);
      counts.push(made.modules);
    }
    print(counts[3] - counts[1]);`;
  expect(runNode(code)).toBe(0);
});

it.each([0, 2])("a closed pool of %i threads that is still at hand has its memory and kernel collected", (threads) => {
  const code = `${prelude}
    const pool = await use(${threads});
    const alive = (refs) => refs.filter((ref) => ref.deref()).length;
    const { length } = made.memories;
    const { length: instances } = made.instances;
    while (alive(made.memories) > 1) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      gc();
    }
    print([length, alive(made.memories), alive(made.instances) < instances, pool.threads]);`;
  // What merges chaining values stays, for all pools and collectors.
  expect(runNode(code, { flags: ["--expose-gc"] })).toEqual([2, 1, true, threads]);
});

it("the next pool's memory is zero, and has nothing of the last one's", async () => {
  const secret = crypto.getRandomValues(new Uint8Array(32));
  const message = Buffer.alloc(3 * MIB, secret);
  for (let i = 0; i < 3; i++) {
    await withPool({ threads: 2 }, async (pool) => {
      const bytes = pool.allocate(8 * MIB);
      expect(Buffer.compare(bytes, Buffer.alloc(8 * MIB))).toBe(0);
      bytes.set(message);
      await pool.hash(bytes, { key: secret });
      await pool.hash(message, { key: secret });
      await pool.hash(new Blob([message]), { key: secret });
      pool.release(bytes);
    });
    expect(sharedMemories()).toHaveLength(1);
    for (const memory of sharedMemories()) expect(memory.subarray(FIRST_AREA).every((byte) => byte === 0)).toBe(true);
  }
});

it.each([false, true])(
  "the next pool has the memory of one that was closed, calling thread: %s",
  async (callingThread) => {
    const first = new Blake3Pool({ threads: 2, callingThread });
    expectBytes(await first.hash(MESSAGE), digestOf(MESSAGE.length));
    const made = sharedMemories().length;
    await first.close();
    // At once, since a memory that nobody uses may be collected.
    const second = new Blake3Pool({ threads: 2, callingThread });
    expectBytes(await second.hash(MESSAGE), digestOf(MESSAGE.length));
    expect(sharedMemories()).toHaveLength(made);
    await second.close();
  },
);

it("what has been allocated stays its owner's after close, and is released all the same", async () => {
  const first = new Blake3Pool({ threads: 2 });
  const [bytes, empty] = [first.allocate(MIB), first.allocate(0)];
  bytes.fill(1);
  await first.close();
  await withPool({ threads: 2 }, async (second) => {
    const others = second.allocate(MIB).fill(2);
    expect(others.buffer).not.toBe(bytes.buffer);
    expectBytes(await second.hash(MESSAGE), digestOf(MESSAGE.length));
    expect(bytes.every((byte) => byte === 1)).toBe(true);
    first.release(bytes);
    first.release(empty);
    expect(bytes.every((byte) => byte === 0)).toBe(true);
    expect(others.every((byte) => byte === 2)).toBe(true);
    expect(() => first.release(bytes)).toThrow(TypeError);
  });
});

it("a reading that is still under way when a pool is closed writes to no other pool's memory", async () => {
  let arrive: ((bytes: ArrayBuffer) => void) | undefined;
  const late = {
    size: 3 * MIB,
    slice: () => late,
    arrayBuffer: () => new Promise((resolve) => (arrive = resolve)),
  };
  const first = new Blake3Pool({ threads: 1, callingThread: true });
  const controller = new AbortController();
  const hash = first.hash(late as never, { signal: controller.signal });
  await expect.poll(() => arrive).toBeDefined();
  controller.abort("enough");
  await expect(hash).rejects.toBe("enough");
  await first.close();
  await withPool({ threads: 2 }, async (second) => {
    const hash = second.hash(MESSAGE);
    arrive?.(new ArrayBuffer(3 * MIB));
    expectBytes(await hash, digestOf(MESSAGE.length));
  });
});
