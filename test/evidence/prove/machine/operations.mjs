// The instructions on integers that kernels use: on numbers (arithmetic.mjs), on those that stand for any of a range (ranges.mjs) and on
// terms. What must not depend on unknown bytes is an error.
import * as numbers from "./arithmetic.mjs";
import { u64 } from "./arithmetic.mjs";
import { known, namesOf } from "./memory.mjs";
import * as ranges from "./ranges.mjs";
import { add, and, bytesOf, cat, isTerm, nonzero, or, rotr, shl, shr, xor } from "./terms.mjs";

const { isNumber } = ranges;
const isUnknown = (v) => isTerm(v) && !isNumber(v);
/** A count of 64 bits is a bigint. */
const count = (v) => Number(BigInt.asUintN(6, BigInt(known(v, "a shift"))));

const onTerms = {
  add,
  sub: (w, a, b) => add(w, a, b, -1),
  and,
  or,
  xor,
  shl: (w, a, b) => shl(w, a, count(b)),
  shr_u: (w, a, b) => shr(w, a, count(b)),
  rotl: (w, a, b) => rotr(w, a, -count(b)),
  rotr: (w, a, b) => rotr(w, a, count(b)),
  // What BLAKE3's `match` returns: whether there is any difference.
  ne: (w, a, b) => (BigInt(known(b, `i${w}.ne`)) === 0n ? nonzero(a) : known(a, `i${w}.ne`)),
};

/** An instruction with two operands of w bits, by the name behind its type. */
export function binary(w, name) {
  const [onNumbers, onTerm] = [numbers.binary[w][name], onTerms[name]];
  if (onNumbers === undefined) return undefined;
  return (a, b) => {
    if (!isTerm(a) && !isTerm(b)) return onNumbers(a, b);
    if (!isUnknown(a) && !isUnknown(b)) {
      const result = ranges.compute(w, name, a, b);
      if (result !== undefined) return result;
    }
    if (onTerm === undefined) throw new Error(`i${w}.${name} depends on ${[a, b].filter(isTerm).map(namesOf)}`);
    return onTerm(w, a, b);
  };
}

const onRanges = {
  "i32.eqz": (v) => +ranges.isZero(v),
  "i64.eqz": (v) => +ranges.isZero(v),
  "i32.popcnt": (v) => ranges.countOnes(32, v),
  "i64.popcnt": (v) => ranges.countOnes(64, v),
  "i32.wrap_i64": (v) => ranges.resize(v, 32),
  "i64.extend_i32_u": (v) => ranges.resize(v, 64),
};
const onTerm = {
  "i32.wrap_i64": (v) => cat(bytesOf(v, 4)),
  "i64.extend_i32_u": (v) => cat([...bytesOf(v, 4), 0, 0, 0, 0]),
};

/** An instruction with one operand, by its name. */
export function unary(name) {
  const onNumbers = numbers.unary[name];
  return (
    onNumbers &&
    ((v) => (isTerm(v) ? ((isNumber(v) && onRanges[name]) || onTerm[name] || known)(v, name) : onNumbers(v)))
  );
}

/** A branch or a select takes the same way for all numbers of a range. */
export const condition = (v, what) => (isNumber(v) ? !ranges.isZero(v) : known(v, what));

// ---- in memory ----

/** What a load or a store of an integer moves: bytes in memory, and those of the value. */
export function accessOf(name) {
  const [, type, isStore, bits, sign] = /^i(32|64)\.(?:load|(store))(\d*)(_s)?/.exec(name) ?? [];
  return type && { isStore, size: (bits || type) / 8, to: type / 8, isSigned: sign !== undefined };
}

/** The word that a load makes of the bytes in memory. */
export function extend(v, { size, to, isSigned }) {
  if (size === to) return v;
  if (isTerm(v)) {
    if (isSigned) throw new Error(`a signed load depends on ${namesOf(v)}`);
    return isNumber(v) ? ranges.resize(v, 8 * to) : cat([...bytesOf(v, size), ...new Array(to - size).fill(0)]);
  }
  const extended = isSigned && size < 4 ? (v << (32 - 8 * size)) >> (32 - 8 * size) : v;
  return to === 4 ? extended : u64(BigInt(isSigned ? extended : extended >>> 0));
}

/** The lowest bytes of a word. */
export function narrow(v, { size, to }) {
  if (size === to) return v;
  if (isTerm(v)) return isNumber(v) ? ranges.resize(v, 8 * size) : cat(bytesOf(v, size));
  return Number(BigInt.asIntN(32, BigInt(v)));
}
