// Loops by induction. A call gets a length, addresses and counters that are numbers of ranges.mjs, so one run is a run for all of
// them, and a loop goes around any number of times. At the loop's head the machine stops three times:
//   1. the first time,
//   2. after one round: what has changed says how the locals and the memory are before any round number j: an address and a counter
//      have moved by j steps, the words of the chaining value are any words, all else that has changed is unknown. So they are made;
//   3. after one round from there: they must be as before round j + 1, with the chaining value that the specification gives.
// Then they are made as they are after all rounds but the last ones, and the call runs to its end.
import { areas, Different } from "./kernel.mjs";
import { GIVEN, MESSAGE } from "./machine/memory.mjs";
import {
  interval,
  isNumber,
  minus,
  plus,
  rowOf,
  scaled,
  sum,
  sumOf,
  unsigned,
  variables,
  wordOf,
} from "./machine/ranges.mjs";
import { byteOf, cat, isTerm, symbol } from "./machine/terms.mjs";
import { lanesOf, Vector, withLane } from "./machine/vectors.mjs";

const { INPUT, INPUT_SIZE } = areas;

/** Of all rounds but the last ones, those that are done and all of them: at least one is left. */
export function rounds(most) {
  const corners = [
    [0, 1],
    [0, most],
    [most - 1, 1],
  ];
  const [done, left] = variables("rounds", corners);
  return { done, all: plus(done, left) };
}

// ---- the message, at any place of it ----

/** The input area: a message whose length is a number. Its first bytes are in memory, the others are known by their addresses. */
export class Input {
  #places = new Map();
  #written = new Map();
  #wiped = sum(0);
  writes = 0;

  constructor(length, inMemory) {
    this.length = length;
    this.inMemory = inMemory;
  }

  /** Sums that differ by a constant share a row of symbols. */
  #rowOf(offset) {
    const row = rowOf(offset);
    if (!this.#places.has(row)) this.#places.set(row, this.#places.size + (row === "" ? 0 : 1));
    return row === "" ? 0 : this.#places.get(row);
  }
  #indexOf = (offset) => this.#rowOf(offset) * 2 ** 20 + Number(offset.c);

  bytesAt(offset, size) {
    return Array.from({ length: size }, (_, i) => symbol(MESSAGE, this.#indexOf(plus(offset, sum(i)))));
  }

  #offsetOf = (at) => minus(unsigned(32, at), sum(INPUT));

  #byteAt(offset) {
    const own = this.#written.get(this.#indexOf(offset));
    if (own !== undefined) return own.byte;
    for (const { offset: other } of this.#written.values()) {
      const [least, greatest] = interval(minus(offset, other));
      if (least <= 0n && greatest >= 0n && this.#rowOf(offset) !== this.#rowOf(other))
        throw new Error("a byte is read that may have been written");
    }
    const isOutside = interval(offset)[0] < 0n || interval(minus(this.length, offset))[0] < 1n;
    if (isOutside) throw new Error(`a byte outside of the message is read`);
    return this.bytesAt(offset, 1)[0];
  }

  load(at, size) {
    const offset = this.#offsetOf(at);
    return cat(Array.from({ length: size }, (_, i) => this.#byteAt(plus(offset, sum(i)))));
  }

  /** Only after the bytes that are in memory: those after the message, in which it is padded. */
  store(at, size, v) {
    const offset = this.#offsetOf(at);
    this.writes++;
    if (interval(offset)[0] < BigInt(this.inMemory)) throw new Error("a byte of the message is written");
    for (let i = 0; i < size; i++) {
      const place = plus(offset, sum(i));
      this.#written.set(this.#indexOf(place), { offset: place, byte: byteOf(v, i) });
    }
  }

  copy(memory, to, from, length) {
    if (isTerm(to) || isTerm(length)) throw new Error("a copy of any length, or to any place");
    const offset = this.#offsetOf(from);
    for (let i = 0; i < length; i++) memory.store(to + i, 1, this.#byteAt(plus(offset, sum(i))));
  }

  fill(memory, to, value, length) {
    if (to === INPUT && value === 0) {
      this.#wiped = unsigned(32, length);
      this.writes++;
      if (interval(this.#wiped)[1] > BigInt(INPUT_SIZE)) throw new Error("a wipe goes beyond the input area");
      memory.fill(INPUT, 0, this.inMemory);
      return;
    }
    if (isTerm(length)) throw new Error("any number of bytes are filled elsewhere");
    for (let i = 0; i < length; i++) this.store(wordOf(32, plus(sumOf(to), sum(i))), 1, value & 255);
  }

  /** Throws unless all of the message is wiped, and nothing of it is after it. */
  requireWiped() {
    if (interval(minus(this.#wiped, this.length))[0] < 0n) throw new Different("the message is not wiped");
    for (const { offset, byte } of this.#written.values()) {
      const isWiped = interval(minus(this.#wiped, offset))[0] > 0n;
      if (!isWiped && isTerm(byte) && byte.kinds & GIVEN) throw new Different("bytes of the message stay after it");
    }
  }
}

// ---- a loop's head ----

const UNKNOWN = Symbol("unknown");
let unknowns = 0;
/** What it is made of is not known, so it counts as a secret. */
const unknownWord = (size) => cat(Array.from({ length: size }, () => symbol(MESSAGE, --unknowns)));

const widthOf = (v) => (typeof v === "number" ? 32 : typeof v === "bigint" ? 64 : v.w);
const isNumeric = (v) => !isTerm(v) || (isNumber(v) && sumOf(v) !== undefined);

/** By how much a number has changed, if that is a constant, and no more than what a round adds to two words at once. */
function changeOf(a, b) {
  if (!isNumeric(a) || !isNumeric(b) || widthOf(a) !== widthOf(b)) return undefined;
  const { c, k } = minus(sumOf(b), sumOf(a));
  const change = BigInt.asIntN(widthOf(a), c);
  const isStep = [...k.values()].every((n) => n === 0n) && change < 2n ** 40n && change > -(2n ** 40n);
  return isStep ? change : undefined;
}

const lane = (v, i) => (v instanceof Vector ? v.lanes[i] : v);
/** Where the words of a local are, whose first value is `v`. */
function slotsOf(locals, n, v) {
  if (!(v instanceof Vector))
    return [{ size: widthOf(v) / 8, get: () => locals[n], set: (word) => (locals[n] = word) }];
  const { size } = v;
  return v.lanes.map((_, i) => ({
    size,
    get: () => lanesOf(locals[n], size)[i],
    set: (word) => (locals[n] = withLane(locals[n], size, i, word)),
  }));
}

export class Induction {
  #heads = new WeakMap();
  #written = [];
  count = 0;

  /**
   * `start` are the words of the chaining values before the loop, `step` gives those after round number i, a sum; `any` are words
   * that stand for them in between.
   */
  constructor(machine, input, { done, all }, { start, step, any }) {
    Object.assign(this, { machine, memory: machine.memory, input, done, all, start, any });
    // The specification comes first: a kernel's terms meet its names.
    this.second = step(start, sum(0));
    this.next = step(any, done);
  }

  visit(at, locals, isEntry) {
    if (!this.#heads.has(locals)) this.#heads.set(locals, new Map());
    const heads = this.#heads.get(locals);
    if (isEntry) heads.set(at, {});
    const head = heads.get(at);
    if (isEntry && locals.some(isNumber)) {
      head.locals = locals.slice();
      head.memory = this.#begin();
    } else if (head.locals !== undefined) {
      this.#generalize(head, locals);
    } else if (head.slots !== undefined) {
      this.#weaken(head, locals);
    }
  }

  /** After the first round: what is anywhere before any round. */
  #generalize(head, locals) {
    const { locals: first, memory } = head;
    head.locals = undefined;
    if (!this.#isCountedDown(first, locals)) return;
    head.slots = [
      ...first.flatMap((v, n) =>
        slotsOf(locals, n, v).map((slot, i) => ({ ...slot, value: this.#anyValue(lane(v, i), slot.get()) })),
      ),
      ...this.#changedPlaces(memory),
    ];
    this.#install(head, this.done);
    head.memory = this.#begin();
  }

  /** After any round: what is not as it is before the next round is unknown, until all else is. */
  #weaken(head) {
    const next = plus(this.done, sum(1));
    const wrong = head.slots.filter(({ value, get }) => value !== UNKNOWN && value(next, this.next) !== get());
    const known = new Set(head.slots.flatMap(({ at, size }) => (size === 8 ? [at, at + 4] : [at])));
    const others = this.#changedSince(head.memory).filter((at) => !known.has(at & -4));
    for (const slot of wrong) slot.value = UNKNOWN;
    for (const at of new Set(others.map((at) => at & -4))) head.slots.push(this.#place(at, 4, UNKNOWN));
    const isDone = wrong.length + others.length === 0;
    this.#install(head, isDone ? this.all : this.done);
    if (isDone) {
      head.slots = undefined;
      this.count++;
    } else head.memory = this.#begin();
  }

  /** A number that depends on how many rounds are left: an address moves up. */
  #isCountedDown(before, now) {
    return before.some((v, i) => isNumber(v) && changeOf(v, now[i]) < 0n);
  }

  #install({ slots }, i) {
    for (const { value, get, set, size } of slots) {
      const v = value === UNKNOWN ? unknownWord(size) : value(i, this.any);
      if (v !== get()) set(v);
    }
  }

  /** From what is somewhere before the first two rounds to what is there before round number i. */
  #anyValue(a, b) {
    if (a === b) return () => a;
    const place = this.start.findIndex((word, n) => word === a && this.second[n] === b);
    if (place >= 0) return (_, words) => words[place];
    const change = changeOf(a, b);
    if (change === undefined) return UNKNOWN;
    return (i) => wordOf(widthOf(a), plus(sumOf(a), scaled(i, change)));
  }

  // ---- memory ----

  #place(at, size, value) {
    const { memory } = this;
    return { at, size, value, get: () => memory.load(at, size), set: (v) => memory.store(at, size, v) };
  }

  #begin() {
    const { memory, machine, input } = this;
    const { terms, index } = memory;
    const bytes = memory.bytes.slice();
    this.#written.push(memory.written);
    memory.written = new Uint8Array(bytes.length);
    const old = { terms: terms.slice(), index: index.slice(), bytes, view: new DataView(bytes.buffer) };
    return { old, first: this.#written.length, stackPointer: machine.globals[0], writes: input.writes };
  }

  /** Which of the addresses are written, of all calls of #begin() or those after one. */
  #allWritten(first = 0) {
    const all = new Uint8Array(this.memory.written);
    for (const one of this.#written.slice(first))
      for (let at = one.indexOf(1); at !== -1; at = one.indexOf(1, at + 1)) all[at] = 1;
    return all;
  }
  end() {
    this.memory.written = this.#allWritten();
  }

  #changedSince({ first, stackPointer, writes }) {
    if (this.machine.globals[0] !== stackPointer) throw new Error("a round moves the stack pointer");
    if (this.input.writes !== writes) throw new Error("a round writes into the input area");
    const written = this.#allWritten(first);
    const changed = [];
    for (let at = written.indexOf(1); at !== -1; at = written.indexOf(1, at + 1)) changed.push(at);
    return changed;
  }

  /** The words that have changed. */
  #changedPlaces(begun) {
    const { memory } = this;
    const { terms, index, bytes, view } = memory;
    const loadOld = (at, size) => {
      Object.assign(memory, begun.old);
      const v = memory.load(at, size);
      Object.assign(memory, { terms, index, bytes, view });
      return v;
    };
    return [...new Set(this.#changedSince(begun).map((at) => at & -8))].flatMap((at) => {
      const halves = [at, at + 4].map((half) =>
        this.#place(half, 4, this.#anyValue(loadOld(half, 4), memory.load(half, 4))),
      );
      const [before, now] = [loadOld(at, 8), memory.load(at, 8)];
      const value = isTerm(before) || isTerm(now) ? this.#anyValue(before, now) : UNKNOWN;
      return value === UNKNOWN ? halves : [this.#place(at, 8, value)];
    });
  }
}

/** Runs what a proof calls with the input and the loops' rounds as they are given. */
export function withLoops({ machine }, input, induction, run) {
  machine.elsewhere = input;
  machine.onLoop = (...visit) => induction.visit(...visit);
  try {
    run();
  } finally {
    induction.end();
    machine.elsewhere = machine.onLoop = undefined;
  }
}
