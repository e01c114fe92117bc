// The instructions of simd128 that kernels use, by their codes, on lanes of terms.
import { namesOf } from "./memory.mjs";
import { isLessUnsigned, isNumber, shiftRight } from "./ranges.mjs";
import { add, and, bytesOf, cat, isTerm, or, rotr, shl, xor } from "./terms.mjs";

/** Sixteen bytes as lanes of 4 or 8 bytes. */
export class Vector {
  constructor(size, lanes) {
    this.size = size;
    this.lanes = lanes;
  }
}

const cut = (bytes, size) => {
  const lanes = [];
  for (let i = 0; i < 16; i += size) lanes.push(cat(bytes.slice(i, i + size)));
  return lanes;
};
const bytesIn = (v) => v.lanes.flatMap((lane) => bytesOf(lane, v.size));
export const lanesOf = (v, size) => (v.size === size ? v.lanes : cut(bytesIn(v), size));
export const vectorOf = (bytes, size) => new Vector(size, cut(bytes, size));
export const splat = (size, v) => new Vector(size, new Array(16 / size).fill(v));
export const withLane = (v, size, lane, value) => new Vector(size, lanesOf(v, size).with(lane, value));

/** The number that an instruction needs: nothing unknown may decide what the machine does. */
export function known(v, what) {
  if (isTerm(v)) throw new Error(`${what} depends on ${namesOf(v)}`);
  return v;
}

const map = (size, change) => (a, b) => {
  const [x, y] = [lanesOf(a, size), lanesOf(b, size)];
  return new Vector(
    size,
    x.map((lane, i) => change(8 * size, lane, y[i])),
  );
};
// Lane by lane of the size that the vectors have: bits do not care.
const mapBits = (change) => (a, b) => map(Math.max(a.size, b.size), change)(a, b);
const not = (w, v) => xor(w, v, w === 64 ? 0xffffffffffffffffn : -1);
const subtract = (w, x, y) => add(w, x, y, -1);
const compare = (test) => map(4, (_, x, y) => (test(known(x, "a comparison"), known(y, "a comparison")) ? -1 : 0));
const less = compare((a, b) => a >>> 0 < b >>> 0);
const lessOfNumbers = map(4, (_, x, y) => (isLessUnsigned(x, y) ? -1 : 0));
const compute = (change) => map(4, (_, x, y) => change(known(x, "a product"), known(y, "a product")));

export const binary = {
  55: compare((a, b) => a === b),
  56: compare((a, b) => a !== b),
  57: compare((a, b) => a < b),
  58: (a, b) => ([...a.lanes, ...b.lanes].some(isNumber) ? lessOfNumbers : less)(a, b),
  59: compare((a, b) => a > b),
  60: compare((a, b) => a >>> 0 > b >>> 0),
  61: compare((a, b) => a <= b),
  62: compare((a, b) => a >>> 0 <= b >>> 0),
  78: mapBits(and),
  79: mapBits((w, x, y) => and(w, x, not(w, y))),
  80: mapBits(or),
  81: mapBits(xor),
  174: map(4, add),
  177: map(4, subtract),
  181: compute(Math.imul),
  182: compute(Math.min),
  183: compute((a, b) => Math.min(a >>> 0, b >>> 0) | 0),
  206: map(8, add),
  209: map(8, subtract),
};

const shift = (size, change) => (v, count) =>
  new Vector(
    size,
    lanesOf(v, size).map((lane) => change(8 * size, lane, known(count, "a shift") & (8 * size - 1))),
  );

export const shifts = { 171: shift(4, shl), 173: shift(4, shiftRight), 203: shift(8, shl), 205: shift(8, shiftRight) };
export const splats = { 17: 4, 18: 8 };
export const splatLoads = { 9: 4, 10: 8 };
/** Loads of a lane, with zeros above. */
export const zeroLoads = { 92: 4, 93: 8 };

/** For each lane of a shuffle the lane that it comes from, and by how many bits it is rotated; undefined if it is mixed. */
function lanePlaces(places, size) {
  const lanes = [];
  for (let at = 0; at < 16; at += size) {
    const first = places[at] - (places[at] % size);
    for (let i = 0; i < size; i++) if (places[at + i] !== first + ((places[at] + i) % size)) return undefined;
    lanes.push([first / size, 8 * (places[at] % size)]);
  }
  return lanes;
}

/** By the list of places, which belongs to an instruction or a table. */
const lanePlacesOf = new WeakMap();

/** The bytes of two vectors by their places: whole lanes where that suffices. */
export function shuffle(a, b, places) {
  const { size } = a;
  if (!lanePlacesOf.has(places)) lanePlacesOf.set(places, { 4: lanePlaces(places, 4), 8: lanePlaces(places, 8) });
  const lanes = lanePlacesOf.get(places)[size];
  if (lanes === undefined || b.size !== size) {
    const all = [...bytesIn(a), ...bytesIn(b)];
    return vectorOf(
      places.map((place) => all[place]),
      size,
    );
  }
  const all = [...a.lanes, ...b.lanes];
  return new Vector(
    size,
    lanes.map(([from, by]) => (by === 0 ? all[from] : rotr(8 * size, all[from], by))),
  );
}

const placesOf = new WeakMap();

/** A swizzle of known places: a byte beyond the vector is zero. */
export function swizzle(v, table) {
  if (!placesOf.has(table)) {
    const places = bytesIn(table).map((place) => Math.min(known(place, "a swizzle"), 16));
    placesOf.set(table, places);
  }
  return shuffle(v, splat(v.size, v.size === 8 ? 0n : 0), placesOf.get(table));
}

/** Bytes of the first where the mask is all ones, of the second where it is zero. */
export function select(a, b, mask) {
  const [x, y] = [bytesIn(a), bytesIn(b)];
  const chosen = bytesIn(mask).map((bits, i) => {
    if (known(bits, "a choice") !== 0 && bits !== 255) throw new Error("a choice within a byte is not known");
    return bits === 0 ? y[i] : x[i];
  });
  return vectorOf(chosen, a.size);
}
