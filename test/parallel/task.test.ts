// A hash in progress, without threads: its parts, which of them wait, when its source is closed, and what ends it.
import { expect, it, vi } from "vitest";
import type { Request } from "../../js/parallel/request.ts";
import type { PoolSource } from "../../js/parallel/source.ts";
import { MessageTask } from "../../js/parallel/task.ts";
import { expectBytes, pattern } from "../support/messages.ts";
import { KIB, MIB } from "../support/pool.ts";

const VALUES = pattern(2 * 32);
const BYTES = new Uint8Array(MIB);

/** A source of two groups, each of which is a part. */
class Watched implements PoolSource {
  readonly length: number;
  closing = 0;
  constructor(length = 2 * MIB) {
    this.length = length;
  }
  place(): undefined {}
  bytes(): Uint8Array {
    return BYTES;
  }
  close(): void {
    this.closing++;
  }
}

function begin(more: Partial<Request> = {}): { source: Watched; task: MessageTask } {
  const source = new Watched();
  const request = { mode: {}, length: 32, signal: undefined, onProgress: undefined, group: MIB, ...more };
  return { source, task: new MessageTask(source, request, 2) };
}

const valuesOf = (part: number) => VALUES.subarray(32 * part, 32 * part + 32);

it("the source is closed once, before the values resolve, and what is aborted then changes nothing", async () => {
  const { source, task } = begin();
  const values = task.result.finally(() => expect(source.closing).toBe(1));
  for (const part of [task.begin(), task.begin()]) task.complete(part, valuesOf(part));
  expect(source.closing).toBe(1);
  task.abort("late");
  expectBytes(await values, VALUES);
});

it("no progress is reported after the end, and the source is closed when the last part has ended", async () => {
  const seen: number[] = [];
  const { source, task } = begin({ onProgress: (bytes) => seen.push(bytes) });
  const outcome = expect(task.result).rejects.toBe("enough");
  const parts = [task.begin(), task.begin()];
  task.complete(parts[0]!, valuesOf(0));
  task.abort("enough");
  task.abort("again");
  expect([task.waiting, source.closing]).toEqual([false, 0]);
  task.complete(parts[1]!, valuesOf(1));
  expect(source.closing).toBe(1);
  await outcome;
  expect(seen).toEqual([MIB]);
});

it.each<[string, (task: MessageTask, part: number) => void]>([
  ["is complete", (task, part) => task.complete(part, valuesOf(part))],
  ["fails", (task) => task.fail(new Error("late"))],
])("aborted with two parts in progress: the source is closed once, when the last of them %s", async (_, end) => {
  const { source, task } = begin();
  const parts = [task.begin(), task.begin()];
  const outcome = expect(task.result).rejects.toBe("tested");
  task.abort("tested");
  const closings = [source.closing];
  for (const part of parts) {
    end(task, part);
    closings.push(source.closing);
  }
  await outcome;
  expect(closings).toEqual([0, 0, 1]);
});

it("aborted before any part has begun: the source is closed and the key wiped", async () => {
  const { source, task } = begin({ mode: { key: pattern(32) } });
  const wiped: Buffer[] = [];
  const fill = vi.spyOn(Uint8Array.prototype, "fill").mockImplementation(function (this: Uint8Array) {
    wiped.push(Buffer.from(this));
    return this;
  });
  const outcome = expect(task.result).rejects.toBe("tested");
  try {
    task.abort("tested");
  } finally {
    fill.mockRestore();
  }
  await outcome;
  expect([source.closing, task.waiting]).toEqual([1, false]);
  expect(wiped.some((bytes) => bytes.includes(Buffer.from(pattern(32))))).toBe(true);
});

it.each<[length: number, count: number, group: number | undefined]>([
  [MIB, 2, undefined],
  [MIB + 1, 3, undefined],
  [9 * MIB - 5, 7, undefined],
  [2 ** 34 + 5, 1000, undefined],
  [9 * MIB - 5, 7, 64 * KIB],
  [2 * MIB, 8, MIB / 4],
])("%i bytes in %i parts, of groups of %s: whole groups, and about as long", async (length, count, group) => {
  const source = new Watched(length);
  const task = new MessageTask(
    source,
    { mode: {}, length: 32, signal: undefined, onProgress: undefined, group },
    count,
  );
  let next = 0;
  for (let i = 0; i < count; i++) {
    const part = await task.jobWithBytes(task.begin());
    expect(part.offset).toBe(next);
    expect(part.offset % part.group).toBe(0);
    expect(part.group).toBe(group ?? Math.min(256 * KIB, part.group));
    expect(Math.abs(part.length - length / count)).toBeLessThan(2 * part.group);
    next += part.length;
  }
  expect([next, task.waiting]).toEqual([length, false]);
});
