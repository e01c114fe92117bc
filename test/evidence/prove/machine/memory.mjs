// A memory of symbolic bytes.
import { BYTE, byteOf, CAT, cat, isTerm, ROTR, symbol } from "./terms.mjs";

// Kinds of symbols. EARLIER is what earlier calls have left on the C stack, OTHERS what is anywhere else, such as
// another hasher's state; CHOSEN are options, such as a parameter block, and FLAGS the one byte that tells algorithms
// and modes of a kernel apart.
export const [MESSAGE, KEY, STATE, EARLIER, CHOSEN, FLAGS, OTHERS] = [1, 2, 4, 8, 16, 32, 128];
/** What a call was given or finds must not remain where it is not expected; a salt is no secret, but goes, too. */
export const GIVEN = MESSAGE | KEY | STATE | CHOSEN | OTHERS;

const NAMES = ["a message", "a key", "a state", "the C stack", "options", "flags", "a number", "other memory"];
/** Whose bytes a term depends on. */
export const namesOf = ({ kinds }) => NAMES.filter((_, i) => kinds & (1 << i)).join(", ");
/** The number that an instruction needs: nothing unknown may decide what the machine does. */
export function known(v, what) {
  if (isTerm(v)) throw new Error(`${what} depends on ${namesOf(v)}`);
  return v;
}

/** A byte of earlier calls that nobody has looked at: it gets a symbol when it is read. */
const UNREAD = { w: 0, op: 0, kinds: 0 };

export class Memory {
  constructor(size) {
    this.bytes = new Uint8Array(size);
    this.view = new DataView(this.bytes.buffer);
    // For each byte the term that it is a byte of, and which one; null if it is the number in `bytes`.
    this.terms = new Array(size).fill(null);
    this.index = new Uint8Array(size);
    this.written = new Uint8Array(size); // since clearWritten()
    this.times = 0;
    this.stack = [0, 0]; // where unknown bytes are EARLIER
  }

  #require(at, size) {
    if (at + size > this.bytes.length) throw new Error(`out of bounds: ${size} bytes at 0x${at.toString(16)}`);
  }

  isUnread(at) {
    return this.terms[at] === UNREAD;
  }

  /** The number of the symbol for what earlier calls have left there. */
  earlierIndex(at) {
    return at + this.times * this.bytes.length;
  }

  byteAt(at) {
    const term = this.terms[at];
    if (term === null) return this.bytes[at];
    if (term !== UNREAD) return byteOf(term, this.index[at]);
    return symbol(at >= this.stack[0] && at < this.stack[1] ? EARLIER : OTHERS, this.earlierIndex(at));
  }

  bytesAt(at, length) {
    return Array.from({ length }, (_, i) => this.byteAt(at + i));
  }

  #put(at, byte) {
    if (typeof byte === "number") {
      this.bytes[at] = byte;
      this.terms[at] = null;
    } else {
      const isPart = byte.op === BYTE;
      this.terms[at] = isPart ? byte.terms[0] : byte;
      this.index[at] = isPart ? byte.k : 0;
    }
  }

  /** Sets bytes as a caller does; one that is `undefined` stays. */
  place(at, bytes) {
    this.#require(at, bytes.length);
    for (let i = 0; i < bytes.length; i++) if (bytes[i] !== undefined) this.#put(at + i, bytes[i]);
  }

  /** Any bytes, which are not those that any other call of this has left. */
  makeUnknown(from, to) {
    this.times = (this.times + 1) % 1000;
    this.terms.fill(UNREAD, from, to);
  }

  clearWritten() {
    this.written.fill(0);
  }

  load(at, size) {
    this.#require(at, size);
    const { terms, index } = this;
    const first = terms[at];
    let i = 1;
    if (first === null) {
      while (i < size && terms[at + i] === null) i++;
      if (i === size) return this.#loadNumber(at, size);
    } else if (first.w === 8 * size && index[at] === 0) {
      while (i < size && terms[at + i] === first && index[at + i] === i) i++;
      if (i === size) return first;
    }
    return cat(this.bytesAt(at, size));
  }

  #loadNumber(at, size) {
    if (size === 4) return this.view.getInt32(at, true);
    if (size === 8) return this.view.getBigUint64(at, true);
    return size === 1 ? this.bytes[at] : this.view.getUint16(at, true);
  }

  store(at, size, v) {
    this.#require(at, size);
    this.written.fill(1, at, at + size);
    if (!isTerm(v)) {
      if (size === 4) this.view.setInt32(at, v, true);
      else if (size === 8) this.view.setBigUint64(at, v, true);
      else for (let i = 0; i < size; i++) this.bytes[at + i] = byteOf(v, i);
      this.terms.fill(null, at, at + size);
    } else if (v.w === 8 * size && size > 1 && v.op !== CAT && !(v.op === ROTR && v.k % 8 === 0)) {
      for (let i = 0; i < size; i++) {
        this.terms[at + i] = v;
        this.index[at + i] = i;
      }
    } else for (let i = 0; i < size; i++) this.#put(at + i, byteOf(v, i));
  }

  copy(to, from, length) {
    this.#require(to, length);
    this.#require(from, length);
    this.written.fill(1, to, to + length);
    // What nobody has looked at has a symbol of its own place.
    for (let i = from; i < from + length; i++) if (this.terms[i] === UNREAD) this.#put(i, this.byteAt(i));
    this.bytes.copyWithin(to, from, from + length);
    this.terms.copyWithin(to, from, from + length);
    this.index.copyWithin(to, from, from + length);
  }

  fill(to, value, length) {
    this.#require(to, length);
    this.written.fill(1, to, to + length);
    this.bytes.fill(value, to, to + length);
    this.terms.fill(null, to, to + length);
  }
}
