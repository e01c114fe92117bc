// js/engine/memory.ts alone: the map of a kernel's memory, its areas, and the readers of headers.
import { describe, expect, it } from "vitest";
import * as map from "../../js/engine/memory.ts";
import { memoryMap } from "../support/memory.ts";

const { Area, countIn, readHead, uint32At } = map;

describe("the map", () => {
  it("has the numbers of wasm/memory.h", () => {
    const numbers = new Map(Object.entries(map));
    expect(memoryMap().size).toBeGreaterThanOrEqual(7);
    for (const [name, value] of memoryMap()) expect(numbers.get(name), name).toBe(value);
  });

  it("has areas that end where the next one starts, or before", () => {
    expect(map.PARAMETERS + map.PARAMETERS_SIZE).toBeLessThanOrEqual(map.STATE);
    expect(map.STATE + map.STATE_SIZE).toBe(map.ONESHOT);
    expect(map.ONESHOT + map.STATE_SIZE).toBe(map.ROOT);
    expect(map.ROOT + map.ROOT_SIZE).toBeLessThanOrEqual(map.JOBS);
    expect(map.JOBS + map.JOBS_SIZE).toBeLessThanOrEqual(map.OUTPUT);
    expect(map.OUTPUT + map.OUTPUT_SIZE).toBeLessThanOrEqual(map.INPUT);
  });
});

describe("an area", () => {
  const SIZE = 1024;
  // More than the number of bytes that a loop zeroes, and less; multiples of 8, and not.
  const lengths = Array.from({ length: SIZE + 1 }, (_, length) => length);

  it("zeroes its first bytes, and no others but the rest of a word", () => {
    const memory = new Uint8Array(3 * SIZE);
    const area = new Area(memory.buffer, SIZE, SIZE);
    for (const length of lengths) {
      memory.fill(0xff);
      area.wipe(length);
      const end = memory.indexOf(0xff, SIZE) - SIZE;
      expect([length, Math.ceil(length / 8) * 8]).toContain(end);
      expect(memory.filter((byte) => byte === 0)).toHaveLength(end);
    }
  });

  it("never writes beyond its end", () => {
    const memory = new Uint8Array(3 * SIZE);
    for (const size of [8, 256, SIZE]) {
      const area = new Area(memory.buffer, SIZE, size);
      memory.fill(0xff);
      area.wipe(2 * SIZE);
      expect(memory.lastIndexOf(0)).toBe(SIZE + size - 1);
      expect(area.bytes).toHaveLength(size);
      expect(area.view.byteLength).toBe(size);
    }
  });
});

describe("a header", () => {
  const bytes = new Uint8Array(100).map((_, i) => 251 - 2 * i);

  it("is read from any offset", () => {
    for (const at of [0, 1, 32, 68]) {
      const view = new DataView(bytes.buffer, at);
      const [size, buffered, prefix, flags] = [0, 4, 8, 12].map((offset) => view.getUint32(offset, true));
      const count = view.getBigUint64(16, true) + 2n ** 64n * view.getBigUint64(24, true);
      expect(readHead(bytes, at)).toEqual({ size, buffered, prefix, flags, count });
      expect(countIn(bytes, at)).toBe(count);
    }
    expect(readHead(bytes)).toEqual(readHead(bytes, 0));
  });

  it("has numbers of four bytes", () => {
    for (let at = 0; at <= 96; at++) {
      expect(uint32At(bytes, at)).toBe(new DataView(bytes.buffer).getUint32(at, true));
    }
    expect(uint32At(new Uint8Array(4).fill(0xff), 0)).toBe(2 ** 32 - 1);
  });
});
