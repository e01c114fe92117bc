// Small modules that leak a secret on purpose: an interpreter that follows nothing would find nothing in the kernels either.
import { Machine } from "./interpreter.mjs";

const END = 0x0b;
const SIMD = 0xfd;
const PUBLIC = [0x41, 0]; // i32.const 0
const secretByte = [...PUBLIC, 0x2d, 0, 0]; // i32.load8_u at 0
const secretVector = [...PUBLIC, SIMD, 0, 0, 0]; // v128.load at 0
const laneOf = (vector, lane) => [...vector, SIMD, 27, lane]; // i32x4.extract_lane
const loadWord = [0x28, 0, 0];
const IF = 0x04;
const NOTHING = 0x40;
const SELECT = 0x1b;
const xor = [SIMD, 81];
const swizzle = [SIMD, 14];
const drop = 0x1a;
const one = [0x41, 1];

/** Each with what it must be found for; the public ones must not be found. */
export const leaks = {
  "a branch on a byte": { code: [...secretByte, IF, NOTHING, END], found: "a branch" },
  "a table that a byte indexes": { code: [...secretByte, ...loadWord, drop], found: "an address" },
  "a branch on a vector's lane": { code: [...laneOf(secretVector, 0), IF, NOTHING, END], found: "a branch" },
  "a table that a vector's lane indexes": {
    code: [...laneOf([...secretVector, ...secretVector, ...xor], 0), ...loadWord, drop],
    found: "an address",
  },
  "a vector's load at a secret address": { code: [...secretByte, SIMD, 0, 0, 0, drop], found: "an address" },
  "a select by a vector's lane": {
    code: [...one, ...one, ...laneOf(secretVector, 0), SELECT, drop],
    found: "a select",
  },
  "a swizzle as a table": { code: [...secretVector, ...secretVector, ...swizzle, drop], found: "a swizzle" },
  "a lane without a secret": { code: [...laneOf(secretVector, 3), IF, NOTHING, END], found: undefined },
};

const section = (id, ...content) => [id, content.length, ...content];

/** A module with a page of memory and one exported function of this code. */
export function moduleOf(code) {
  const body = [0, ...code, END];
  return Uint8Array.of(
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, 1, 0x60, 0, 0),
    ...section(3, 1, 0),
    ...section(5, 1, 0, 1),
    ...section(7, 1, 1, 0x66, 0, 0),
    ...section(10, 1, body.length, ...body),
  );
}

/** What the interpreter finds if the first 12 bytes of memory are secret. */
export function findingIn(code) {
  const machine = new Machine(moduleOf(code));
  machine.place(0, new Uint8Array(12), true);
  try {
    machine.call("f");
  } catch (error) {
    return error.message;
  }
  return undefined;
}

export function checkThatLeaksShow() {
  for (const [name, { code, found }] of Object.entries(leaks)) {
    const finding = findingIn(code);
    const right = found ? finding?.includes(`${found}`) && finding.includes("secret") : finding === undefined;
    if (!right) throw new Error(`${name}: the interpreter must find ${found ?? "nothing"}, found ${finding}`);
  }
}
