// Reads a WebAssembly module as far as kernels need it (WebAssembly 2.0 section 5). An instruction that is not known
// here is an error, so nothing is passed over.
import { u64 } from "./arithmetic.mjs";
import { readName } from "./opcodes.mjs";

const [CUSTOM, START, CODE, DATA_COUNT] = [0, 8, 10, 12];
export const [I32, I64, VECTOR] = [0x7f, 0x7e, 0x7b];

/** Bytes, numbers in LEB128, lists. */
class Reader {
  constructor(bytes, at) {
    this.bytes = bytes;
    this.at = at;
  }

  byte() {
    return this.bytes[this.at++];
  }

  number() {
    let [value, unit, byte] = [0, 1, 0];
    do {
      byte = this.byte();
      value += (byte & 127) * unit;
      unit *= 128;
    } while (byte & 128);
    return value;
  }

  /** @returns {bigint} */
  signed() {
    let [value, shift, byte] = [0n, 0n, 0];
    do {
      byte = this.byte();
      value |= BigInt(byte & 127) << shift;
      shift += 7n;
    } while (byte & 128);
    return BigInt.asIntN(Number(shift), value);
  }

  list(read, length = this.number()) {
    return Array.from({ length }, read);
  }
}

/** An instruction: its name, what follows its code, and where its bytes are. */
function readInstruction(r, types) {
  const at = r.at;
  const op = readName(r);
  const ins = {
    op,
    at,
    n: 0,
    value: 0,
    end: -1,
    otherwise: -1,
    arity: 0,
    lane: 0,
    bytes: [],
    targets: [],
    run: undefined,
  };
  if (op === undefined) throw new Error(`the instruction at 0x${at.toString(16)} is not known`);
  if (/^(block|loop|if)$/.test(op)) {
    const type = r.signed();
    if (type >= 0n && types[Number(type)].params.length > 0) throw new Error("a block with parameters is not known");
    ins.arity = type === -64n ? 0 : type < 0n ? 1 : types[Number(type)].results;
  } else if (/^(local\..*|global\..*|br|br_if|call)$/.test(op)) ins.n = r.number();
  else if (op === "br_table") ins.targets = [...r.list(() => r.number()), r.number()];
  else if (op === "i32.const") ins.value = Number(r.signed());
  else if (op === "i64.const") ins.value = u64(r.signed());
  else if (/load|store/.test(op)) {
    r.number(); // the alignment, a hint
    ins.n = r.number();
  } else if (/^(v128\.const|i8x16\.shuffle)$/.test(op)) ins.bytes = r.list(() => r.byte(), 16);
  else if (/^memory/.test(op)) r.at += op === "memory.copy" ? 2 : 1;
  if (/_lane$/.test(op)) ins.lane = r.byte();
  return ins;
}

/** A function's instructions; each that begins a block knows where it ends. */
function readCode(r, end, types) {
  const code = [];
  const open = [];
  while (r.at < end) {
    const ins = readInstruction(r, types);
    if (["block", "loop", "if"].includes(ins.op)) open.push(ins);
    else if (ins.op === "else") {
      open.at(-1).otherwise = code.length;
    } else if (ins.op === "end" && open.length > 0) {
      const start = open.pop();
      start.end = code.length;
      if (start.otherwise >= 0) code[start.otherwise].end = code.length;
    }
    code.push(ins);
  }
  return code;
}

/**
 * Types, functions, exports, globals, data, the function that runs at the start, and the size of the memory in pages,
 * or `undefined` if it is imported.
 */
export function readModule(bytes) {
  const module = { types: [], functions: [], globals: [], exports: {}, data: [], pages: undefined, start: undefined };
  const r = new Reader(bytes, 8);
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
      const body = [r.at, end];
      const locals = r.list(() => new Array(r.number()).fill(r.byte())).flat();
      Object.assign(module.functions[index++], { body, locals, code: readCode(r, end, module.types) });
    },
    11: () => {
      if (r.number() !== 0 || r.byte() !== 0x41) throw new Error("data must be active, at a constant");
      const at = Number(r.signed());
      r.byte();
      module.data.push({ at, bytes: r.list(() => r.byte()) });
    },
  };
  while (r.at < bytes.length) {
    const [from, id, size] = [r.at, r.byte(), r.number()];
    const end = r.at + size;
    if (id === CODE) module.codeSection = [from, end];
    // Names and the count of data change nothing; a table or its elements would.
    if (id === START) module.start = r.number();
    else if (sections[id]) each(sections[id]);
    else if (id !== CUSTOM && id !== DATA_COUNT) throw new Error(`section ${id} is not known`);
    r.at = end;
  }
  return module;
}
