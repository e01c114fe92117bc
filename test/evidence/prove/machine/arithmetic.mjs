// The instructions of WebAssembly on integers that the kernels use, by their codes. Words of 32 bits are signed numbers, those of
// 64 bits unsigned bigints.
export const u64 = (x) => BigInt.asUintN(64, x);
const i64 = (x) => BigInt.asIntN(64, x);

export const binary32 = {
  70: (a, b) => +(a === b),
  71: (a, b) => +(a !== b),
  72: (a, b) => +(a < b),
  73: (a, b) => +(a >>> 0 < b >>> 0),
  74: (a, b) => +(a > b),
  75: (a, b) => +(a >>> 0 > b >>> 0),
  76: (a, b) => +(a <= b),
  77: (a, b) => +(a >>> 0 <= b >>> 0),
  78: (a, b) => +(a >= b),
  79: (a, b) => +(a >>> 0 >= b >>> 0),
  106: (a, b) => (a + b) | 0,
  107: (a, b) => (a - b) | 0,
  108: Math.imul,
  110: (a, b) => ((a >>> 0) / (b >>> 0)) | 0,
  112: (a, b) => ((a >>> 0) % (b >>> 0)) | 0,
  113: (a, b) => a & b,
  114: (a, b) => a | b,
  115: (a, b) => a ^ b,
  116: (a, b) => a << b,
  117: (a, b) => a >> b,
  118: (a, b) => (a >>> b) | 0,
  119: (a, b) => (a << b) | (a >>> (32 - (b & 31))),
  120: (a, b) => (a >>> b) | (a << (32 - (b & 31))),
};
const rotate = (a, by) => u64((a << (by & 63n)) | (a >> ((64n - (by & 63n)) & 63n)));
export const binary64 = {
  81: (a, b) => +(a === b),
  82: (a, b) => +(a !== b),
  83: (a, b) => +(i64(a) < i64(b)),
  84: (a, b) => +(a < b),
  85: (a, b) => +(i64(a) > i64(b)),
  86: (a, b) => +(a > b),
  87: (a, b) => +(i64(a) <= i64(b)),
  88: (a, b) => +(a <= b),
  89: (a, b) => +(i64(a) >= i64(b)),
  90: (a, b) => +(a >= b),
  124: (a, b) => u64(a + b),
  125: (a, b) => u64(a - b),
  126: (a, b) => u64(a * b),
  131: (a, b) => a & b,
  132: (a, b) => a | b,
  133: (a, b) => a ^ b,
  134: (a, b) => u64(a << (b & 63n)),
  135: (a, b) => u64(i64(a) >> (b & 63n)),
  136: (a, b) => a >> (b & 63n),
  137: rotate,
  138: (a, b) => rotate(a, 64n - (b & 63n)),
};
const ones = (x) => x.toString(2).replaceAll("0", "").length;
export const unary = {
  69: (a) => +(a === 0),
  80: (a) => +(a === 0n),
  103: Math.clz32,
  104: (a) => (a === 0 ? 32 : 31 - Math.clz32(a & -a)),
  105: (a) => ones(a >>> 0),
  121: (a) => BigInt(64 - (a === 0n ? 0 : a.toString(2).length)),
  123: (a) => BigInt(a === 0n ? 0 : ones(a)),
  167: (a) => Number(BigInt.asIntN(32, a)),
  172: (a) => u64(BigInt(a)),
  173: (a) => BigInt(a >>> 0),
  192: (a) => (a << 24) >> 24,
  193: (a) => (a << 16) >> 16,
};
/** Bytes in memory, and how they become a value. */
export const loads = {
  40: [4, (v, a) => v.getInt32(a, true)],
  41: [8, (v, a) => v.getBigUint64(a, true)],
  44: [1, (v, a) => v.getInt8(a)],
  45: [1, (v, a) => v.getUint8(a)],
  46: [2, (v, a) => v.getInt16(a, true)],
  47: [2, (v, a) => v.getUint16(a, true)],
  48: [1, (v, a) => u64(BigInt(v.getInt8(a)))],
  49: [1, (v, a) => BigInt(v.getUint8(a))],
  50: [2, (v, a) => u64(BigInt(v.getInt16(a, true)))],
  51: [2, (v, a) => BigInt(v.getUint16(a, true))],
  52: [4, (v, a) => u64(BigInt(v.getInt32(a, true)))],
  53: [4, (v, a) => BigInt(v.getUint32(a, true))],
};
const low = (x) => Number(BigInt.asIntN(32, x));
export const stores = {
  54: [4, (v, a, x) => v.setInt32(a, x, true)],
  55: [8, (v, a, x) => v.setBigUint64(a, x, true)],
  58: [1, (v, a, x) => v.setInt8(a, x)],
  59: [2, (v, a, x) => v.setInt16(a, x, true)],
  60: [1, (v, a, x) => v.setInt8(a, low(x))],
  61: [2, (v, a, x) => v.setInt16(a, low(x), true)],
  62: [4, (v, a, x) => v.setInt32(a, low(x), true)],
};
