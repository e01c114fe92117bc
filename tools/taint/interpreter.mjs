// An interpreter for WebAssembly that follows what is secret: bytes that are marked, and all that is computed from them. A branch,
// a select, an address, a divisor or dividend, or a table of a swizzle that depends on a secret is an error.
import { BinaryReader } from "../../wasm/binary-reader.mjs";
import { binary32, binary64, loads, stores, u64, unary } from "./scalars.mjs";
import { runVector, vectorArguments } from "./vectors.mjs";

/** One instruction: its code, what follows it, and for a block where it ends. */
function decodeBody(r, end, types) {
  const code = [];
  const open = [];
  while (r.at < end) {
    const op = r.byte();
    const ins = {
      op,
      binary: binary32[op] ?? binary64[op],
      unary: unary[op],
      load: loads[op],
      store: stores[op],
      simd: -1,
    };
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
    } else if (op === 0x0c || op === 0x0d || op === 0x10 || (op >= 0x20 && op <= 0x24)) ins.n = r.number();
    else if (op === 0x0e) ins.targets = [...r.list(() => r.number()), r.number()];
    else if (op >= 0x28 && op <= 0x3e) {
      r.number();
      ins.n = r.number();
    } else if (op === 0x3f || op === 0x40) r.byte();
    else if (op === 0x41) ins.value = Number(r.signed());
    else if (op === 0x42) ins.value = u64(r.signed());
    else if (op === 0xfc) {
      ins.n = r.number();
      r.at += ins.n === 10 ? 2 : 1;
    } else if (op === 0xfd) {
      ins.simd = r.number();
      Object.assign(ins, vectorArguments(ins.simd, r));
    }
    code.push(ins);
  }
  return code;
}

/** The initial value of a local variable. */
function zeroOf(type) {
  if (type === 0x7b) return new Int32Array(4);
  return type === 0x7e ? 0n : 0;
}

export class Machine {
  types = [];
  functions = [];
  globals = [];
  exports = {};
  secretGlobals = [];

  /** A module, and the size of the memory in pages if it imports one. */
  constructor(bytes, pages = 0) {
    const sections = {};
    for (const r = new BinaryReader(bytes, 8); r.at < bytes.length; ) {
      const [id, size] = [r.byte(), r.number()];
      sections[id] = r.at;
      r.at += size;
    }
    const each = (id, read) => {
      if (sections[id] === undefined) return;
      const r = new BinaryReader(bytes, sections[id]);
      for (let n = r.number(); n > 0; n--) read(r);
    };
    each(1, (r) => {
      r.byte();
      const params = r.list(() => r.byte());
      this.types.push({ params, results: r.list(() => r.byte()).length });
    });
    each(2, (r) => {
      const name = () => Buffer.from(r.list(() => r.byte())).toString();
      const names = [name(), name()];
      if (r.byte() !== 2) throw new Error(`a kernel must import nothing but a memory, got ${names.join(".")}`);
      const hasMaximum = r.byte() & 1;
      r.number();
      if (hasMaximum) r.number();
      this.memory = new DataView(new ArrayBuffer(pages * 65536));
    });
    each(3, (r) => this.functions.push({ type: this.types[r.number()] }));
    each(5, (r) => {
      const hasMaximum = r.byte() & 1;
      this.memory = new DataView(new ArrayBuffer(r.number() * 65536));
      if (hasMaximum) r.number();
    });
    this.bytes = new Uint8Array(this.memory.buffer);
    this.secret = new Uint8Array(this.memory.byteLength);
    each(6, (r) => {
      r.at += 3;
      this.globals.push(Number(r.signed()));
      r.at++;
    });
    each(7, (r) => {
      const name = Buffer.from(r.list(() => r.byte())).toString();
      if (r.byte() === 0) this.exports[name] = r.number();
      else r.number();
    });
    let index = 0;
    each(10, (r) => {
      const size = r.number();
      const end = r.at + size;
      const locals = [];
      for (let groups = r.number(); groups > 0; groups--) {
        for (let n = r.number(), type = r.byte(); n > 0; n--) locals.push(zeroOf(type));
      }
      Object.assign(this.functions[index++], { locals, code: decodeBody(r, end, this.types) });
    });
    each(11, (r) => {
      if (r.number() !== 0) throw new Error("data must be active");
      r.byte();
      const at = Number(r.signed());
      r.byte();
      const length = r.number();
      new Uint8Array(this.memory.buffer).set(bytes.subarray(r.at, r.at + length), at);
      r.at += length;
    });
  }

  /** Calls an export with public numbers. Returns its result, if it has one. */
  call(name, ...args) {
    const { params } = this.functions[this.exports[name]].type;
    const values = params.map((_, i) => [args[i], 0]);
    return this.#run(this.exports[name], values, name)[0]?.[0];
  }

  /** Writes bytes, and marks them as secret or public. */
  place(at, bytes, secret) {
    this.bytes.set(bytes, at);
    this.secret.fill(secret ? 1 : 0, at, at + bytes.length);
  }

  /** The memory as vectors.mjs wants it. */
  #vectors = {
    bytes: (at, size) => this.bytes.subarray(at, at + size),
    mask: (at, size) => {
      let mask = 0;
      for (let i = 0; i < size; i++) mask |= this.secret[at + i] << i;
      return mask;
    },
    store: (at, bytes, mask) => {
      this.bytes.set(bytes, at);
      for (let i = 0; i < bytes.length; i++) this.secret[at + i] = (mask >> i) & 1;
    },
  };

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
      if (op === 0x20) stack.push(own[ins.n]);
      else if (op === 0x21) own[ins.n] = stack.pop();
      else if (op === 0x22) own[ins.n] = stack[stack.length - 1];
      else if (op === 0xfd) {
        runVector(ins, stack, this.#vectors, (secret, what) => check(secret, what, at));
      } else if (ins.binary) {
        const [b, a] = [stack.pop(), stack.pop()];
        if (op === 110 || op === 112) check(a[1] | b[1], "a division", at);
        stack.push([ins.binary(a[0], b[0]), a[1] | b[1]]);
      } else if (ins.unary) {
        const a = stack.pop();
        stack.push([ins.unary(a[0]), a[1]]);
      } else if (ins.load) {
        const [size, read] = ins.load;
        const [address, secret] = stack.pop();
        check(secret, "an address", at);
        const from = (address >>> 0) + ins.n;
        stack.push([read(this.memory, from), this.#vectors.mask(from, size) ? 1 : 0]);
      } else if (ins.store) {
        const [size, write] = ins.store;
        const [[value, valueSecret], [address, secret]] = [stack.pop(), stack.pop()];
        check(secret, "an address", at);
        const to = (address >>> 0) + ins.n;
        write(this.memory, to, value);
        this.secret.fill(valueSecret, to, to + size);
      } else if (op === 0x23) stack.push([this.globals[ins.n], 0]);
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
        if (ins.n === 10) {
          this.bytes.copyWithin(to, value, value + length);
          this.secret.copyWithin(to, value, value + length);
        } else {
          this.bytes.fill(value, to, to + length);
          this.secret.fill(s2, to, to + length);
        }
      } else if (op !== 0x01) throw new Error(`${name}: instruction 0x${op.toString(16)} is not known`);
    }
    return stack.slice(stack.length - type.results);
  }
}
