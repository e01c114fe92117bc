// Small modules that leak a secret on purpose: a machine that follows nothing would find nothing in the kernels either.
import { Machine } from "./machine/machine.mjs";
import { KEY } from "./machine/memory.mjs";
import { assemble } from "./machine/opcodes.mjs";
import { symbol } from "./machine/terms.mjs";

const secretByte = "i32.const 0 i32.load8_u 0 0";
const secretVector = "i32.const 0 v128.load 0 0";
const firstLane = "i32x4.extract_lane 0";
const branch = "if -64 end"; // -64: of no type

/** Each with what it must be found for; the last must not be found. */
export const leaks = {
  "a branch on a byte": [`${secretByte} ${branch}`, "a branch"],
  "a table that a byte indexes": [`${secretByte} i32.load 0 0 drop`, "an address"],
  "a branch on a vector's lane": [`${secretVector} ${firstLane} ${branch}`, "a branch"],
  "a table that a vector's lane indexes": [
    `${secretVector} i32.const 1 i32x4.splat v128.xor ${firstLane} i32.load 0 0 drop`,
    "an address",
  ],
  "a vector's load at a secret address": [`${secretByte} v128.load 0 0 drop`, "an address"],
  "a store at a secret address": [`${secretByte} i32.const 1 i32.store 0 0`, "an address"],
  "a select by a vector's lane": [`i32.const 1 i32.const 1 ${secretVector} ${firstLane} select drop`, "a select"],
  "a swizzle as a table": [`${secretVector} ${secretVector} i8x16.swizzle drop`, "a swizzle"],
  "a shift by a secret count": [`i32.const 1 ${secretByte} i32.shl drop`, "a shift"],
  "a secret divisor": [`i32.const 1 ${secretByte} i32.div_u drop`, "i32.div_u"],
  "a secret comparison": [`i32.const 1 ${secretByte} i32.eq drop`, "i32.eq"],
  "a wipe of a secret length": [`i32.const 0 i32.const 0 ${secretByte} memory.fill 0`, "a length"],
  "a lane without a secret": [`${secretVector} i32x4.extract_lane 3 ${branch}`, undefined],
};

const section = (id, ...content) => [id, content.length, ...content];

/** A module with a page of memory and one exported function of this code. */
export function moduleOf(code) {
  const body = [0, ...assemble(`${code} end`)];
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
