// Terms over unknown bytes, in a canonical form: two terms with the same form are the same object. A value is a number (up to 32
// bits, signed), a bigint (64 bits, unsigned) or a Term. Every rule below is an identity of arithmetic modulo 2^w or of bits, so
// one object means one value for all inputs. Two objects prove nothing: their values may still be equal.
//
//   SYMBOL  byte k of an input of a kind            BYTE             byte k of a term
//   CAT     bytes, the lowest first                 ROTR, SHL, SHR   by k
//   ADD     a sum: terms by their numbers, each with a coefficient, and a constant
//   XOR     terms by their numbers, and at most one CAT (`bytes`) or a constant
//   AND, OR of two terms, or of a term and a constant
//   NONZERO whether one of these bytes is not 0
export const [SYMBOL, BYTE, CAT, ADD, XOR, ROTR, SHL, SHR, AND, OR, NONZERO] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
const NAMES = ["", "symbol", "byte", "cat", "add", "xor", "rotr", "shl", "shr", "and", "or", "nonzero"];

class Term {
  constructor(op, w, terms, k, c, bytes, hash, kinds) {
    this.op = op;
    this.w = w;
    this.terms = terms;
    this.k = k;
    this.c = c;
    this.bytes = bytes;
    this.hash = hash;
    this.kinds = kinds; // of all symbols in it, as bits
    this.id = ++made;
    this.next = undefined; // in its bucket
    this.isNamed = false;
  }
}

const START = 1 << 16;
let made = 0;
let size = 0;
let buckets = new Array(START);
const cleared = [];

/** Forgets all terms, and calls what others gave to `onForget`. No term may be used afterwards. */
export function forget() {
  for (const clear of cleared) clear();
  size = 0;
  buckets = new Array(START);
}
export const onForget = (clear) => cleared.push(clear);

function grow() {
  const old = buckets;
  buckets = new Array(2 * old.length);
  for (let term of old) {
    while (term) {
      const { next } = term;
      const at = term.hash & (buckets.length - 1);
      term.next = buckets[at];
      buckets[at] = term;
      term = next;
    }
  }
}

export const isTerm = (v) => typeof v === "object";
const isConstant = (v) => typeof v !== "object";
const low = (v) => Number(BigInt.asIntN(32, v));
const high = (v) => Number(BigInt.asIntN(32, v >> 32n));
const zero = (w) => (w === 64 ? 0n : 0);
/** A constant as a value of w bits. */
const wrap = (w, c) => (w === 64 ? BigInt.asUintN(64, c) : w === 32 ? c | 0 : c & 255);

const mix = (hash, v) => {
  const h = Math.imul(hash ^ v, 0x9e3779b1);
  return h ^ (h >>> 15);
};
const idOf = (v) => (typeof v === "object" ? v.id : v ^ 0x55555555);
const NONE = [];

function hashOf(op, w, terms, k, c, bytes) {
  let hash = mix(op * 131 + w, typeof c === "bigint" ? (c === 0n ? 0 : low(c) ^ Math.imul(high(c), 31)) : c);
  const isSum = typeof k === "object";
  if (!isSum) hash = mix(hash, k);
  if (bytes !== undefined) hash = mix(hash, bytes.id);
  for (let i = 0; i < terms.length; i++) {
    hash = mix(hash, idOf(terms[i]));
    if (isSum) hash = mix(hash, k[i]);
  }
  return hash;
}

function isSame(t, terms, k) {
  if (t.terms.length !== terms.length) return false;
  if (typeof k !== "object") {
    if (t.k !== k) return false;
    for (let i = 0; i < terms.length; i++) if (t.terms[i] !== terms[i]) return false;
    return true;
  }
  for (let i = 0; i < terms.length; i++) if (t.terms[i] !== terms[i] || t.k[i] !== k[i]) return false;
  return true;
}

/** The one term of this form. */
function intern(op, w, terms, k, c, bytes) {
  const hash = hashOf(op, w, terms, k, c, bytes);
  for (let t = buckets[hash & (buckets.length - 1)]; t; t = t.next) {
    if (t.hash === hash && t.op === op && t.w === w && t.c === c && t.bytes === bytes && isSame(t, terms, k)) return t;
  }
  let kinds = bytes === undefined ? 0 : bytes.kinds;
  if (op === SYMBOL) kinds = c;
  for (let i = 0; i < terms.length; i++) if (typeof terms[i] === "object") kinds |= terms[i].kinds;
  const term = new Term(op, w, terms, k, c, bytes, hash, kinds);
  const at = hash & (buckets.length - 1);
  term.next = buckets[at];
  buckets[at] = term;
  if (++size > buckets.length) grow();
  return term;
}

/** The unknown byte number `index` of a kind, which is one bit. */
export const symbol = (kind, index) => intern(SYMBOL, 8, NONE, index, kind, undefined);

/**
 * Marks a word that the specification names: sums and XORs of it do not take it apart. The specification runs first, so that a
 * kernel's terms meet its names. Without names, a sum would carry all that was ever added to a word.
 */
export function named(v) {
  if (isTerm(v)) v.isNamed = true;
  return v;
}

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
    const word = rotatedWord(bytes) ?? wordUnderXor(bytes);
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

/** If these are the bytes of a word, each XORed with others: the word XORed with the word of the others. */
function wordUnderXor(bytes) {
  const n = bytes.length;
  if (bytes[0].op !== XOR) return undefined;
  for (const part of bytes[0].terms) {
    if (part.op !== BYTE || part.k !== 0 || part.terms[0].w !== 8 * n) continue;
    const word = part.terms[0];
    const own = bytesOf(word, n);
    if (bytes.every((b, i) => b === own[i] || (b.op === XOR && b.terms.includes(own[i])))) {
      return xor(8 * n, word, cat(bytes.map((b, i) => xor(8, b, own[i]))));
    }
  }
  return undefined;
}

// ---- sums ----

const ONE = [1];
const TWO = [2];

/** A value as the terms, coefficients and constant of a sum. */
function summands(w, v) {
  if (isConstant(v)) return { terms: NONE, k: NONE, c: v };
  if (v.op === ADD && !v.isNamed) return v;
  if (v.op === SHL && v.k === 1 && !v.isNamed) return { terms: v.terms, k: TWO, c: zero(w) };
  return { terms: [v], k: ONE, c: zero(w) };
}

/** x + y, or x - y if the sign is -1. */
export function add(w, x, y, sign = 1) {
  // The two shifts of a rotation have no bit in common, so their sum is it, too.
  const rotated = sign === 1 ? rotation(w, x, y) : undefined;
  if (rotated !== undefined) return rotated;
  const [a, b] = [summands(w, x), summands(w, y)];
  const c = wrap(w, sign === 1 ? a.c + b.c : a.c - b.c);
  if (isConstant(x) && isConstant(y)) return c;
  const terms = [];
  const k = [];
  for (let i = 0, j = 0; i < a.terms.length || j < b.terms.length; ) {
    const [t, u] = [a.terms[i], b.terms[j]];
    if (u === undefined || (t !== undefined && t.id < u.id)) {
      terms.push(t);
      k.push(a.k[i++]);
    } else if (t === undefined || u.id < t.id) {
      terms.push(u);
      k.push(sign * b.k[j++]);
    } else {
      const both = a.k[i++] + sign * b.k[j++];
      if (!Number.isSafeInteger(both)) throw new Error("a coefficient is too large");
      if (both !== 0) {
        terms.push(t);
        k.push(both);
      }
    }
  }
  if (terms.length === 0) return c;
  if (terms.length === 1 && c === zero(w)) {
    if (k[0] === 1) return terms[0];
    if (k[0] === 2) return intern(SHL, w, terms, 1, 0, undefined);
  }
  return intern(ADD, w, terms, k, c, undefined);
}

// ---- bits ----

/** A rotation, if x and y are the two shifts of it. */
function rotation(w, x, y) {
  if (isConstant(x) || isConstant(y)) return undefined;
  if (x.op === SHR && shl(w, x.terms[0], w - x.k) === y) return rotr(w, x.terms[0], x.k);
  if (y.op === SHR && shl(w, y.terms[0], w - y.k) === x) return rotr(w, y.terms[0], y.k);
  return undefined;
}

/** A value as the terms, bytes and constant of an XOR. */
function parts(w, v) {
  if (isConstant(v)) return { terms: NONE, bytes: undefined, c: v };
  if (v.op === XOR && !v.isNamed) return v;
  if (v.op === CAT) return { terms: NONE, bytes: v, c: zero(w) };
  return { terms: [v], bytes: undefined, c: zero(w) };
}

/** The terms of only one of the lists. */
function difference(a, b) {
  const terms = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    if (j === b.length || (i < a.length && a[i].id < b[j].id)) terms.push(a[i++]);
    else if (i === a.length || b[j].id < a[i].id) terms.push(b[j++]);
    else [i, j] = [i + 1, j + 1];
  }
  return terms;
}

export function xor(w, x, y) {
  if (isConstant(x) && isConstant(y)) return wrap(w, x ^ y);
  if (x === y) return zero(w);
  const turned = rotation(w, x, y);
  if (turned !== undefined) return turned;
  const [a, b] = [parts(w, x), parts(w, y)];
  const terms = difference(a.terms, b.terms);
  const c = a.c ^ b.c;
  if (a.bytes !== undefined || b.bytes !== undefined) return xorOfBytes(w, terms, a.bytes ?? a.c, b.bytes ?? b.c);
  if (terms.length === 0) return c;
  if (terms.length === 1 && c === zero(w)) return terms[0];
  return intern(XOR, w, terms, 0, c, undefined);
}

/** Terms, XORed with two words that are XORed byte by byte; an XOR has either a CAT or a constant. */
function xorOfBytes(w, terms, p, q) {
  const merged = cat(bytesOf(p, w / 8).map((b, i) => xor(8, b, byteOf(q, i))));
  if (terms.length === 0) return merged;
  if (isTerm(merged) && merged.op === CAT) return intern(XOR, w, terms, 0, zero(w), merged);
  return xor(w, terms.length === 1 ? terms[0] : intern(XOR, w, terms, 0, zero(w), undefined), merged);
}

function rotateConstant(w, v, k) {
  if (w === 64) return BigInt.asUintN(64, (v >> BigInt(k)) | (v << BigInt(64 - k)));
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

/** 1 if a word is not zero, otherwise 0: the set of its bytes that can make it so, however they were brought together. */
export function nonzero(v) {
  const bytes = new Set();
  let isTrue = false;
  const visit = (u) => {
    if (isConstant(u)) isTrue ||= u !== 0 && u !== 0n;
    else if (u.op === OR && u.k === 2) u.terms.forEach(visit);
    else if (u.op === CAT) u.terms.forEach(visit);
    else if (u.w === 8) bytes.add(u);
    else if (u.op === XOR) for (let i = 0; i < u.w / 8; i++) visit(xorByte(u, i));
    else for (const b of bytesOf(u, u.w / 8)) visit(b);
  };
  visit(v);
  if (isTrue) return 1;
  if (bytes.size === 0) return 0;
  const sorted = [...bytes].sort((a, b) => a.id - b.id);
  return intern(NONZERO, 32, sorted, 0, 0, undefined);
}

const xorByte = (u, i) =>
  u.terms.reduce((sum, t) => xor(8, sum, byteOf(t, i)), byteOf(u.bytes === undefined ? u.c : u.bytes, i));

/** A term as text, to a depth. */
export function show(v, depth = 3) {
  if (isConstant(v)) return `0x${(typeof v === "bigint" ? v : v >>> 0).toString(16)}`;
  if (v.op === SYMBOL) return `${String.fromCharCode(128 - Math.clz32(v.c))}${v.k}`;
  if (depth === 0) return `#${v.id}`;
  const inside = v.terms.map(
    (t, i) => (typeof v.k === "object" && v.k[i] !== 1 ? `${v.k[i]}*` : "") + show(t, depth - 1),
  );
  if (v.bytes) inside.push(show(v.bytes, depth - 1));
  if (v.c !== 0 && v.c !== 0n) inside.push(show(v.c));
  const shown = inside.length > 6 ? [...inside.slice(0, 6), `... ${inside.length}`] : inside;
  return `${NAMES[v.op]}${typeof v.k === "number" && v.k ? `[${v.k}]` : ""}(${shown.join(" ")})`;
}
