// Numbers that stand for any of a range: sums of variables, each with a coefficient, as terms over symbols of the kind NUMBER. What a
// kernel decides by such a number (a branch, a mask, a carry) must be the same for all values of the variables, or it is an error: so
// one run of a kernel is its run for all of them.
import * as T from "./terms.mjs";

/** The kind of the variables' symbols: no content of a message or a key. */
export const NUMBER = 64;
export const isNumber = (v) => T.isTerm(v) && v.kinds === NUMBER;

// ---- variables ----

/** The number of each variable, by its name and the greatest value, and the greatest value, by its number. */
const indices = new Map();
const greatestOf = [];
/** Sums whose binary digits have a known number of ones, by their coefficients. */
const ones = new Map();

/** A variable as a word. */
const symbolOf = (w, index) => T.symbol(NUMBER, index, w);
const constant = (w, c) => (w === 64 ? BigInt.asUintN(64, c) : Number(BigInt.asIntN(32, c)));

/** A sum as an integer, before it is cut to a word: `k` has the coefficient of each variable. */
export const sum = (c, k = new Map()) => ({ c: BigInt(c), k });
export const scaled = ({ c, k }, by) => sum(c * by, new Map([...k].map(([i, n]) => [i, n * by])));
export function plus(a, b) {
  const k = new Map(a.k);
  for (const [i, n] of b.k) k.set(i, (k.get(i) ?? 0n) + n);
  return sum(a.c + b.c, k);
}
export const minus = (a, b) => plus(a, scaled(b, -1n));

/**
 * A variable from 0 on. The same name and greatest value give the same one, others never, since a machine remembers what it did with it.
 */
export function variable(name, most) {
  const id = `${name} ${most}`;
  if (!indices.has(id)) indices.set(id, greatestOf.push(BigInt(most)) - 1);
  return sum(0, new Map([[indices.get(id), 1n]]));
}

const rowOf = ({ k }) =>
  [...k]
    .filter(([, n]) => n !== 0n)
    .sort(([i], [j]) => i - j)
    .join(" ");
/** Says how many ones a sum without a constant has, which its variables' name must tell, too. */
export const haveOnes = (all, count) => ones.set(rowOf(all), count);

/** The least and the greatest value. */
function interval({ c, k }) {
  const ends = [c, c];
  for (const [i, n] of k) ends[n < 0n ? 0 : 1] += n * greatestOf[i];
  return ends;
}

// ---- terms and sums ----

class Undecided extends Error {}
const undecided = (what) => new Undecided(`${what} is not the same for all places and counters`);

/** The sum that a term is: exclusive ors of numbers, for instance, are none. */
function sumOf(v) {
  if (!T.isTerm(v)) return sum(v);
  if (v.op === T.SYMBOL) return sum(0, new Map([[v.k, 1n]]));
  if (v.op === T.ADD && v.terms.length === 0) return plus(sumOf(v.rest), sum(v.c));
  if (v.op !== T.SUM) throw undecided("a number");
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

/** The sum as an integer from `low` to `low + 2^w`, modulo which it is known. */
function within(w, v, low = 0n) {
  const all = sumOf(v);
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
  eq: (w, a, b) => isEqual(w, a, b),
  ne: (w, a, b) => !isEqual(w, a, b),
  lt: (w, a, b, read) => isLess(read(w, a), read(w, b)),
  gt: (w, a, b, read) => isLess(read(w, b), read(w, a)),
  le: (w, a, b, read) => !isLess(read(w, b), read(w, a)),
  ge: (w, a, b, read) => !isLess(read(w, a), read(w, b)),
};

/** Shifts that bring bytes into another order are those of terms. */
const isOfBytes = (bits) => bits % 8 === 0 && bits < 32;
const countOf = (w, by) => Number(BigInt.asUintN(w === 64 ? 6 : 5, BigInt(by)));

function shiftRight(w, v, by) {
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
  return wordOf(w, minus(sum(-1), sumOf(x)));
}

const scale = (w, x, by) => wordOf(w, scaled(sumOf(x), BigInt.asIntN(w, BigInt(by))));

const operations = {
  add: (w, x, y) => wordOf(w, plus(sumOf(x), sumOf(y))),
  sub: (w, x, y) => wordOf(w, minus(sumOf(x), sumOf(y))),
  mul: (w, x, y) => (T.isTerm(y) ? undefined : scale(w, x, y)),
  and,
  or,
  xor,
  shl: (w, x, y) => (T.isTerm(y) || isOfBytes(countOf(w, y)) ? undefined : scale(w, x, 1n << BigInt(countOf(w, y)))),
  shr_u: (w, x, y) => (T.isTerm(y) ? undefined : shiftRight(w, x, y)),
};
const isCommutative = (name) => /^(mul|and|or|xor)$/.test(name);

/** What is computed, or nothing if that is no sum. */
function attempt(change) {
  try {
    return change();
  } catch (error) {
    if (error instanceof Undecided) return undefined;
    throw error;
  }
}

/** An instruction of which an operand is such a number, or `undefined` if it is one of those that terms know. */
export function compute(w, name, x, y) {
  const compare = comparisons[name.slice(0, 2)];
  if (compare) return +compare(w, x, y, name.endsWith("s") ? signed : unsigned);
  const [a, b] = isCommutative(name) && !T.isTerm(x) ? [y, x] : [x, y];
  return attempt(() => operations[name]?.(w, a, b));
}

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
  if (w > v.w) return wordOf(w, unsigned(v.w, v));
  return attempt(() => wordOf(w, sumOf(v))) ?? T.cat(T.bytesOf(v, w / 8));
}

/** A word of memory: a part of a number is a number. */
export function loaded(v) {
  if (!isNumber(v) || v.op !== T.CAT || v.terms[0].op !== T.BYTE) return v;
  const { k: first } = v.terms[0];
  const [whole] = v.terms[0].terms;
  if (!v.terms.every((byte, i) => byte.op === T.BYTE && byte.terms[0] === whole && byte.k === first + i)) return v;
  return resize(shiftRight(whole.w, whole, 8 * first), v.w);
}
