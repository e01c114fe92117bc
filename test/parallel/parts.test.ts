// How a message is divided: into parts of about equal length, and each part into the largest subtrees that it has.
import { expect, it } from "vitest";
import { Parts, subtreesOf } from "../../js/parallel/parts.ts";
import { KIB, MIB } from "../support/pool.ts";

const GRAIN = 16 * KIB;

it.each<[at: number, length: number, lengths: number[]]>([
  [0, 1, [1]],
  [0, GRAIN, [GRAIN]],
  [0, 4 * GRAIN, [4 * GRAIN]],
  [4 * GRAIN, 4 * GRAIN, [4 * GRAIN]],
  [4 * GRAIN, 6 * GRAIN, [4 * GRAIN, 2 * GRAIN]],
  [2 * GRAIN, 6 * GRAIN, [2 * GRAIN, 4 * GRAIN]],
  [3 * GRAIN, 3 * GRAIN, [GRAIN, 2 * GRAIN]],
  [8 * GRAIN, 3 * GRAIN + 5, [2 * GRAIN, GRAIN, 5]],
  [2 ** 50, 3 * MIB, [2 * MIB, MIB]],
])("the subtrees at %i, of %i bytes", (at, length, lengths) => {
  const subtrees = subtreesOf({ at, length });
  expect(subtrees.map((subtree) => subtree.length)).toEqual(lengths);
  let next = at;
  for (const subtree of subtrees) {
    expect(subtree.at).toBe(next);
    next += subtree.length;
  }
});

it.each<[length: number, count: number, group: number | undefined]>([
  [MIB, 2, undefined],
  [MIB + 1, 3, undefined],
  [9 * MIB - 5, 7, undefined],
  [9 * MIB - 5, 7, 64 * KIB],
  [2 * MIB, 8, MIB / 4],
])("%i bytes in %i parts, of groups of %s: whole grains or groups, and about as long", (length, count, group) => {
  const parts = new Parts(length, count, group);
  const grain = group ?? GRAIN;
  let next = 0;
  for (let i = 0; i < parts.count; i++) {
    const part = parts.part(i);
    expect(part).toEqual({ at: next, length: part.length, group });
    expect(part.at % grain).toBe(0);
    expect(Math.abs(part.length - length / count)).toBeLessThan(2 * grain);
    next += part.length;
  }
  expect(next).toBe(length);
});
