// The instructions of WebAssembly on integers that kernels use, by their codes, on terms and on numbers that stand for any of a range.
import { binary32, binary64, unary } from "./arithmetic.mjs";
import * as numbers from "./ranges.mjs";
import { add, and, bytesOf, cat, isTerm, nonzero, or, rotr, shl, shr, xor } from "./terms.mjs";
import { known } from "./vectors.mjs";

const { isNumber } = numbers;

/** Scalar instructions on terms, by their codes. A count of 64 bits is a bigint. */
const terms = {
  106: (a, b) => add(32, a, b),
  107: (a, b) => add(32, a, b, -1),
  113: (a, b) => and(32, a, b),
  114: (a, b) => or(32, a, b),
  115: (a, b) => xor(32, a, b),
  124: (a, b) => add(64, a, b),
  125: (a, b) => add(64, a, b, -1),
  131: (a, b) => and(64, a, b),
  132: (a, b) => or(64, a, b),
  133: (a, b) => xor(64, a, b),
};
const count = (b) => Number(BigInt.asUintN(6, BigInt(known(b, "a shift"))));
const shifts = {
  116: (a, b) => shl(32, a, count(b)),
  118: (a, b) => shr(32, a, count(b)),
  119: (a, b) => rotr(32, a, 32 - (count(b) & 31)),
  120: (a, b) => rotr(32, a, count(b)),
  134: (a, b) => shl(64, a, count(b)),
  136: (a, b) => shr(64, a, count(b)),
  137: (a, b) => rotr(64, a, 64 - (count(b) & 63)),
  138: (a, b) => rotr(64, a, count(b)),
};
export const WRAP = 167;
const [NOT_EQUAL_32, NOT_EQUAL_64, EXTEND_UNSIGNED] = [71, 82, 173];
const [ZERO_32, ZERO_64, ONES_32, ONES_64] = [69, 80, 105, 123];

export function compute(op, a, b) {
  if (!isTerm(a) && !isTerm(b)) {
    const change = binary32[op] ?? binary64[op];
    if (change === undefined) throw new Error(`instruction ${op} is not known`);
    return change(a, b);
  }
  if ((isNumber(a) || isNumber(b)) && [a, b].every((v) => isNumber(v) || !isTerm(v))) {
    const result = numbers.compute(op, a, b);
    if (result !== undefined) return result;
  }
  const change = terms[op] ?? shifts[op];
  if (change !== undefined) return change(a, b);
  // What BLAKE3's `match` returns: whether there is any difference.
  if ((op === NOT_EQUAL_32 && b === 0) || (op === NOT_EQUAL_64 && b === 0n)) return nonzero(a);
  throw new Error(`instruction ${op} must not depend on symbolic words`);
}

export function convert(op, a) {
  if (!isTerm(a)) {
    if (unary[op] === undefined) throw new Error(`instruction ${op} is not known`);
    return unary[op](a);
  }
  if (isNumber(a)) {
    if (op === WRAP || op === EXTEND_UNSIGNED) return numbers.resize(a, op === WRAP ? 32 : 64);
    if (op === ZERO_32 || op === ZERO_64) return +numbers.isZero(a);
    if (op === ONES_32 || op === ONES_64) return numbers.countOnes(op === ONES_32 ? 32 : 64, a);
  }
  if (op === WRAP) return cat(bytesOf(a, 4));
  if (op === EXTEND_UNSIGNED) return cat([...bytesOf(a, 4), 0, 0, 0, 0]);
  throw new Error(`instruction ${op} must not depend on a symbolic word`);
}

export function extend(v, [size, to, isSigned]) {
  if (size === to) return v;
  if (isTerm(v)) {
    if (isSigned) throw new Error("a signed load of symbolic bytes is not known");
    if (isNumber(v)) return numbers.resize(v, 8 * to);
    return cat([...bytesOf(v, size), ...new Array(to - size).fill(0)]);
  }
  const extended = isSigned && size < 4 ? (v << (32 - 8 * size)) >> (32 - 8 * size) : v;
  if (to === 4) return extended;
  return BigInt.asUintN(64, BigInt(isSigned ? extended : extended >>> 0));
}

export const condition = (v, what) => (isNumber(v) ? !numbers.isZero(v) : known(v, what));
/** A number of bytes after an address. */
export const place = (at, i) => (isTerm(at) ? compute(106, at, i) : at + i);

/** The lowest bytes of a word. */
export function narrow(v, [size, from]) {
  if (size === from) return v;
  if (isNumber(v)) return numbers.resize(v, 8 * size);
  if (isTerm(v)) return cat(bytesOf(v, size));
  return typeof v === "bigint" ? Number(BigInt.asIntN(32, v)) : v;
}
