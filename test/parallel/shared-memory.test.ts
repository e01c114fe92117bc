// The memory that workers share: what is allocated never overlaps, and what is released is found again, all of it.
import { afterEach, expect, it } from "vitest";
import { SharedMemory } from "../../js/parallel/shared-memory.ts";
import { FIRST_AREA, PAGE } from "../../js/tree/kernel.ts";

/** Global names that tests replace, with what they are. */
const globals = globalThis as Record<string, unknown>;
const before = ["WebAssembly", "SharedArrayBuffer", "crossOriginIsolated"].map(
  (name) => [name, globals[name]] as const,
);
afterEach(() => {
  for (const [name, value] of before) {
    if (value === undefined) delete globals[name];
    else globals[name] = value;
  }
});

function newMemory(): SharedMemory {
  return new SharedMemory(new WebAssembly.Memory({ initial: FIRST_AREA / PAGE, maximum: 64, shared: true }));
}

it("reserves less if an engine cannot reserve 4 GiB, and is not there if it can reserve nothing", () => {
  const maxima: unknown[] = [];
  class Memory {
    constructor(options: WebAssembly.MemoryDescriptor) {
      maxima.push(options);
      throw new RangeError("could not allocate memory");
    }
  }
  globals.WebAssembly = { Memory };
  expect(SharedMemory.create()).toBeUndefined();
  const wanted = [2 ** 32, 2 ** 30, 2 ** 28].map((bytes) => ({ initial: 1, maximum: bytes / PAGE, shared: true }));
  expect(maxima).toEqual(wanted);
});

it.each([
  ["no SharedArrayBuffer", { SharedArrayBuffer: undefined }],
  ["a page that is not isolated", { crossOriginIsolated: false }],
])("is not there with %s", (_, lacks) => {
  Object.assign(globals, lacks);
  expect(SharedMemory.create()).toBeUndefined();
});

it("has multiples of 64 bytes, one after the other, and grows by the pages that are missing", () => {
  const memory = newMemory();
  const starts = [0, 1, 64, 65, 1].map((length) => memory.allocate(length));
  expect(starts).toEqual([0, 64, 128, 192, 320].map((at) => FIRST_AREA + at));
  expect(memory.memory.buffer.byteLength).toBe(FIRST_AREA + PAGE);
  expect(memory.allocate(PAGE - 384)).toBe(FIRST_AREA + 384);
  expect(memory.memory.buffer.byteLength).toBe(FIRST_AREA + PAGE);
  expect(memory.allocate(1)).toBe(FIRST_AREA + PAGE);
  expect(memory.memory.buffer.byteLength).toBe(FIRST_AREA + 2 * PAGE);
});

it("has no room beyond its maximum, and goes on with what it has", () => {
  const memory = newMemory();
  expect(memory.allocate(64 * PAGE)).toBeUndefined();
  expect(memory.allocate(63 * PAGE)).toBe(FIRST_AREA);
  expect(memory.allocate(1)).toBeUndefined();
});

it("uses what was released again, for the same length, and nothing that is in use", () => {
  const memory = newMemory();
  const [first, second, third] = [128, 640, 128].map((length) => memory.allocate(length)!) as [number, number, number];
  for (const start of [first, third]) memory.release(start, 128);
  memory.release(second, 640);
  const end = third + 128;
  expect(memory.allocate(832)).toBe(end);
  expect(new Set([100, 128].map((length) => memory.allocate(length)))).toEqual(new Set([first, third]));
  expect(memory.allocate(128)).toBe(end + 832);
  expect([memory.allocate(640), memory.allocate(640)]).toEqual([second, end + 832 + 128]);
});

it("zeroes what is released, and nothing else", () => {
  const memory = newMemory();
  const [before, own, after] = [64, 100, 64].map((length) => memory.view(memory.allocate(length)!, length).fill(7));
  memory.release(own!.byteOffset, 100);
  expect(own!.every((byte) => byte === 0)).toBe(true);
  for (const other of [before!, after!]) expect(other.every((byte) => byte === 7)).toBe(true);
});

it("passes to others only if none of it is in use", () => {
  const [unused, used, released, partly] = Array.from({ length: 4 }, newMemory) as [
    SharedMemory,
    SharedMemory,
    SharedMemory,
    SharedMemory,
  ];
  used.allocate(64);
  const [one, two] = [released.allocate(64)!, released.allocate(64)!];
  released.release(one, 64);
  released.release(two, 64);
  const start = partly.allocate(64)!;
  partly.allocate(64);
  partly.release(start, 64);
  for (const memory of [unused, used, released, partly]) memory.retire();
  expect([SharedMemory.create(), SharedMemory.create()]).toEqual([released, unused]);
  expect([unused, used, released, partly]).not.toContain(SharedMemory.create());
});
