// Runs the shipped baseline kernels, byte by byte as they are in wasm/dist, in an interpreter that follows what is secret: keys,
// salts and messages, and all that is computed from them. A branch, a select or an address that depends on them is an error, and
// so is a division. Digests are compared with the package's.
//
//   node tools/taint.mjs
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { algorithms, toHex } from "blake-simd";
import { bytes, parametersOf, subjects } from "./native/cases.mjs";

const u64 = (x) => BigInt.asUintN(64, x);
const i64 = (x) => BigInt.asIntN(64, x);

class Reader {
  constructor(bytes, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }
  byte() {
    return this.bytes[this.at++];
  }
  unsigned() {
    let [result, shift, byte] = [0, 0, 0];
    do {
      byte = this.byte();
      result += (byte & 127) * 2 ** shift;
      shift += 7;
    } while (byte & 128);
    return result;
  }
  signed() {
    let [result, shift, byte] = [0n, 0n, 0];
    do {
      byte = this.byte();
      result |= BigInt(byte & 127) << shift;
      shift += 7n;
    } while (byte & 128);
    return BigInt.asIntN(Number(shift), result);
  }
}

const binary32 = {
  70: (a, b) => +(a === b),
  71: (a, b) => +(a !== b),
  72: (a, b) => +(a < b),
  73: (a, b) => +(a >>> 0 < b >>> 0),
  74: (a, b) => +(a > b),
  75: (a, b) => +(a >>> 0 > b >>> 0),
  76: (a, b) => +(a <= b),
  77: (a, b) => +(a >>> 0 <= b >>> 0),
  78: (a, b) => +(a >= b),
  79: (a, b) => +(a >>> 0 >= b >>> 0),
  106: (a, b) => (a + b) | 0,
  107: (a, b) => (a - b) | 0,
  108: Math.imul,
  113: (a, b) => a & b,
  114: (a, b) => a | b,
  115: (a, b) => a ^ b,
  116: (a, b) => a << b,
  117: (a, b) => a >> b,
  118: (a, b) => (a >>> b) | 0,
  119: (a, b) => (a << b) | (a >>> (32 - (b & 31))),
  120: (a, b) => (a >>> b) | (a << (32 - (b & 31))),
};
const rotate = (a, by) => u64((a << (by & 63n)) | (a >> ((64n - (by & 63n)) & 63n)));
const binary64 = {
  81: (a, b) => +(a === b),
  82: (a, b) => +(a !== b),
  83: (a, b) => +(i64(a) < i64(b)),
  84: (a, b) => +(a < b),
  85: (a, b) => +(i64(a) > i64(b)),
  86: (a, b) => +(a > b),
  87: (a, b) => +(i64(a) <= i64(b)),
  88: (a, b) => +(a <= b),
  89: (a, b) => +(i64(a) >= i64(b)),
  90: (a, b) => +(a >= b),
  124: (a, b) => u64(a + b),
  125: (a, b) => u64(a - b),
  126: (a, b) => u64(a * b),
  131: (a, b) => a & b,
  132: (a, b) => a | b,
  133: (a, b) => a ^ b,
  134: (a, b) => u64(a << (b & 63n)),
  135: (a, b) => u64(i64(a) >> (b & 63n)),
  136: (a, b) => a >> (b & 63n),
  137: rotate,
  138: (a, b) => rotate(a, 64n - (b & 63n)),
};
const ones = (x) => x.toString(2).replaceAll("0", "").length;
const unary = {
  69: (a) => +(a === 0),
  80: (a) => +(a === 0n),
  103: Math.clz32,
  104: (a) => (a === 0 ? 32 : 31 - Math.clz32(a & -a)),
  105: (a) => ones(a >>> 0),
  121: (a) => BigInt(64 - (a === 0n ? 0 : a.toString(2).length)),
  123: (a) => BigInt(a === 0n ? 0 : ones(a)),
  167: (a) => Number(BigInt.asIntN(32, a)),
  172: (a) => u64(BigInt(a)),
  173: (a) => BigInt(a >>> 0),
  192: (a) => (a << 24) >> 24,
  193: (a) => (a << 16) >> 16,
};
/** Bytes in memory, and how they become a value. */
const loads = {
  40: [4, (v, a) => v.getInt32(a, true)],
  41: [8, (v, a) => v.getBigUint64(a, true)],
  44: [1, (v, a) => v.getInt8(a)],
  45: [1, (v, a) => v.getUint8(a)],
  46: [2, (v, a) => v.getInt16(a, true)],
  47: [2, (v, a) => v.getUint16(a, true)],
  48: [1, (v, a) => u64(BigInt(v.getInt8(a)))],
  49: [1, (v, a) => BigInt(v.getUint8(a))],
  50: [2, (v, a) => u64(BigInt(v.getInt16(a, true)))],
  51: [2, (v, a) => BigInt(v.getUint16(a, true))],
  52: [4, (v, a) => u64(BigInt(v.getInt32(a, true)))],
  53: [4, (v, a) => BigInt(v.getUint32(a, true))],
};
const low = (x) => Number(BigInt.asIntN(32, x));
const stores = {
  54: [4, (v, a, x) => v.setInt32(a, x, true)],
  55: [8, (v, a, x) => v.setBigUint64(a, x, true)],
  58: [1, (v, a, x) => v.setInt8(a, x)],
  59: [2, (v, a, x) => v.setInt16(a, x, true)],
  60: [1, (v, a, x) => v.setInt8(a, low(x))],
  61: [2, (v, a, x) => v.setInt16(a, low(x), true)],
  62: [4, (v, a, x) => v.setInt32(a, low(x), true)],
};

/** One instruction: its code, what follows it, and for a block where it ends. */
function decodeBody(r, end, types) {
  const code = [];
  const open = [];
  while (r.at < end) {
    const op = r.byte();
    const ins = { op };
    if (op === 0x02 || op === 0x03 || op === 0x04) {
      const type = r.signed();
      ins.arity = type === -64n ? 0 : type < 0n ? 1 : types[Number(type)].results;
      open.push(code.length);
    } else if (op === 0x05) {
      code[open.at(-1)].otherwise = code.length;
    } else if (op === 0x0b && open.length > 0) {
      const start = open.pop();
      code[start].end = code.length;
      if (code[start].otherwise !== undefined) code[code[start].otherwise].end = code.length;
    } else if (op === 0x0c || op === 0x0d || op === 0x10 || (op >= 0x20 && op <= 0x24)) ins.n = r.unsigned();
    else if (op === 0x0e) ins.targets = Array.from({ length: r.unsigned() + 1 }, () => r.unsigned());
    else if (op >= 0x28 && op <= 0x3e) {
      r.unsigned();
      ins.n = r.unsigned();
    } else if (op === 0x3f || op === 0x40) r.byte();
    else if (op === 0x41) ins.value = Number(r.signed());
    else if (op === 0x42) ins.value = u64(r.signed());
    else if (op === 0xfc) {
      ins.n = r.unsigned();
      r.at += ins.n === 10 ? 2 : 1;
    }
    code.push(ins);
  }
  return code;
}

class Machine {
  types = [];
  functions = [];
  globals = [];
  exports = {};
  secretGlobals = [];

  constructor(bytes) {
    const sections = {};
    for (const r = new Reader(bytes, 8); r.at < bytes.length; ) {
      const [id, size] = [r.byte(), r.unsigned()];
      sections[id] = r.at;
      r.at += size;
    }
    const each = (id, read) => {
      if (sections[id] === undefined) return;
      const r = new Reader(bytes, sections[id]);
      for (let n = r.unsigned(); n > 0; n--) read(r);
    };
    each(1, (r) => {
      r.byte();
      const params = Array.from({ length: r.unsigned() }, () => r.byte());
      this.types.push({ params, results: Array.from({ length: r.unsigned() }, () => r.byte()).length });
    });
    each(2, () => {
      throw new Error("a kernel must import nothing");
    });
    each(3, (r) => this.functions.push({ type: this.types[r.unsigned()] }));
    each(5, (r) => {
      const hasMaximum = r.byte() & 1;
      this.memory = new DataView(new ArrayBuffer(r.unsigned() * 65536));
      if (hasMaximum) r.unsigned();
    });
    this.secret = new Uint8Array(this.memory.byteLength);
    each(6, (r) => {
      r.at += 3;
      this.globals.push(Number(r.signed()));
      r.at++;
    });
    each(7, (r) => {
      const name = Buffer.from(Array.from({ length: r.unsigned() }, () => r.byte())).toString();
      if (r.byte() === 0) this.exports[name] = r.unsigned();
      else r.unsigned();
    });
    let index = 0;
    each(10, (r) => {
      const size = r.unsigned();
      const end = r.at + size;
      const locals = [];
      for (let groups = r.unsigned(); groups > 0; groups--) {
        for (let n = r.unsigned(), type = r.byte(); n > 0; n--) locals.push(type === 0x7e ? 0n : 0);
      }
      Object.assign(this.functions[index++], { locals, code: decodeBody(r, end, this.types) });
    });
    each(11, (r) => {
      if (r.unsigned() !== 0) throw new Error("data must be active");
      r.byte();
      const at = Number(r.signed());
      r.byte();
      const length = r.unsigned();
      new Uint8Array(this.memory.buffer).set(bytes.subarray(r.at, r.at + length), at);
      r.at += length;
    });
  }

  call(name, ...args) {
    const { params } = this.functions[this.exports[name]].type;
    this.#run(
      this.exports[name],
      params.map((_, i) => [args[i], 0]),
      name,
    );
  }

  #require(secret, what, where) {
    if (secret) throw new Error(`${where}: ${what} must not depend on a secret`);
  }

  // A value is a pair: what it is, and 1 if it is secret.
  #run(index, args, name) {
    const { type, locals, code } = this.functions[index];
    const own = [...args, ...locals.map((zero) => [zero, 0])];
    const stack = [];
    const labels = [{ end: code.length, arity: type.results, height: 0 }];
    const check = (secret, what, at) => this.#require(secret, what, `${name}, function ${index}, instruction ${at}`);
    let at = 0;
    const branch = (depth) => {
      const label = labels[labels.length - 1 - depth];
      if (label.loop !== undefined) {
        labels.length -= depth;
        stack.length = label.height;
        at = label.loop;
        return;
      }
      const results = stack.splice(stack.length - label.arity);
      labels.length -= depth + 1;
      stack.length = label.height;
      stack.push(...results);
      at = label.end;
    };
    for (; at < code.length; at++) {
      const ins = code[at];
      const { op } = ins;
      if (binary32[op] || binary64[op]) {
        const [b, a] = [stack.pop(), stack.pop()];
        stack.push([(binary32[op] ?? binary64[op])(a[0], b[0]), a[1] | b[1]]);
      } else if (unary[op]) {
        const a = stack.pop();
        stack.push([unary[op](a[0]), a[1]]);
      } else if (loads[op]) {
        const [size, read] = loads[op];
        const [address, secret] = stack.pop();
        check(secret, "an address", at);
        const from = (address >>> 0) + ins.n;
        stack.push([read(this.memory, from), this.secret.subarray(from, from + size).some(Boolean) | 0]);
      } else if (stores[op]) {
        const [size, write] = stores[op];
        const [[value, valueSecret], [address, secret]] = [stack.pop(), stack.pop()];
        check(secret, "an address", at);
        const to = (address >>> 0) + ins.n;
        write(this.memory, to, value);
        this.secret.fill(valueSecret, to, to + size);
      } else if (op === 0x20) stack.push(own[ins.n]);
      else if (op === 0x21) own[ins.n] = stack.pop();
      else if (op === 0x22) own[ins.n] = stack.at(-1);
      else if (op === 0x23) stack.push([this.globals[ins.n], 0]);
      else if (op === 0x24) {
        const [value, secret] = stack.pop();
        check(secret, "a global", at);
        this.globals[ins.n] = value;
      } else if (op === 0x41 || op === 0x42) stack.push([ins.value, 0]);
      else if (op === 0x02) labels.push({ end: ins.end, arity: ins.arity, height: stack.length });
      else if (op === 0x03) labels.push({ loop: at, arity: 0, height: stack.length });
      else if (op === 0x04) {
        const [value, secret] = stack.pop();
        check(secret, "a branch", at);
        labels.push({ end: ins.end, arity: ins.arity, height: stack.length });
        if (!value) at = ins.otherwise ?? ins.end - 1;
      } else if (op === 0x05) at = ins.end - 1;
      else if (op === 0x0b) labels.pop();
      else if (op === 0x0c) branch(ins.n);
      else if (op === 0x0d) {
        const [value, secret] = stack.pop();
        check(secret, "a branch", at);
        if (value) branch(ins.n);
      } else if (op === 0x0e) {
        const [value, secret] = stack.pop();
        check(secret, "a branch", at);
        branch(ins.targets[Math.min(value >>> 0, ins.targets.length - 1)]);
      } else if (op === 0x0f) break;
      else if (op === 0x10) {
        const { params } = this.functions[ins.n].type;
        stack.push(...this.#run(ins.n, stack.splice(stack.length - params.length), name));
      } else if (op === 0x1a) stack.pop();
      else if (op === 0x1b) {
        const [[value, secret], b, a] = [stack.pop(), stack.pop(), stack.pop()];
        check(secret, "a select", at);
        stack.push(value ? a : b);
      } else if (op === 0xfc && (ins.n === 10 || ins.n === 11)) {
        const [[length, s1], [value, s2], [to, s3]] = [stack.pop(), stack.pop(), stack.pop()];
        check(s1 | s3 | (ins.n === 10 ? s2 : 0), "an address", at);
        const all = new Uint8Array(this.memory.buffer);
        if (ins.n === 10) {
          all.copyWithin(to, value, value + length);
          this.secret.copyWithin(to, value, value + length);
        } else {
          all.fill(value, to, to + length);
          this.secret.fill(s2, to, to + length);
        }
      } else if (op !== 0x01) throw new Error(`${name}: instruction 0x${op.toString(16)} is not known`);
    }
    return stack.slice(stack.length - type.results);
  }
}

const [PARAMETERS, STATE, OUTPUT, INPUT] = [0x4000, 0x5000, 0xc000, 0x10000];
const LENGTHS = [0, 1, 63, 64, 65, 127, 128, 129, 300, 1023, 1024, 1025, 2049, 5000];

function hashIn(machine, { parameters, outputLength }, [from, to], message, inPieces) {
  const memory = new Uint8Array(machine.memory.buffer);
  memory.fill(0, PARAMETERS, STATE);
  memory.set(parameters, PARAMETERS);
  machine.secret.fill(0, PARAMETERS, STATE);
  machine.secret.fill(1, PARAMETERS + from, PARAMETERS + to);
  const place = (bytes) => {
    memory.set(bytes, INPUT);
    machine.secret.fill(1, INPUT, INPUT + bytes.length);
  };
  if (inPieces) {
    machine.call("init", STATE);
    for (let at = 0; at < message.length; at += 333) {
      const piece = message.subarray(at, at + 333);
      place(piece);
      machine.call("update", STATE, INPUT, piece.length);
    }
    machine.call("finalize", STATE, outputLength);
  } else {
    place(message);
    machine.call("hash", message.length, outputLength);
  }
  return memory.slice(OUTPUT, OUTPUT + outputLength);
}

let digests = 0;
for (const [name, { module, modes, secret }] of Object.entries(subjects)) {
  const file = join(import.meta.dirname, "../wasm/dist", `${module}.baseline.wasm`);
  for (const mode of modes) {
    const machine = new Machine(readFileSync(file));
    const parameters = parametersOf(name, mode);
    for (const length of LENGTHS) {
      for (const inPieces of [false, true]) {
        const message = bytes(length);
        const actual = toHex(hashIn(machine, parameters, secret, message, inPieces));
        const wanted = toHex(algorithms[name](message, mode));
        if (actual !== wanted) throw new Error(`${name}, ${length} bytes: the digest must be ${wanted}, got ${actual}`);
        digests++;
      }
    }
  }
  console.log(`ok ${name}: no branch and no address depends on a secret`);
}

/** An interpreter that follows nothing would find nothing. */
function checkThatLeaksShow() {
  const machine = new Machine(readFileSync(join(import.meta.dirname, "../wasm/dist/blake2s.baseline.wasm")));
  const parameters = parametersOf("blake2s", {});
  let refused = false;
  try {
    // As if the length of the key were secret, on which branches depend.
    hashIn(machine, parameters, [0, 4], bytes(100), false);
  } catch (error) {
    refused = error.message.includes("must not depend on a secret");
  }
  if (!refused) throw new Error("a branch that depends on a secret must be found");
}

checkThatLeaksShow();
console.log(`${digests} digests`);
