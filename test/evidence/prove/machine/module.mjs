// Reads a WebAssembly module as far as kernels need it (WebAssembly 2.0 section 5). An instruction that is not known here is an
// error, so nothing is passed over.

import { u64 } from "./arithmetic.mjs";
import { BinaryReader } from "./binary-reader.mjs";

export const [BLOCK, LOOP, IF, ELSE, END] = [0x02, 0x03, 0x04, 0x05, 0x0b];
export const [BRANCH, BRANCH_IF, BRANCH_TABLE, RETURN, CALL] = [0x0c, 0x0d, 0x0e, 0x0f, 0x10];
export const [COPY, FILL] = [10, 11];
const [CUSTOM, START, DATA_COUNT] = [0, 8, 12];
export const [I32, I64, VECTOR] = [0x7f, 0x7e, 0x7b];

/** Loads and stores by their codes: bytes in memory, bytes of the value, whether a load extends the sign. */
export const LOADS = {
  40: [4, 4],
  41: [8, 8],
  44: [1, 4, true],
  45: [1, 4],
  46: [2, 4, true],
  47: [2, 4],
  48: [1, 8, true],
  49: [1, 8],
  50: [2, 8, true],
  51: [2, 8],
  52: [4, 8, true],
  53: [4, 8],
};
export const STORES = { 54: [4, 4], 55: [8, 8], 58: [1, 4], 59: [2, 4], 60: [1, 8], 61: [2, 8], 62: [4, 8] };

/** Vector instructions that read or write one lane, by their codes: the bytes of the lane. */
export const EXTRACT = { 27: 4, 29: 8 };
export const REPLACE = { 28: 4, 30: 8 };
export const LOAD_LANE = { 86: 4, 87: 8 };
export const STORE_LANE = { 90: 4, 91: 8 };

const INDEXED = new Set([BRANCH, BRANCH_IF, CALL, 0x20, 0x21, 0x22, 0x23, 0x24]);
const PLAIN = new Set([0x00, 0x01, ELSE, END, RETURN, 0x1a, 0x1b]);

/** What follows the code of a vector instruction. */
function readVector(ins, r) {
  ins.simd = r.number();
  const sixteen = () => Array.from({ length: 16 }, () => r.byte());
  const { simd } = ins;
  // Those of other lanes, too, have a byte for the lane.
  const hasLane = (simd >= 21 && simd <= 34) || (simd >= 84 && simd <= 91);
  if (hasLane && ![EXTRACT, REPLACE, LOAD_LANE, STORE_LANE].some((known) => known[simd]))
    throw new Error(`vector instruction ${simd} is not known`);
  if (simd === 12 || simd === 13) ins.bytes = sixteen();
  else if (EXTRACT[simd] || REPLACE[simd]) ins.lane = r.byte();
  else if (simd <= 11 || (simd >= 84 && simd <= 93)) {
    r.number();
    ins.n = r.number();
    if (LOAD_LANE[simd] || STORE_LANE[simd]) ins.lane = r.byte();
  }
}

/** An instruction: its code, what follows it, and where its bytes are. */
function readInstruction(r, types) {
  const at = r.at;
  const op = r.byte();
  const ins = { op, at, n: 0, value: 0, end: -1, otherwise: -1, arity: 0, simd: -1, lane: 0, bytes: [], targets: [] };
  if (op === BLOCK || op === LOOP || op === IF) {
    const type = r.signed();
    if (type >= 0n && types[Number(type)].params.length > 0) throw new Error("a block with parameters is not known");
    ins.arity = type === -64n ? 0 : type < 0n ? 1 : types[Number(type)].results;
  } else if (INDEXED.has(op)) ins.n = r.number();
  else if (op === BRANCH_TABLE) ins.targets = [...r.list(() => r.number()), r.number()];
  else if (op >= 0x28 && op <= 0x3e) {
    r.number(); // the alignment, a hint
    ins.n = r.number();
  } else if (op === 0x41) ins.value = Number(r.signed());
  else if (op === 0x42) ins.value = u64(r.signed());
  else if (op === 0xfc) {
    ins.n = r.number();
    if (ins.n !== COPY && ins.n !== FILL) throw new Error(`instruction 0xfc ${ins.n} is not known`);
    r.at += ins.n === COPY ? 2 : 1;
  } else if (op === 0xfd) readVector(ins, r);
  else if (!PLAIN.has(op) && !(op >= 0x45 && op <= 0xc4))
    throw new Error(`instruction 0x${op.toString(16)} is not known`);
  return ins;
}

/** A function's instructions; each that begins a block knows where it ends. */
function readCode(r, end, types) {
  const code = [];
  const open = [];
  while (r.at < end) {
    const ins = readInstruction(r, types);
    if (ins.op === BLOCK || ins.op === LOOP || ins.op === IF) open.push(ins);
    else if (ins.op === ELSE) {
      open.at(-1).otherwise = code.length;
    } else if (ins.op === END && open.length > 0) {
      const start = open.pop();
      start.end = code.length;
      if (start.otherwise >= 0) code[start.otherwise].end = code.length;
    }
    code.push(ins);
  }
  return code;
}

/** Types, functions, exports, globals, data, the function that runs at the start, and the size of the memory in pages, or `undefined` if it is imported. */
export function readModule(bytes) {
  const module = { types: [], functions: [], globals: [], exports: {}, data: [], pages: undefined, start: undefined };
  const r = new BinaryReader(bytes, 8);
  const each = (read) => {
    for (let n = r.number(); n > 0; n--) read();
  };
  let index = 0;
  const sections = {
    1: () => {
      r.byte();
      const params = r.list(() => r.byte());
      module.types.push({ params, results: r.list(() => r.byte()).length });
    },
    2: () => {
      const names = [r.list(() => r.byte()), r.list(() => r.byte())];
      if (r.byte() !== 2) throw new Error(`only memory can be imported, not ${Buffer.from(names[1])}`);
      if (r.byte() & 1) r.number();
      r.number();
    },
    3: () => module.functions.push({ type: module.types[r.number()] }),
    5: () => {
      const hasMaximum = r.byte() & 1;
      module.pages = r.number();
      if (hasMaximum) r.number();
    },
    6: () => {
      r.at += 3; // an i32.const that can be changed
      module.globals.push(Number(r.signed()));
      // The stack pointer: whatever else outlived a call would be out of the proofs' sight.
      if (module.globals.length > 1) throw new Error("a module must have no global but the stack pointer");
      r.at++;
    },
    7: () => {
      const name = Buffer.from(r.list(() => r.byte())).toString();
      const isFunction = r.byte() === 0;
      const number = r.number();
      if (isFunction) module.exports[name] = number;
    },
    10: () => {
      const end = r.number() + r.at;
      const locals = r.list(() => new Array(r.number()).fill(r.byte())).flat();
      Object.assign(module.functions[index++], { locals, code: readCode(r, end, module.types) });
    },
    11: () => {
      if (r.number() !== 0 || r.byte() !== 0x41) throw new Error("data must be active, at a constant");
      const at = Number(r.signed());
      r.byte();
      module.data.push({ at, bytes: r.list(() => r.byte()) });
    },
  };
  while (r.at < bytes.length) {
    const [id, size] = [r.byte(), r.number()];
    const end = r.at + size;
    // Names and the count of data change nothing; a table or its elements would.
    if (id === START) module.start = r.number();
    else if (sections[id]) each(sections[id]);
    else if (id !== CUSTOM && id !== DATA_COUNT) throw new Error(`section ${id} is not known`);
    r.at = end;
  }
  return module;
}
