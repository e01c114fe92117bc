// The instructions of simd128 that kernels use, on lanes of terms.
import { known } from "./memory.mjs";
import { binary } from "./operations.mjs";
import { and, bytesOf, cat, or, rotr, xor } from "./terms.mjs";

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
const vectorOf = (bytes, size) => new Vector(size, cut(bytes, size));
export const splat = (size, v) => new Vector(size, new Array(16 / size).fill(v));
export const withLane = (v, size, lane, value) => new Vector(size, lanesOf(v, size).with(lane, value));

// ---- lane by lane ----

const SIZES = { i32x4: 4, i64x2: 8 };

const each = (size, change) => (a, b) => {
  const [x, y] = [lanesOf(a, size), lanesOf(b, size)];
  return new Vector(
    size,
    x.map((lane, i) => change(lane, y[i])),
  );
};
/** Lanes of the size that the vectors have: bits do not care. */
const bits = (change) => (a, b) => {
  const size = Math.max(a.size, b.size);
  return each(size, (x, y) => change(8 * size, x, y))(a, b);
};
const not = (w, v) => xor(w, v, w === 64 ? 0xffffffffffffffffn : -1);

/** The instructions of these names on lanes of a type, which `of` makes of those on one lane. */
const table = (type, names, of) =>
  Object.fromEntries(
    names.split(" ").map((name) => [`${type}.${name}`, of(SIZES[type], binary(8 * SIZES[type], name))]),
  );
/** All ones if it is true. */
const compared = (size, compare) => each(size, (a, b) => 0 - known(compare(a, b), "a comparison"));
const shifted = (size, shift) => (v, count) => {
  const by = size === 8 ? BigInt(known(count, "a shift")) : count;
  return new Vector(
    size,
    lanesOf(v, size).map((lane) => shift(lane, by)),
  );
};

// ---- bytes and lanes to other places ----

/**
 * For each lane of a shuffle the lane that it comes from, and by how many bits it is rotated; undefined if it is mixed.
 */
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
function shuffle(a, b, places) {
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
function swizzle(v, table) {
  if (!placesOf.has(table)) {
    const places = bytesIn(table).map((place) => Math.min(known(place, "a swizzle"), 16));
    placesOf.set(table, places);
  }
  return shuffle(v, splat(v.size, v.size === 8 ? 0n : 0), placesOf.get(table));
}

/** Bytes of the first where the mask is all ones, of the second where it is zero. */
function select(a, b, mask) {
  const [x, y] = [bytesIn(a), bytesIn(b)];
  const chosen = bytesIn(mask).map((bits, i) => {
    if (known(bits, "a choice") !== 0 && bits !== 255) throw new Error("a choice within a byte is not known");
    return bits === 0 ? y[i] : x[i];
  });
  return vectorOf(chosen, a.size);
}

/** The instructions on vectors that do not touch memory, by their names. */
const operations = {
  ...table("i32x4", "eq ne lt_s lt_u gt_s gt_u le_s le_u ge_s ge_u", compared),
  ...table("i32x4", "add sub mul min_s min_u", each),
  ...table("i32x4", "shl shr_u", shifted),
  ...table("i64x2", "add sub", each),
  ...table("i64x2", "shl shr_u", shifted),
  "i32x4.splat": (v) => splat(4, v),
  "i64x2.splat": (v) => splat(8, v),
  "v128.and": bits(and),
  "v128.andnot": bits((w, x, y) => and(w, x, not(w, y))),
  "v128.or": bits(or),
  "v128.xor": bits(xor),
  "v128.bitselect": select,
  "i8x16.swizzle": swizzle,
};
/** Those that have a lane or bytes in them. */
const others = {
  "v128.const": ({ bytes }, word) => {
    const constant = vectorOf(bytes, word);
    return () => constant;
  },
  "i8x16.shuffle":
    ({ bytes }) =>
    (a, b) =>
      shuffle(a, b, bytes),
  "i32x4.extract_lane":
    ({ lane }) =>
    (v) =>
      lanesOf(v, 4)[lane],
  "i64x2.extract_lane":
    ({ lane }) =>
    (v) =>
      lanesOf(v, 8)[lane],
  "i32x4.replace_lane":
    ({ lane }) =>
    (v, value) =>
      withLane(v, 4, lane, value),
  "i64x2.replace_lane":
    ({ lane }) =>
    (v, value) =>
      withLane(v, 8, lane, value),
};
export const onVectors = (ins, word) => operations[ins.op] ?? others[ins.op]?.(ins, word);
