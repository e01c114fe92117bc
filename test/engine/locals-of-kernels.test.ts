// The check that keeps the build from changing what a kernel computes when it numbers locals anew: it finds every wrong local.
import { describe, expect, it } from "vitest";
import { type Body, readCode } from "../../wasm/code.mjs";
import { requireSameValues } from "../../wasm/same-values.mjs";

const [I32, I64] = [0x7f, 0x7e];
const [BLOCK, LOOP, IF, ELSE, END, BRANCH_IF] = [[0x02, 0x40], [0x03, 0x40], [0x04, 0x40], 0x05, 0x0b, 0x0d];
const get = (local: number) => [0x20, local];
const set = (local: number) => [0x21, local];
const drop = 0x1a;
const one = [0x41, 1];

const section = (id: number, ...content: number[]) => [id, content.length, ...content];

/** A function of two parameters, i32 and i64, and of locals of its own. */
function bodyOf(locals: number[], ...code: (number | number[])[]): Body {
  const body = [locals.length, ...locals.flatMap((type) => [1, type]), ...code.flat(), END];
  const module = Buffer.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, 1, 0x60, 2, I32, I64, 0),
    ...section(3, 1, 0),
    ...section(10, 1, body.length, ...body),
  ]);
  new WebAssembly.Module(module);
  return readCode(module).bodies[0] as Body;
}

const refusalOf = (first: Body, second: Body) => {
  try {
    requireSameValues(first, second);
  } catch (error) {
    return (error as Error).message;
  }
  return undefined;
};

const VALUE = /reads a local with another value/;
const two = [I32, I32];

describe("functions that compute the same", () => {
  it("may have a value in another local", () => {
    const first = bodyOf(two, one, set(2), get(2), drop);
    expect(refusalOf(first, bodyOf(two, one, set(3), get(3), drop))).toBeUndefined();
    expect(refusalOf(first, bodyOf([I32], one, set(0), get(0), drop))).toBeUndefined();
  });

  it("may read any local that is still zero", () => {
    expect(refusalOf(bodyOf(two, get(2), drop), bodyOf(two, get(3), drop))).toBeUndefined();
  });

  it("may have a loop's value in another local", () => {
    const loop = (local: number) => bodyOf(two, LOOP, one, set(local), get(local), BRANCH_IF, 0, END, get(local), drop);
    expect(refusalOf(loop(2), loop(3))).toBeUndefined();
  });
});

describe("functions that do not are refused", () => {
  it.each([
    ["a read of another local", bodyOf(two, one, set(2), get(2), drop), bodyOf(two, one, set(2), get(3), drop), VALUE],
    [
      "a value that is overwritten",
      bodyOf(two, one, set(2), one, set(3), get(2), drop),
      bodyOf(two, one, set(2), one, set(2), get(2), drop),
      VALUE,
    ],
    ["a parameter instead of zero", bodyOf(two, get(2), drop), bodyOf(two, get(0), drop), VALUE],
    ["zero instead of a parameter", bodyOf(two, get(0), drop), bodyOf(two, get(2), drop), VALUE],
    [
      "a local that is zero no longer",
      bodyOf(two, one, set(2), get(3), drop),
      bodyOf(two, one, set(3), get(3), drop),
      VALUE,
    ],
    [
      "a value of one arm only",
      bodyOf(two, one, IF, one, set(2), ELSE, one, set(2), END, get(2), drop),
      bodyOf(two, one, IF, one, set(2), ELSE, one, set(3), END, get(2), drop),
      VALUE,
    ],
    [
      "an arm that may be skipped",
      bodyOf(two, one, set(2), one, IF, one, set(3), END, get(2), drop),
      bodyOf(two, one, set(2), one, IF, one, set(2), END, get(2), drop),
      VALUE,
    ],
    [
      "a way out of a block",
      bodyOf(two, one, set(2), BLOCK, one, BRANCH_IF, 0, one, set(3), END, get(2), drop),
      bodyOf(two, one, set(2), BLOCK, one, BRANCH_IF, 0, one, set(2), END, get(2), drop),
      VALUE,
    ],
    [
      "a value that only a loop's second turn reads",
      bodyOf(two, LOOP, get(2), drop, one, set(3), one, BRANCH_IF, 0, END),
      bodyOf(two, LOOP, get(2), drop, one, set(2), one, BRANCH_IF, 0, END),
      VALUE,
    ],
    ["a local of another type", bodyOf([I64], get(2), drop), bodyOf([I32], get(2), drop), /another type/],
    ["other instructions", bodyOf(two, one, drop), bodyOf(two, [0x41, 2], drop), /instructions are others/],
    ["fewer instructions", bodyOf(two, one, drop), bodyOf(two), /instructions are others/],
  ])("%s", (_, first, second, message) => {
    expect(refusalOf(first, second)).toMatch(message);
  });
});
