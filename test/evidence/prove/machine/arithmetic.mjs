// The instructions on integers that kernels use, on numbers. Words of 32 bits are signed numbers, those of 64 bits
// unsigned bigints.
export const u64 = (x) => BigInt.asUintN(64, x);
const i64 = (x) => BigInt.asIntN(64, x);
const rotate = (a, by) => u64((a << (by & 63n)) | (a >> ((64n - (by & 63n)) & 63n)));
const ones = (x) => x.toString(2).replaceAll("0", "").length;

/** By the bits of a word and the name behind its type. */
export const binary = {
  32: {
    eq: (a, b) => +(a === b),
    ne: (a, b) => +(a !== b),
    lt_s: (a, b) => +(a < b),
    lt_u: (a, b) => +(a >>> 0 < b >>> 0),
    gt_s: (a, b) => +(a > b),
    gt_u: (a, b) => +(a >>> 0 > b >>> 0),
    le_s: (a, b) => +(a <= b),
    le_u: (a, b) => +(a >>> 0 <= b >>> 0),
    ge_s: (a, b) => +(a >= b),
    ge_u: (a, b) => +(a >>> 0 >= b >>> 0),
    add: (a, b) => (a + b) | 0,
    sub: (a, b) => (a - b) | 0,
    mul: Math.imul,
    div_u: (a, b) => ((a >>> 0) / (b >>> 0)) | 0,
    rem_u: (a, b) => ((a >>> 0) % (b >>> 0)) | 0,
    and: (a, b) => a & b,
    or: (a, b) => a | b,
    xor: (a, b) => a ^ b,
    shl: (a, b) => a << b,
    shr_s: (a, b) => a >> b,
    shr_u: (a, b) => (a >>> b) | 0,
    rotl: (a, b) => (a << b) | (a >>> (32 - (b & 31))),
    rotr: (a, b) => (a >>> b) | (a << (32 - (b & 31))),
    min_s: Math.min,
    min_u: (a, b) => Math.min(a >>> 0, b >>> 0) | 0,
  },
  64: {
    eq: (a, b) => +(a === b),
    ne: (a, b) => +(a !== b),
    lt_s: (a, b) => +(i64(a) < i64(b)),
    lt_u: (a, b) => +(a < b),
    gt_s: (a, b) => +(i64(a) > i64(b)),
    gt_u: (a, b) => +(a > b),
    le_s: (a, b) => +(i64(a) <= i64(b)),
    le_u: (a, b) => +(a <= b),
    ge_s: (a, b) => +(i64(a) >= i64(b)),
    ge_u: (a, b) => +(a >= b),
    add: (a, b) => u64(a + b),
    sub: (a, b) => u64(a - b),
    mul: (a, b) => u64(a * b),
    and: (a, b) => a & b,
    or: (a, b) => a | b,
    xor: (a, b) => a ^ b,
    shl: (a, b) => u64(a << (b & 63n)),
    shr_s: (a, b) => u64(i64(a) >> (b & 63n)),
    shr_u: (a, b) => a >> (b & 63n),
    rotl: rotate,
    rotr: (a, b) => rotate(a, 64n - (b & 63n)),
  },
};

export const unary = {
  "i32.eqz": (a) => +(a === 0),
  "i64.eqz": (a) => +(a === 0n),
  "i32.clz": Math.clz32,
  "i32.ctz": (a) => (a === 0 ? 32 : 31 - Math.clz32(a & -a)),
  "i32.popcnt": (a) => ones(a >>> 0),
  "i64.clz": (a) => BigInt(64 - (a === 0n ? 0 : a.toString(2).length)),
  "i64.popcnt": (a) => BigInt(ones(a)),
  "i32.wrap_i64": (a) => Number(BigInt.asIntN(32, a)),
  "i64.extend_i32_s": (a) => u64(BigInt(a)),
  "i64.extend_i32_u": (a) => BigInt(a >>> 0),
  "i32.extend8_s": (a) => (a << 24) >> 24,
  "i32.extend16_s": (a) => (a << 16) >> 16,
};
