// Runs a module on symbolic bytes (terms.mjs). A branch, an address, a length, a select, a divisor, a shift count, a
// swizzle's place, the stack pointer, or a number that is compared, multiplied or divided must not depend on them: that
// is an error.
import { known, Memory } from "./memory.mjs";
import { I64, readModule, VECTOR } from "./module.mjs";
import { accessOf, binary, extend, narrow, unary } from "./operations.mjs";
import { byteOf, isTerm, onForget } from "./terms.mjs";
import { lanesOf, onVectors, splat, Vector, withLane } from "./vectors.mjs";

const PAGE = 65536;

/**
 * A map that is empty once terms are forgotten. Not made in the machine, which the closure would keep in memory with
 * its terms.
 */
function forgotten() {
  const calls = new Map();
  onForget(() => calls.clear());
  return calls;
}

export class Machine {
  /** How many instructions a call may run: a faulty module may have no end. */
  limit = 400_000_000;

  /**
   * A module, the bytes of its words (a vector that is loaded has lanes of as many), and the pages of memory if it
   * imports one.
   */
  constructor(bytes, word, { pages = 0 } = {}) {
    const module = readModule(bytes);
    this.word = word;
    this.functions = module.functions;
    this.exports = module.exports;
    this.globals = module.globals;
    this.data = module.data;
    this.hasOwnMemory = module.pages !== undefined;
    this.memory = new Memory((module.pages ?? pages) * PAGE);
    for (const { at, bytes } of module.data) this.memory.bytes.set(bytes, at);
    for (const f of this.functions) {
      f.zeros = f.locals.map((type) => this.#zeroOf(type));
      for (const ins of f.code) ins.run = this.#onStack(ins) ?? this.#inMemory(ins);
    }
    this.stackTop = this.globals[0];
    this.calls = forgotten();
    this.steps = 0;
    if (module.start !== undefined) this.#run(module.start, []);
  }

  #zeroOf(type) {
    if (type === VECTOR) return splat(this.word, this.word === 8 ? 0n : 0);
    return type === I64 ? 0n : 0;
  }

  call(name, ...args) {
    this.steps = 0;
    const index = this.exports[name];
    const { params } = this.functions[index].type;
    if (args.length < params.length) throw new Error(`${name} has ${params.length} parameters, got ${args.length}`);
    return this.#run(index, args.slice(0, params.length))[0];
  }

  // ---- calls that ran before ----

  #recorder = undefined;

  /**
   * What a function does is determined by its arguments, the stack pointer and the bytes that it reads. So a call that
   * finds the same ones returns and writes the same.
   */
  #remembered(index, args) {
    const key = `${index} ${this.globals[0]} ${args.map((v) => (isTerm(v) ? `t${v.id ?? v.lanes.map((lane) => (isTerm(lane) ? `t${lane.id}` : lane))}` : v))}`;
    const before = this.calls.get(key) ?? [];
    const found = before.find(({ reads }) => reads.every(([at, size, v]) => this.memory.load(at, size) === v));
    const outer = this.#recorder;
    if (found !== undefined) {
      if (outer) for (const [at, size, v] of found.reads) this.#noteRead(at, size, v);
      for (const [at, size, v] of found.writes) this.#store(at, size, v);
      return found.results;
    }
    const own = { reads: [], writes: [], written: new Set(), read: new Set() };
    this.#recorder = own;
    const results = this.#run(index, args);
    this.#recorder = outer;
    const { reads, writes } = own;
    if (reads.length < 4000 && writes.length < 4000 && before.length < 8)
      this.calls.set(key, [{ reads, writes, results }, ...before]);
    if (outer) {
      for (const [at, size, v] of reads) this.#noteRead(at, size, v);
      for (const [at, size, v] of writes) this.#noteWrite(at, size, v);
    }
    return results;
  }

  /** Only bytes that the call has not written itself. */
  #noteRead(at, size, v) {
    const { read, written, reads } = this.#recorder;
    if (read.has(at * 16 + size)) return;
    const isOwn = Array.from({ length: size }, (_, i) => written.has(at + i));
    if (isOwn.every(Boolean)) return;
    if (isOwn.some(Boolean)) {
      for (let i = 0; i < size; i++) if (!isOwn[i]) reads.push([at + i, 1, byteOf(v, i)]);
      return;
    }
    read.add(at * 16 + size);
    reads.push([at, size, v]);
  }

  #noteWrite(at, size, v) {
    const { written, writes } = this.#recorder;
    for (let i = 0; i < size; i++) written.add(at + i);
    writes.push([at, size, v]);
  }

  #load(at, size) {
    const v = this.memory.load(at, size);
    if (this.#recorder) this.#noteRead(at, size, v);
    return v;
  }

  #store(at, size, v) {
    if (this.#recorder) this.#noteWrite(at, size, v);
    this.memory.store(at, size, v);
  }

  #copyOrFill(isCopy, to, value, length) {
    if (!this.#recorder) {
      if (isCopy) this.memory.copy(to, value >>> 0, length);
      else this.memory.fill(to, value, length);
      return;
    }
    // All are read before any is written: the two may overlap.
    const step = (to - (isCopy ? value : 0)) % 4 === 0 ? 4 : 1;
    const pieces = [];
    for (let i = 0, size; i < length; i += size) {
      size = (to + i) % step === 0 && i + step <= length ? step : 1;
      const fill = Math.imul(value & 255, size === 4 ? 0x01010101 : 1);
      pieces.push([to + i, size, isCopy ? this.#load((value >>> 0) + i, size) : fill]);
    }
    for (const [at, size, v] of pieces) this.#store(at, size, v);
  }

  // ---- instructions ----

  /** What an instruction that only computes does to the stack; `undefined` if it is another one. */
  #onStack(ins) {
    const [type, name] = ins.op.split(".");
    const change =
      onVectors(ins, this.word) ??
      unary(ins.op) ??
      (/^i(32|64)$/.test(type) ? binary(Number(type.slice(1)), name) : undefined);
    switch (change?.length) {
      case 0:
        return (stack) => stack.push(change());
      case 1:
        return (stack) => stack.push(change(stack.pop()));
      case 2:
        return (stack) => {
          const b = stack.pop();
          stack.push(change(stack.pop(), b));
        };
      case 3:
        return (stack) => {
          const [c, b] = [stack.pop(), stack.pop()];
          stack.push(change(stack.pop(), b, c));
        };
    }
  }

  /** What a load or a store does, of an integer or of a vector or its lanes. */
  #inMemory({ op, n, lane }) {
    const addressOf = (stack) => (known(stack.pop(), "an address") >>> 0) + n;
    const access = accessOf(op);
    if (access?.isStore)
      return (stack) => {
        const v = narrow(stack.pop(), access);
        this.#store(addressOf(stack), access.size, v);
      };
    if (access) return (stack) => stack.push(extend(this.#load(addressOf(stack), access.size), access));
    const [, what, bits, kind] = /^v128\.(load|store)(\d*)_?(.*)/.exec(op) ?? [];
    const size = bits ? bits / 8 : this.word;
    const load = (stack) => this.#load(addressOf(stack), size);
    const zeros = new Array(16 / size - 1).fill(size === 8 ? 0n : 0);
    switch (what && `${what} ${kind}`) {
      case "load splat":
        return (stack) => stack.push(splat(size, load(stack)));
      case "load zero":
        return (stack) => stack.push(new Vector(size, [load(stack), ...zeros]));
      case "load lane":
        return (stack) => stack.push(withLane(stack.pop(), size, lane, load(stack)));
      case "load ":
        return (stack) => {
          const at = addressOf(stack);
          stack.push(
            new Vector(
              size,
              Array.from({ length: 16 / size }, (_, i) => this.#load(at + i * size, size)),
            ),
          );
        };
      case "store lane":
        return (stack) => {
          const v = lanesOf(stack.pop(), size)[lane];
          this.#store(addressOf(stack), size, v);
        };
      case "store ":
        return (stack) => {
          const { lanes, size } = stack.pop();
          const at = addressOf(stack);
          for (let i = 0; i < lanes.length; i++) this.#store(at + i * size, size, lanes[i]);
        };
    }
  }

  #run(index, args) {
    const { type, zeros, code } = this.functions[index];
    const locals = args.concat(zeros);
    const stack = [];
    const labels = [{ end: code.length, arity: type.results, height: 0, loop: -1 }];
    let at = 0;
    const branch = (depth) => {
      const label = labels[labels.length - 1 - depth];
      if (label.loop >= 0) {
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
      if (++this.steps > this.limit) throw new Error(`a call ran ${this.limit} instructions without an end`);
      if (ins.run !== undefined) {
        ins.run(stack);
        continue;
      }
      switch (ins.op) {
        case "local.get":
          stack.push(locals[ins.n]);
          break;
        case "local.set":
          locals[ins.n] = stack.pop();
          break;
        case "local.tee":
          locals[ins.n] = stack[stack.length - 1];
          break;
        case "i32.const":
        case "i64.const":
          stack.push(ins.value);
          break;
        case "global.get":
          stack.push(this.globals[ins.n]);
          break;
        case "global.set":
          this.globals[ins.n] = known(stack.pop(), "the stack pointer");
          break;
        case "unreachable":
          throw new Error("unreachable");
        case "nop":
          break;
        case "block":
          labels.push({ end: ins.end, arity: ins.arity, height: stack.length, loop: -1 });
          break;
        case "loop":
          labels.push({ end: -1, arity: 0, height: stack.length, loop: at });
          break;
        case "if": {
          const isTrue = known(stack.pop(), "a branch");
          labels.push({ end: ins.end, arity: ins.arity, height: stack.length, loop: -1 });
          if (!isTrue) at = ins.otherwise >= 0 ? ins.otherwise : ins.end - 1;
          break;
        }
        case "else":
          at = ins.end - 1;
          break;
        case "end":
          labels.pop();
          break;
        case "br":
          branch(ins.n);
          break;
        case "br_if":
          if (known(stack.pop(), "a branch")) branch(ins.n);
          break;
        case "br_table":
          branch(ins.targets[Math.min(known(stack.pop(), "a branch") >>> 0, ins.targets.length - 1)]);
          break;
        case "return":
          at = code.length;
          break;
        case "call": {
          const { params } = this.functions[ins.n].type;
          stack.push(...this.#remembered(ins.n, stack.splice(stack.length - params.length)));
          break;
        }
        case "drop":
          stack.pop();
          break;
        case "select": {
          const isFirst = known(stack.pop(), "a select");
          const second = stack.pop();
          if (!isFirst) stack[stack.length - 1] = second;
          break;
        }
        case "memory.copy":
        case "memory.fill": {
          const length = known(stack.pop(), "a length") >>> 0;
          const value = known(stack.pop(), "an address");
          this.#copyOrFill(ins.op === "memory.copy", known(stack.pop(), "an address") >>> 0, value, length);
          break;
        }
        default:
          throw new Error(`${ins.op} is not known`);
      }
    }
    return type.results ? [stack[stack.length - 1]] : [];
  }
}
