// Terms over unknown bytes, in a canonical form: two terms with the same form are the same object. A value is a number
// (up to 32 bits, signed), a bigint (64 bits, unsigned) or a Term. Every rule below is an identity of arithmetic modulo
// 2^w or of bits, so one object means one value for all inputs. Two objects prove nothing: their values may still be
// equal.
//
//   SYMBOL  byte k of an input of a kind            BYTE             byte k of a term
//   CAT     bytes, the lowest first                 ROTR, SHL, SHR   by k
//   SUM     of the newest term, with a coefficient, and a SUM or a term of older ones, if there are any
//   ADD     a SUM or a term (`rest`), CATs by their numbers, each with a coefficient, and a constant
//   XOR     of the newest term and an XOR or a term of older ones; or of these and one CAT (`rest`) or constant
//   AND, OR of two terms, or of a term and a constant
//   NONZERO whether one of these bytes is not 0
import { intern } from "./intern.mjs";

export { forget, onForget, termCount } from "./intern.mjs";

export const [SYMBOL, BYTE, CAT, ADD, XOR, ROTR, SHL, SHR, AND, OR, NONZERO, SUM] = [
  1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
];
const NAMES = ["", "symbol", "byte", "cat", "add", "xor", "rotr", "shl", "shr", "and", "or", "nonzero", "sum"];

export const isTerm = (v) => typeof v === "object";
const isConstant = (v) => typeof v !== "object";
const zero = (w) => (w === 64 ? 0n : 0);
/** A constant as a value of w bits. */
const wrap = (w, c) => (w === 64 ? BigInt.asUintN(64, c) : w === 32 ? c | 0 : c & 255);

const NONE = [];

/** The unknown byte, or word of w bits, number `index` of a kind, which is one bit. */
export const symbol = (kind, index, w = 8) => intern(SYMBOL, w, NONE, index, kind, undefined, kind);

// ---- bytes ----

export function byteOf(v, i) {
  if (typeof v === "number") return (v >>> (8 * i)) & 255;
  if (typeof v === "bigint") return Number((v >> BigInt(8 * i)) & 255n);
  if (v.op === CAT) return v.terms[i];
  if (v.w === 8) return v;
  if (v.op === ROTR && v.k % 8 === 0) return byteOf(v.terms[0], (i + v.k / 8) % (v.w / 8));
  return intern(BYTE, 8, [v], i, 0, undefined);
}

export function bytesOf(v, n) {
  const bytes = new Array(n);
  for (let i = 0; i < n; i++) bytes[i] = byteOf(v, i);
  return bytes;
}

/** The word of these bytes, the lowest first. */
export function cat(bytes) {
  const n = bytes.length;
  if (n === 1) return bytes[0];
  let constants = 0;
  for (let i = 0; i < n; i++) if (typeof bytes[i] === "number") constants++;
  if (constants === n) return constantOf(bytes);
  if (constants === 0) {
    const word = rotatedWord(bytes);
    if (word !== undefined) return word;
  }
  return intern(CAT, 8 * n, bytes, 0, 0, undefined);
}

function constantOf(bytes) {
  let [c0, c1] = [0, 0];
  for (let i = 0; i < bytes.length && i < 4; i++) c0 |= bytes[i] << (8 * i);
  for (let i = 4; i < bytes.length; i++) c1 |= bytes[i] << (8 * (i - 4));
  return bytes.length === 8 ? (BigInt(c1 >>> 0) << 32n) | BigInt(c0 >>> 0) : c0;
}

/** If these are all bytes of one word, in turn. */
function rotatedWord(bytes) {
  const n = bytes.length;
  const first = bytes[0];
  if (first.op !== BYTE || first.terms[0].w !== 8 * n) return undefined;
  for (let i = 1; i < n; i++) {
    const b = bytes[i];
    if (b.op !== BYTE || b.terms[0] !== first.terms[0] || b.k !== (first.k + i) % n) return undefined;
  }
  return rotr(8 * n, first.terms[0], 8 * first.k);
}

// ---- lists: an XOR or a SUM; a term that is neither is a list of one ----

// The newest term comes first, so that a long list costs no more than what is new in it.

const link = (op, w, term, k, rest) =>
  rest === undefined && k === 1
    ? term
    : intern(op, w, rest === undefined ? [term] : [term, rest], k, zero(w), undefined);
const itemOf = (op, list) => (list.op === op ? list.terms[0] : list);
const timesOf = (op, list) => (list.op === op ? list.k : 1);
const olderOf = (op, list) => (list.op === op ? list.terms[1] : undefined);

/** Both lists as one, with `change` of the coefficients of both; a term whose coefficient is then 0 is left out. */
function joined(op, w, p, q, change) {
  if (q === undefined) return p;
  if (p === undefined && change !== minus) return q;
  const [t, u] = [p && itemOf(op, p), itemOf(op, q)];
  if (t !== undefined && t.id > u.id) return link(op, w, t, timesOf(op, p), joined(op, w, olderOf(op, p), q, change));
  const k = change(t === u ? timesOf(op, p) : 0, timesOf(op, q));
  if (!Number.isSafeInteger(k)) throw new Error("a coefficient is too large");
  const older = joined(op, w, t === u ? olderOf(op, p) : p, olderOf(op, q), change);
  return k === 0 ? older : link(op, w, u, k, older);
}

/** The terms of an XOR. */
export function listOf(v) {
  const list = [];
  let at = v.terms.length === 1 ? v.terms[0] : v;
  for (; at !== undefined; at = olderOf(XOR, at)) list.push(itemOf(XOR, at));
  return list;
}

// ---- sums ----

const ONE = [1];
const plus = (a, b) => a + b;
const minus = (a, b) => a - b;

/** A value as the CATs, their coefficients, the constant and the list of a sum. */
function summands(w, v) {
  if (isConstant(v)) return { terms: NONE, k: NONE, c: v, rest: undefined };
  if (v.op === ADD) return v;
  if (v.op === CAT) return { terms: [v], k: ONE, c: zero(w), rest: undefined };
  return { terms: NONE, k: NONE, c: zero(w), rest: v };
}

// Bigints and numbers apart, since engines are slow where both come.
const sumOfLongs = (x, y) => BigInt.asUintN(64, x + y);
const sumOfWords = (x, y) => (x + y) | 0;
const sumOf = (w, x, y) => (w === 64 ? sumOfLongs(x, y) : w === 32 ? sumOfWords(x, y) : (x + y) & 255);
const differLongs = (x, y) => BigInt.asUintN(64, x ^ y);
const differWords = (x, y) => x ^ y;

/** x + y, or x - y if the sign is -1. */
export function add(w, x, y, sign = 1) {
  if (isConstant(x) && isConstant(y)) return sumOf(w, x, sign === 1 ? y : -y);
  // The two shifts of a rotation have no bit in common, so their sum is it, too.
  const rotated = sign === 1 ? rotation(w, x, y) : undefined;
  if (rotated !== undefined) return rotated;
  const [a, b] = [summands(w, x), summands(w, y)];
  const change = sign === 1 ? plus : minus;
  const c = wrap(w, change(a.c, b.c));
  const list = joined(SUM, w, a.rest, b.rest, change);
  const [terms, k] = sumOfCats(a, b, change);
  if (terms.length === 0 && c === zero(w)) return list ?? c;
  if (terms.length === 0 && list === undefined) return c;
  if (terms.length === 1 && k[0] === 1 && c === zero(w) && list === undefined) return terms[0];
  return intern(ADD, w, terms, k, c, list);
}

/** The sum of a constant and of terms, none of which is a CAT or a sum, each with a coefficient. */
export function weighted(w, parts, c) {
  let list;
  for (const [term, k] of parts.sort(([a], [b]) => a.id - b.id)) list = link(SUM, w, term, k, list);
  if (list === undefined || c === zero(w)) return list ?? c;
  return intern(ADD, w, NONE, NONE, c, list);
}

function sumOfCats(a, b, change) {
  if (b.terms.length === 0) return [a.terms, a.k];
  const terms = [];
  const k = [];
  for (let i = 0, j = 0; i < a.terms.length || j < b.terms.length; ) {
    const [t, u] = [a.terms[i], b.terms[j]];
    const isFirst = u === undefined || (t !== undefined && t.id <= u.id);
    const isSecond = t === undefined || (u !== undefined && u.id <= t.id);
    const times = change(isFirst ? a.k[i++] : 0, isSecond ? b.k[j++] : 0);
    if (!Number.isSafeInteger(times)) throw new Error("a coefficient is too large");
    if (times === 0) continue;
    terms.push(t !== undefined && isFirst ? t : u);
    k.push(times);
  }
  return [terms, k];
}

// ---- bits ----

/** A rotation, if x and y are the two shifts of it. */
function rotation(w, x, y) {
  if (isConstant(x) || isConstant(y)) return undefined;
  if (x.op === SHR && shl(w, x.terms[0], w - x.k) === y) return rotr(w, x.terms[0], x.k);
  if (y.op === SHR && shl(w, y.terms[0], w - y.k) === x) return rotr(w, y.terms[0], y.k);
  return undefined;
}

/** A value as the list of an XOR, and a CAT or a constant. */
function parts(w, v) {
  if (isConstant(v) || v.op === CAT) return [undefined, v];
  if (v.op === XOR && v.terms.length === 1) return [v.terms[0], v.rest ?? v.c];
  return [v, zero(w)];
}
const differ = (a, b) => a ^ b;

export function xor(w, x, y) {
  if (isConstant(x) && isConstant(y)) return w === 64 ? differLongs(x, y) : differWords(x, y);
  if (x === y) return zero(w);
  const turned = rotation(w, x, y);
  if (turned !== undefined) return turned;
  const [[a, p], [b, q]] = [parts(w, x), parts(w, y)];
  const list = joined(XOR, w, a, b, differ);
  if (isConstant(p) && isConstant(q)) return xorOf(w, list, p ^ q);
  const merged = cat(bytesOf(p, w / 8).map((byte, i) => xor(8, byte, byteOf(q, i))));
  return isConstant(merged) || merged.op === CAT ? xorOf(w, list, merged) : xor(w, xorOf(w, list, zero(w)), merged);
}

function xorOf(w, list, v) {
  if (list === undefined) return v;
  if (v === zero(w)) return list;
  return isTerm(v) ? intern(XOR, w, [list], 0, zero(w), v) : intern(XOR, w, [list], 0, v, undefined);
}

const rotateLong = (v, k) => BigInt.asUintN(64, (v >> k) | (v << (64n - k)));

function rotateConstant(w, v, k) {
  if (w === 64) return rotateLong(v, BigInt(k));
  return k === 0 ? v | 0 : (v >>> k) | (v << (32 - k));
}

export function rotr(w, v, by) {
  const k = by & (w - 1);
  if (isConstant(v)) return rotateConstant(w, v, k);
  if (v.op === ROTR) return rotr(w, v.terms[0], v.k + k);
  if (k === 0) return v;
  if (v.op === CAT && k >= 8) return rotr(w, cat(v.terms.map((_, i) => v.terms[(i + (k >> 3)) % (w / 8)])), k & 7);
  return intern(ROTR, w, [v], k, 0, undefined);
}

/** The bytes of a word, moved up by n of them: zeros come in. */
const moved = (w, v, n) =>
  cat(Array.from({ length: w / 8 }, (_, i) => (i - n >= 0 && i - n < w / 8 ? byteOf(v, i - n) : 0)));

export function shl(w, v, by) {
  const k = by & (w - 1);
  if (k === 0) return v;
  if (isConstant(v)) return wrap(w, w === 64 ? v << BigInt(k) : v << k);
  if (k === 1) return add(w, v, v);
  return k % 8 === 0 ? moved(w, v, k / 8) : intern(SHL, w, [v], k, 0, undefined);
}

export function shr(w, v, by) {
  const k = by & (w - 1);
  if (k === 0) return v;
  if (isConstant(v)) return w === 64 ? v >> BigInt(k) : (v >>> k) | 0;
  return k % 8 === 0 ? moved(w, v, -k / 8) : intern(SHR, w, [v], k, 0, undefined);
}

const inBytes = (v) => isConstant(v) || v.op === CAT;

/** Whole words, or byte by byte if that leaves no byte for which both matter. */
function bitwise(op, w, x, y) {
  if (w > 8 && (inBytes(x) || inBytes(y))) {
    const bytes = bytesOf(x, w / 8).map((b, i) => (op === AND ? and : or)(8, b, byteOf(y, i)));
    return cat(bytes);
  }
  const [first, second] = isTerm(x) && (isConstant(y) || x.id < y.id) ? [x, y] : [y, x];
  if (isConstant(second) && first.op === op && first.k === 1)
    return op === AND ? and(w, first.terms[0], first.c & second) : or(w, first.terms[0], first.c | second);
  if (isConstant(second)) return intern(op, w, [first], 1, second, undefined);
  return intern(op, w, [first, second], 2, 0, undefined);
}

export function or(w, x, y) {
  if (isConstant(x) && isConstant(y)) return x | y;
  if (x === y || y === zero(w)) return x;
  if (x === zero(w)) return y;
  if (w === 8 && (x === 255 || y === 255)) return 255;
  return rotation(w, x, y) ?? bitwise(OR, w, x, y);
}

export function and(w, x, y) {
  if (isConstant(x) && isConstant(y)) return x & y;
  if (x === y) return x;
  if (x === zero(w) || y === zero(w)) return zero(w);
  if (w === 8 && x === 255) return y;
  if (w === 8 && y === 255) return x;
  return bitwise(AND, w, x, y);
}

/**
 * 1 if a word is not zero, otherwise 0: the set of its bytes that can make it so, however they were brought together.
 */
export function nonzero(v) {
  const bytes = new Set();
  let isTrue = false;
  for (const parts = [v]; parts.length > 0; ) {
    const u = parts.pop();
    if (isConstant(u)) isTrue ||= u !== 0 && u !== 0n;
    else if ((u.op === OR && u.k === 2) || u.op === CAT) parts.push(...u.terms);
    else if (u.w === 8) bytes.add(u);
    else if (u.op === XOR) for (let i = 0; i < u.w / 8; i++) parts.push(xorByte(u, i));
    else parts.push(...bytesOf(u, u.w / 8));
  }
  if (isTrue) return 1;
  if (bytes.size === 0) return 0;
  const sorted = [...bytes].sort((a, b) => a.id - b.id);
  return intern(NONZERO, 32, sorted, 0, 0, undefined);
}

const xorByte = (u, i) => listOf(u).reduce((sum, t) => xor(8, sum, byteOf(t, i)), byteOf(u.rest ?? u.c, i));

/** A term as text, to a depth. */
export function show(v, depth = 3) {
  if (isConstant(v)) return `0x${(typeof v === "bigint" ? v : v >>> 0).toString(16)}`;
  if (v.op === SYMBOL) return `${String.fromCharCode(128 - Math.clz32(v.c))}${v.k}`;
  if (depth === 0) return `#${v.id}`;
  const inside = v.terms.map(
    (t, i) => (typeof v.k === "object" && v.k[i] !== 1 ? `${v.k[i]}*` : "") + show(t, depth - 1),
  );
  if (v.rest) inside.push(show(v.rest, depth - 1));
  if (v.c !== 0 && v.c !== 0n) inside.push(show(v.c));
  const shown = inside.length > 6 ? [...inside.slice(0, 6), `... ${inside.length}`] : inside;
  return `${NAMES[v.op]}${typeof v.k === "number" && v.k ? `[${v.k}]` : ""}(${shown.join(" ")})`;
}
