// Small modules that leak a secret on purpose: a machine that follows nothing would find nothing in the kernels either.
import { Machine } from "./machine/machine.mjs";
import { KEY } from "./machine/memory.mjs";
import { symbol } from "./machine/terms.mjs";

const END = 0x0b;
const SIMD = 0xfd;
const PUBLIC = [0x41, 0]; // i32.const 0
const secretByte = [...PUBLIC, 0x2d, 0, 0]; // i32.load8_u at 0
const secretVector = [...PUBLIC, SIMD, 0, 0, 0]; // v128.load at 0
const laneOf = (vector, lane) => [...vector, SIMD, 27, lane]; // i32x4.extract_lane
const loadWord = [0x28, 0, 0];
const BRANCH = [0x04, 0x40, END]; // if, with nothing in it
const SELECT = 0x1b;
const xor = [SIMD, 81];
const swizzle = [SIMD, 14];
const drop = 0x1a;
const one = [0x41, 1];

/** Each with what it must be found for; the last must not be found. */
export const leaks = {
  "a branch on a byte": { code: [...secretByte, ...BRANCH], found: "a branch" },
  "a table that a byte indexes": { code: [...secretByte, ...loadWord, drop], found: "an address" },
  "a branch on a vector's lane": { code: [...laneOf(secretVector, 0), ...BRANCH], found: "a branch" },
  "a table that a vector's lane indexes": {
    code: [...laneOf([...secretVector, ...one, SIMD, 17, ...xor], 0), ...loadWord, drop],
    found: "an address",
  },
  "a vector's load at a secret address": { code: [...secretByte, SIMD, 0, 0, 0, drop], found: "an address" },
  "a store at a secret address": { code: [...secretByte, ...one, 0x36, 0, 0], found: "an address" },
  "a select by a vector's lane": {
    code: [...one, ...one, ...laneOf(secretVector, 0), SELECT, drop],
    found: "a select",
  },
  "a swizzle as a table": { code: [...secretVector, ...secretVector, ...swizzle, drop], found: "a swizzle" },
  "a shift by a secret count": { code: [...one, ...secretByte, 116, drop], found: "a shift" },
  "a secret divisor": { code: [...one, ...secretByte, 110, drop], found: "instruction 110" },
  "a secret comparison": { code: [...one, ...secretByte, 70, drop], found: "instruction 70" },
  "a wipe of a secret length": { code: [...PUBLIC, ...PUBLIC, ...secretByte, 0xfc, 11, 0], found: "a length" },
  "a lane without a secret": { code: [...laneOf(secretVector, 3), ...BRANCH], found: undefined },
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

/** What the machine finds if the first 12 bytes of memory are secret. */
export function findingIn(code) {
  const bytes = moduleOf(code);
  new WebAssembly.Module(bytes);
  const machine = new Machine(bytes, 4);
  machine.memory.place(
    0,
    Array.from({ length: 12 }, (_, i) => symbol(KEY, i)),
  );
  try {
    machine.call("f");
  } catch (error) {
    return error.message;
  }
  return undefined;
}
