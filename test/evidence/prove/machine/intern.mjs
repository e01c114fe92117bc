// The one object for each form of a term (terms.mjs): what it is, of which terms, with which numbers.

class Term {
  constructor(op, w, terms, k, c, rest, kinds) {
    this.op = op;
    this.w = w;
    this.terms = terms;
    this.k = k;
    this.c = c;
    this.rest = rest;
    this.kinds = kinds; // of all symbols in it, as bits
    this.id = ++made;
  }
}

// All terms, by their hashes, of which none is 0: a place that is taken sends a term to the next one.
const START = 1 << 16;
let made = 0;
let size = 0;
let hashes = new Int32Array(START);
let interned = new Array(START);
const cleared = [];

/** How many terms there are. */
export const termCount = () => size;

/** Forgets all terms, and calls what others gave to `onForget`. No term may be used afterwards. */
export function forget() {
  for (const clear of cleared) clear();
  size = 0;
  hashes = new Int32Array(START);
  interned = new Array(START);
}
export const onForget = (clear) => cleared.push(clear);

function grow() {
  const [oldHashes, oldTerms] = [hashes, interned];
  hashes = new Int32Array(2 * oldHashes.length);
  interned = new Array(hashes.length);
  for (let i = 0; i < oldHashes.length; i++) if (oldHashes[i] !== 0) put(oldHashes[i], oldTerms[i]);
}

function put(hash, term) {
  const last = hashes.length - 1;
  let at = hash & last;
  while (hashes[at] !== 0) at = (at + 1) & last;
  hashes[at] = hash;
  interned[at] = term;
}

const mix = (hash, v) => {
  const h = Math.imul(hash ^ v, 0x9e3779b1);
  return h ^ (h >>> 15);
};
const low = (v) => Number(BigInt.asIntN(32, v));
const high = (v) => Number(BigInt.asIntN(32, v >> 32n));
const idOf = (v) => (typeof v === "object" ? v.id : v ^ 0x55555555);

function hashOf(op, w, terms, k, c, rest) {
  let hash = mix(op * 131 + w, typeof c === "bigint" ? (c === 0n ? 0 : low(c) ^ Math.imul(high(c), 31)) : c);
  const isSum = typeof k === "object";
  if (!isSum) hash = mix(hash, k);
  if (rest !== undefined) hash = mix(hash, rest.id);
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

/** The one term of this form; `ownKind` is that of a symbol. */
export function intern(op, w, terms, k, c, rest, ownKind = 0) {
  const hash = hashOf(op, w, terms, k, c, rest) || 1;
  const last = hashes.length - 1;
  let at = hash & last;
  for (; hashes[at] !== 0; at = (at + 1) & last) {
    if (hashes[at] !== hash) continue;
    const t = interned[at];
    if (t.op === op && t.w === w && t.c === c && t.rest === rest && isSame(t, terms, k)) return t;
  }
  let kinds = ownKind | (rest === undefined ? 0 : rest.kinds);
  for (let i = 0; i < terms.length; i++) if (typeof terms[i] === "object") kinds |= terms[i].kinds;
  const term = new Term(op, w, terms, k, c, rest, kinds);
  hashes[at] = hash;
  interned[at] = term;
  if (++size > hashes.length / 2) grow();
  return term;
}
