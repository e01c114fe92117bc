// The instructions on integers that kernels use: on numbers (arithmetic.mjs) and on terms. What must not depend on
// unknown bytes is an error.
import * as numbers from "./arithmetic.mjs";
import { u64 } from "./arithmetic.mjs";
import { known, namesOf } from "./memory.mjs";
import { add, and, bytesOf, cat, isTerm, nonzero, or, rotr, shl, shr, xor } from "./terms.mjs";

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
    if (onTerm === undefined) throw new Error(`i${w}.${name} depends on ${[a, b].filter(isTerm).map(namesOf)}`);
    return onTerm(w, a, b);
  };
}

const onTerm = {
  "i32.wrap_i64": (v) => cat(bytesOf(v, 4)),
  "i64.extend_i32_u": (v) => cat([...bytesOf(v, 4), 0, 0, 0, 0]),
};

/** An instruction with one operand, by its name. */
export function unary(name) {
  const onNumbers = numbers.unary[name];
  return onNumbers && ((v) => (isTerm(v) ? (onTerm[name] ?? known)(v, name) : onNumbers(v)));
}

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
    return cat([...bytesOf(v, size), ...new Array(to - size).fill(0)]);
  }
  const extended = isSigned && size < 4 ? (v << (32 - 8 * size)) >> (32 - 8 * size) : v;
  return to === 4 ? extended : u64(BigInt(isSigned ? extended : extended >>> 0));
}

/** The lowest bytes of a word. */
export function narrow(v, { size, to }) {
  if (size === to) return v;
  if (isTerm(v)) return cat(bytesOf(v, size));
  return Number(BigInt.asIntN(32, BigInt(v)));
}
