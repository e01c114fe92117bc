// Numbers that stand for any of a range: sums of variables, each with a coefficient, as terms over symbols of the kind NUMBER. What a
// kernel decides by such a number (a branch, a mask, a carry) must be the same for all values of the variables, or it is an error: so
// one run of a kernel is its run for all of them.
import { binary32 } from "./arithmetic.mjs";
import * as T from "./terms.mjs";

/** The kind of the variables' symbols: no content of a message or a key. */
export const NUMBER = 64;
export const isNumber = (v) => T.isTerm(v) && v.kinds === NUMBER;

// ---- variables ----

/** What variables range over together: a sum has its least and its greatest value at a corner. */
const ranges = new Map();
/** The range of each variable, by its number. */
const rangeOf = [];
/** Sums whose binary digits have a known number of ones, by their coefficients. */
const ones = new Map();

/** A variable as a word. */
const symbolOf = (w, index) => T.symbol(NUMBER, index, w);
const constant = (w, c) => (w === 64 ? BigInt.asUintN(64, c) : Number(BigInt.asIntN(32, c)));

/** A sum as an integer, before it is cut to a word: `k` has the coefficient of each variable. */
const sum = (c, k = new Map()) => ({ c: BigInt(c), k });
const scaled = ({ c, k }, by) => sum(c * by, new Map([...k].map(([i, n]) => [i, n * by])));
function plus(a, b) {
  const k = new Map(a.k);
  for (const [i, n] of b.k) k.set(i, (k.get(i) ?? 0n) + n);
  return sum(a.c + b.c, k);
}
const minus = (a, b) => plus(a, scaled(b, -1n));

/**
 * Variables that range over all between these corners, each of which has a number for every variable: the sum of each alone. The same
 * name and corners give the same variables, others never, since a machine remembers what it did with them.
 */
export function variables(name, corners) {
  const id = `${name} ${corners.join("; ")}`;
  if (!ranges.has(id)) {
    const indices = corners[0].map((_, i) => rangeOf.length + i);
    const range = { corners, indices };
    for (const _ of indices) rangeOf.push(range);
    ranges.set(id, range);
  }
  return ranges.get(id).indices.map((i) => sum(0, new Map([[i, 1n]])));
}
export const variable = (name, most) => variables(name, [[0n], [most]])[0];

const rowOf = ({ k }) =>
  [...k]
    .filter(([, n]) => n !== 0n)
    .sort(([i], [j]) => i - j)
    .join(" ");
/** Says how many ones a sum without a constant has, which its variables' name must tell, too. */
export const haveOnes = (all, count) => ones.set(rowOf(all), count);

/** The least and the greatest value. */
function interval({ c, k }) {
  let [least, greatest] = [c, c];
  for (const { corners, indices } of new Set([...k.keys()].map((i) => rangeOf[i]))) {
    const at = (corner) => indices.reduce((n, i, place) => n + (k.get(i) ?? 0n) * BigInt(corner[place]), 0n);
    const values = corners.map(at).sort((a, b) => (a < b ? -1 : 1));
    least += values[0];
    greatest += values.at(-1);
  }
  return [least, greatest];
}

// ---- terms and sums ----

/** The sum that a term is, or `undefined`: exclusive ors of numbers, for instance, are none. */
function sumOf(v) {
  if (!T.isTerm(v)) return sum(v);
  if (v.op === T.SYMBOL) return sum(0, new Map([[v.k, 1n]]));
  if (v.op === T.ADD && v.terms.length === 0) return plus(sumOf(v.rest), sum(v.c));
  if (v.op !== T.SUM) return undefined;
  const [newest, older] = v.terms;
  const all = scaled(sumOf(newest), BigInt(v.k));
  return older === undefined ? all : plus(all, sumOf(older));
}

/** A sum modulo 2^w. */
export function wordOf(w, { c, k }) {
  const parts = [...k].map(([i, n]) => [symbolOf(w, i), coefficient(BigInt.asIntN(w, n))]).filter(([, n]) => n !== 0);
  return T.weighted(w, parts, constant(w, c));
}
/** Terms have coefficients that are numbers: not all of more than 53 bits are. */
function coefficient(n) {
  if (BigInt(Number(n)) !== n) throw new Error(`a coefficient of 0x${n.toString(16)} is too large`);
  return Number(n);
}

class Undecided extends Error {}
const undecided = (what) => new Undecided(`${what} is not the same for all lengths, places and counters`);

/** The sum as an integer from `low` to `low + 2^w`, modulo which it is known. */
function within(w, v, low = 0n) {
  const all = sumOf(v);
  if (all === undefined) throw undecided("a number");
  const [least, greatest] = interval(all).map((n) => (n - low) >> BigInt(w));
  if (least !== greatest) throw undecided("the carry of a number");
  return minus(all, sum(least << BigInt(w)));
}
const unsigned = (w, v) => within(w, v);
const signed = (w, v) => within(w, v, -(1n << BigInt(w - 1)));

/** Whether the first is less: one answer for all values. */
function isLess(a, b) {
  const [least, greatest] = interval(minus(a, b));
  if (greatest < 0n) return true;
  if (least >= 0n) return false;
  throw undecided("a comparison");
}
function isEqual(w, x, y) {
  const difference = minus(unsigned(w, x), unsigned(w, y));
  const [least, greatest] = interval(difference);
  if (least === 0n && greatest === 0n) return true;
  if (least > 0n || greatest < 0n) return false;
  throw undecided("a comparison");
}

/** A sum divided by 2^bits: the quotient and the rest. The variables' part that is no multiple must not carry. */
function divided(all, bits) {
  const isWhole = ([, n]) => n % (1n << bits) === 0n;
  const high = sum(0, new Map([...all.k].filter(isWhole)));
  const low = minus(all, high);
  const [least, greatest] = interval(low).map((n) => n >> bits);
  if (least !== greatest) throw undecided("a shift or a mask");
  const quotient = sum(least, new Map([...high.k].map(([i, n]) => [i, n >> bits])));
  return [quotient, minus(low, sum(least << bits))];
}

/** A number modulo 2^w, and what is above: a counter's two words. */
export function halves(w, all) {
  const [high, low] = divided(all, BigInt(w));
  return [wordOf(w, low), wordOf(w, high)];
}

/** How many of the lowest bits are zeros, for all values. */
function zerosOf({ c, k }) {
  const all = [c, ...k.values()].reduce((bits, n) => bits | n, 0n);
  return all === 0n ? 64n : BigInt((all & -all).toString(2).length - 1);
}

/** The highest bit of a combination of numbers, as kernels find a carry. */
function highestBit(w, v) {
  const bits = (all) => all.map((one) => highestBit(w, one));
  if (v.op === T.XOR && v.rest === undefined) return bits([...T.listOf(v), v.c]).reduce((a, b) => a ^ b);
  if (v.op === T.AND) return bits(v.k === 1 ? [v.terms[0], v.c] : v.terms).reduce((a, b) => a & b);
  return +isLess(signed(w, v), sum(0));
}

// ---- instructions ----

const comparisons = {
  EQ: (w, a, b) => isEqual(w, a, b),
  NE: (w, a, b) => !isEqual(w, a, b),
  LT: (w, a, b, read) => isLess(read(w, a), read(w, b)),
  GT: (w, a, b, read) => isLess(read(w, b), read(w, a)),
  LE: (w, a, b, read) => !isLess(read(w, b), read(w, a)),
  GE: (w, a, b, read) => !isLess(read(w, a), read(w, b)),
};
const COMPARISONS = ["EQ", "NE", "LT", "LT", "GT", "GT", "LE", "LE", "GE", "GE"];

/** Shifts that bring bytes into another order are those of terms. */
const isOfBytes = (bits) => bits % 8 === 0 && bits < 32;
const countOf = (w, by) => Number(BigInt.asUintN(w === 64 ? 6 : 5, BigInt(by)));

export function shiftRight(w, v, by) {
  const bits = countOf(w, by);
  if (!isNumber(v) || isOfBytes(bits)) return T.shr(w, v, bits);
  if (bits === w - 1) return constant(w, BigInt(highestBit(w, v)));
  return wordOf(w, divided(unsigned(w, v), BigInt(bits))[0]);
}

/** By a mask of neighbouring bits. */
function and(w, x, y) {
  if (T.isTerm(y)) return T.and(w, x, y);
  const mask = BigInt.asUintN(w, BigInt(y));
  const lowest = mask & -mask;
  const above = mask + lowest;
  if ((above & mask) !== 0n) throw undecided("a mask");
  const all = sumOf(x);
  if (all === undefined) throw undecided("a number");
  // What is above a word changes nothing below it.
  const below = (power) => (power >> BigInt(w) === 1n ? all : divided(all, BigInt(power.toString(2).length - 1))[1]);
  return mask === 0n ? constant(w, 0n) : wordOf(w, minus(below(above), below(lowest)));
}

/** A sum, if no bit is set in both. */
function or(w, x, y) {
  const [a, b] = [unsigned(w, x), unsigned(w, y)];
  if (!isLess(b, sum(1n << zerosOf(a))) && !isLess(a, sum(1n << zerosOf(b)))) throw undecided("an or");
  return wordOf(w, plus(a, b));
}

function xor(w, x, y) {
  if (T.isTerm(y) || BigInt.asIntN(w, BigInt(y)) !== -1n) return T.xor(w, x, y);
  return sumOf(x) === undefined ? T.xor(w, x, y) : wordOf(w, minus(sum(-1), sumOf(x)));
}

const scale = (w, x, by) => sumOf(x) && wordOf(w, scaled(sumOf(x), BigInt.asIntN(w, BigInt(by))));

/** Bits that are not a sum are those of a term. */
export function compute(op, x, y) {
  try {
    return computeSum(op, x, y);
  } catch (error) {
    if (error instanceof Undecided && !isComparison(op)) return undefined;
    throw error;
  }
}
const isComparison = (op) => op < 91;

/** An instruction of which an operand is such a number, or `undefined` if it is one of those that terms know. */
function computeSum(op, x, y) {
  const w = op in binary32 ? 32 : 64;
  const place = op - (w === 32 ? 70 : 81);
  if (place < 10) return +comparisons[COMPARISONS[place]](w, x, y, place > 1 && place % 2 === 0 ? signed : unsigned);
  const first = w === 32 ? 106 : 124;
  const [a, b] = T.isTerm(x) ? [x, y] : [y, x]; // where the order does not matter
  switch (op - first) {
    case 0:
    case 1: {
      const [m, n] = [sumOf(x), sumOf(y)];
      return m && n && wordOf(w, (op === first ? plus : minus)(m, n));
    }
    case 2:
      return T.isTerm(b) ? undefined : scale(w, a, b);
    case 7:
      return and(w, a, b);
    case 8:
      return or(w, a, b);
    case 9:
      return xor(w, a, b);
    case 10:
      return T.isTerm(y) || isOfBytes(countOf(w, y)) ? undefined : scale(w, x, 1n << (BigInt(y) & BigInt(w - 1)));
    case 12:
      return T.isTerm(y) ? undefined : shiftRight(w, x, y);
    default:
      return undefined;
  }
}

/** A lane's comparison: vectors.mjs has those of numbers that are known. */
export const isLessUnsigned = (x, y) => isLess(unsigned(32, x), unsigned(32, y));

/** How many bits are ones: those of the variables, and those of the constant below them. */
export function countOnes(w, v) {
  const { c, k } = unsigned(w, v);
  const known = ones.get(rowOf({ k }));
  if (known === undefined || c < 0n || c >> zerosOf(sum(0, k)) !== 0n) throw undecided("a number of ones");
  const count = known + c.toString(2).replaceAll("0", "").length;
  return w === 64 ? BigInt(count) : count;
}

export const isZero = (v) => isEqual(v.w, v, v.w === 64 ? 0n : 0);

/** The lowest bits of a number, or a longer word of it. */
export function resize(v, w) {
  const all = w > v.w ? unsigned(v.w, v) : sumOf(v);
  return all === undefined ? T.cat(T.bytesOf(v, w / 8)) : wordOf(w, all);
}

/** A word of memory: a part of a number is a number. */
export function loaded(v) {
  if (!isNumber(v) || v.op !== T.CAT || v.terms[0].op !== T.BYTE) return v;
  const [
    {
      terms: [whole],
      k: first,
    },
  ] = v.terms;
  if (!v.terms.every((byte, i) => byte.op === T.BYTE && byte.terms[0] === whole && byte.k === first + i)) return v;
  return resize(shiftRight(whole.w, whole, 8 * first), v.w);
}

export { interval, minus, plus, rowOf, scaled, sum, sumOf, unsigned };
