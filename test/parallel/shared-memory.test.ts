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

it("has one length after the other, and grows by the pages that are missing", () => {
  const memory = newMemory();
  expect([1, 2, 1].map((pages) => memory.allocate(pages * PAGE))).toEqual([1, 2, 4].map((pages) => pages * PAGE));
  expect(memory.memory.buffer.byteLength).toBe(5 * PAGE);
});

it("has no room beyond its maximum, and goes on with what it has", () => {
  const memory = newMemory();
  expect(memory.allocate(64 * PAGE)).toBeUndefined();
  expect(memory.allocate(63 * PAGE)).toBe(FIRST_AREA);
  expect(memory.allocate(PAGE)).toBeUndefined();
});

it("uses what was released again, for the same length, and nothing that is in use", () => {
  const memory = newMemory();
  const [first, second, third] = [2, 3, 2].map((pages) => memory.allocate(pages * PAGE)!);
  for (const start of [first, third]) memory.release(start!, 2 * PAGE);
  memory.release(second!, 3 * PAGE);
  const end = third! + 2 * PAGE;
  expect(memory.allocate(4 * PAGE)).toBe(end);
  expect(new Set([2, 2].map((pages) => memory.allocate(pages * PAGE)))).toEqual(new Set([first, third]));
  expect(memory.allocate(2 * PAGE)).toBe(end + 4 * PAGE);
  expect([memory.allocate(3 * PAGE), memory.allocate(3 * PAGE)]).toEqual([second, end + 6 * PAGE]);
});

it("zeroes what is released, and nothing else", () => {
  const memory = newMemory();
  for (let i = 0; i < 3; i++) memory.allocate(PAGE);
  const [before, own, after] = [1, 2, 3].map((page) => memory.view(page * PAGE, PAGE).fill(7));
  memory.release(own!.byteOffset, PAGE);
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
  used.allocate(PAGE);
  for (const start of [released.allocate(PAGE)!, released.allocate(PAGE)!]) released.release(start, PAGE);
  const start = partly.allocate(PAGE)!;
  partly.allocate(PAGE);
  partly.release(start, PAGE);
  for (const memory of [unused, used, released, partly]) memory.retire();
  expect([SharedMemory.create(), SharedMemory.create()]).toEqual([released, unused]);
  expect([unused, used, released, partly]).not.toContain(SharedMemory.create());
});
