// Runs a module on symbolic bytes (terms.mjs). A branch, an address, a length, a select, a divisor, a shift count, a swizzle's
// place, the stack pointer, or a number that is compared, multiplied or divided must not depend on them: that is an error.
import { unary } from "./arithmetic.mjs";
import { Memory } from "./memory.mjs";
import * as M from "./module.mjs";
import { compute, condition, convert, extend, narrow, place, WRAP } from "./operations.mjs";
import * as numbers from "./ranges.mjs";
import { byteOf, isTerm, onForget } from "./terms.mjs";
import * as V from "./vectors.mjs";

const { isNumber } = numbers;
const { known, Vector } = V;
const PAGE = 65536;

/** A map that is empty once terms are forgotten. Not made in the machine, which the closure would keep in memory with its terms. */
function forgotten() {
  const calls = new Map();
  onForget(() => calls.clear());
  return calls;
}

export class Machine {
  /** How many instructions a call may run: a faulty module may have no end. */
  limit = 400_000_000;
  /** What is at addresses that are not known numbers but those of ranges.mjs: induction.mjs. */
  elsewhere = undefined;
  /** Sees each visit of a loop's head: where the loop is, its locals, and whether it is entered. */
  onLoop = undefined;

  /**
   * A module, the bytes of its words (a vector that is loaded has lanes of as many), and the pages of memory if it imports one.
   */
  constructor(bytes, word, { pages = 0 } = {}) {
    const module = M.readModule(bytes);
    this.word = word;
    this.functions = module.functions;
    this.exports = module.exports;
    this.globals = module.globals;
    this.data = module.data;
    this.hasOwnMemory = module.pages !== undefined;
    this.memory = new Memory((module.pages ?? pages) * PAGE);
    for (const { at, bytes } of module.data) this.memory.bytes.set(bytes, at);
    for (const f of this.functions) f.zeros = f.locals.map((type) => this.#zeroOf(type));
    this.stackTop = this.globals[0];
    this.calls = forgotten();
    this.steps = 0;
    if (module.start !== undefined) this.#run(module.start, []);
  }

  #zeroOf(type) {
    if (type === M.VECTOR) return V.splat(this.word, this.word === 8 ? 0n : 0);
    return type === M.I64 ? 0n : 0;
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
   * What a function does is determined by its arguments, the stack pointer and the bytes that it reads. So a call that finds the
   * same ones returns and writes the same.
   */
  #remembered(index, args) {
    if (this.onLoop) return this.#run(index, args);
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

  #address(v, offset) {
    if (!isNumber(v)) return (known(v, "an address") >>> 0) + offset;
    const at = numbers.plus(numbers.unsigned(32, v), numbers.sum(offset));
    if (numbers.interval(at)[1] >> 32n !== 0n) throw new Error("an address is out of bounds");
    return numbers.wordOf(32, at);
  }

  #load(at, size) {
    if (isTerm(at)) return this.elsewhere.load(at, size);
    const v = numbers.loaded(this.memory.load(at, size));
    if (this.#recorder) this.#noteRead(at, size, v);
    return v;
  }

  #store(at, size, v) {
    if (isTerm(at)) return this.elsewhere.store(at, size, v);
    if (this.#recorder) this.#noteWrite(at, size, v);
    this.memory.store(at, size, v);
  }

  #copyOrFill(isCopy, to, value, length) {
    if ([to, value, length].some(isNumber)) {
      this.elsewhere[isCopy ? "copy" : "fill"](this.memory, to, value, length);
      return;
    }
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

  #loadVector(at) {
    const lanes = [];
    for (let i = 0; i < 16; i += this.word) lanes.push(this.#load(place(at, i), this.word));
    return new Vector(this.word, lanes);
  }

  #vector(ins, stack) {
    const { simd: op, lane } = ins;
    const address = () => this.#address(stack.pop(), ins.n);
    const top = () => stack.pop();
    if (V.binary[op]) {
      const b = top();
      return V.binary[op](top(), b);
    }
    if (V.shifts[op]) {
      const by = top();
      return V.shifts[op](top(), by);
    }
    if (V.splats[op]) return V.splat(V.splats[op], top());
    if (V.splatLoads[op]) return V.splat(V.splatLoads[op], this.#load(address(), V.splatLoads[op]));
    if (V.zeroLoads[op]) {
      const size = V.zeroLoads[op];
      const zeros = new Array(16 / size - 1).fill(size === 8 ? 0n : 0);
      return new Vector(size, [this.#load(address(), size), ...zeros]);
    }
    if (M.EXTRACT[op]) return V.lanesOf(top(), M.EXTRACT[op])[lane];
    if (M.REPLACE[op]) {
      const value = top();
      return V.withLane(top(), M.REPLACE[op], lane, value);
    }
    if (M.LOAD_LANE[op]) {
      const vector = top();
      return V.withLane(vector, M.LOAD_LANE[op], lane, this.#load(address(), M.LOAD_LANE[op]));
    }
    switch (op) {
      case 0:
        return this.#loadVector(address());
      case 12:
        return V.vectorOf(ins.bytes, this.word);
      case 13: {
        const b = top();
        return V.shuffle(top(), b, ins.bytes);
      }
      case 14: {
        const table = top();
        return V.swizzle(top(), table);
      }
      case 82: {
        const [mask, b, a] = [top(), top(), top()];
        return V.select(a, b, mask);
      }
      default:
        throw new Error(`vector instruction ${op} is not known`);
    }
  }

  /** Stores a vector, or a lane of it. Returns whether the instruction does that. */
  #storeVector({ simd, n, lane }, stack) {
    const size = M.STORE_LANE[simd];
    if (simd !== 11 && !size) return false;
    const vector = stack.pop();
    const at = this.#address(stack.pop(), n);
    if (size) this.#store(at, size, V.lanesOf(vector, size)[lane]);
    else
      vector.lanes.forEach((v, i) => {
        this.#store(place(at, i * vector.size), vector.size, v);
      });
    return true;
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
        this.onLoop?.(at, locals, false);
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
      switch (ins.op) {
        case 0x20:
          stack.push(locals[ins.n]);
          break;
        case 0x21:
          locals[ins.n] = stack.pop();
          break;
        case 0x22:
          locals[ins.n] = stack[stack.length - 1];
          break;
        case 0x23:
          stack.push(this.globals[ins.n]);
          break;
        case 0x24:
          this.globals[ins.n] = known(stack.pop(), "the stack pointer");
          break;
        case 0x41:
        case 0x42:
          stack.push(ins.value);
          break;
        case 0xfd:
          if (!this.#storeVector(ins, stack)) stack.push(this.#vector(ins, stack));
          break;
        case 0x00:
          throw new Error("unreachable");
        case 0x01:
          break;
        case M.BLOCK:
          labels.push({ end: ins.end, arity: ins.arity, height: stack.length, loop: -1 });
          break;
        case M.LOOP:
          labels.push({ end: -1, arity: 0, height: stack.length, loop: at });
          this.onLoop?.(at, locals, true);
          break;
        case M.IF: {
          const isTrue = condition(stack.pop(), "a branch");
          labels.push({ end: ins.end, arity: ins.arity, height: stack.length, loop: -1 });
          if (!isTrue) at = ins.otherwise >= 0 ? ins.otherwise : ins.end - 1;
          break;
        }
        case M.ELSE:
          at = ins.end - 1;
          break;
        case M.END:
          labels.pop();
          break;
        case M.BRANCH:
          branch(ins.n);
          break;
        case M.BRANCH_IF:
          if (condition(stack.pop(), "a branch")) branch(ins.n);
          break;
        case M.BRANCH_TABLE:
          branch(ins.targets[Math.min(known(stack.pop(), "a branch") >>> 0, ins.targets.length - 1)]);
          break;
        case M.RETURN:
          at = code.length;
          break;
        case M.CALL: {
          const { params } = this.functions[ins.n].type;
          stack.push(...this.#remembered(ins.n, stack.splice(stack.length - params.length)));
          break;
        }
        case 0x1a:
          stack.pop();
          break;
        case 0x1b: {
          const isFirst = condition(stack.pop(), "a select");
          const second = stack.pop();
          if (!isFirst) stack[stack.length - 1] = second;
          break;
        }
        case 0xfc: {
          const length = isNumber(stack.at(-1)) ? stack.pop() : known(stack.pop(), "a length") >>> 0;
          const value = isNumber(stack.at(-1)) ? stack.pop() : known(stack.pop(), "an address");
          this.#copyOrFill(ins.n === M.COPY, this.#address(stack.pop(), 0), value, length);
          break;
        }
        default:
          this.#scalar(ins, stack);
      }
    }
    return type.results ? [stack[stack.length - 1]] : [];
  }

  #scalar({ op, n }, stack) {
    const load = M.LOADS[op];
    const store = M.STORES[op];
    if (load) {
      stack.push(extend(this.#load(this.#address(stack.pop(), n), load[0]), load));
    } else if (store) {
      const v = stack.pop();
      this.#store(this.#address(stack.pop(), n), store[0], narrow(v, store));
    } else if (unary[op] || op === WRAP) {
      stack.push(convert(op, stack.pop()));
    } else {
      const b = stack.pop();
      stack.push(compute(op, stack.pop(), b));
    }
  }
}
