// The instructions of simd128 that the kernels use, by their codes. A vector is four words; what is secret of it is a mask with a
// bit for each byte.

const ALL = 0xffff;
const bytesOf = (words) => new Uint8Array(words.buffer);
const wordsOf = (bytes) => new Int32Array(new Uint8Array(bytes).buffer);
const zero = () => new Int32Array(4);

/** A lane is secret if one of its bytes is. */
const wholeLanes = (mask, size) => {
  if (mask === 0 || mask === ALL || size === 1) return mask;
  const lane = (1 << size) - 1;
  let result = 0;
  for (let at = 0; at < 16; at += size) if (mask & (lane << at)) result |= lane << at;
  return result;
};

/** The four lanes of 32 bits, each of its own. */
const map32 = (change) => [
  4,
  (a, b) => {
    const result = zero();
    for (let i = 0; i < 4; i++) result[i] = change(a[i], b[i]);
    return result;
  },
];
/** The two lanes of 64 bits. */
const map64 = (change) => [
  8,
  (a, b) => {
    const [x, y] = [new BigUint64Array(a.buffer), new BigUint64Array(b.buffer)];
    return new Int32Array(x.map((word, i) => change(word, y[i])).buffer);
  },
];
const truth = (test) => map32((a, b) => (test(a, b) ? -1 : 0));

/** Lanes of this many bytes, and what becomes of them. Bitwise operations keep bytes apart. */
const binary = {
  57: truth((a, b) => a < b),
  58: truth((a, b) => a >>> 0 < b >>> 0),
  59: truth((a, b) => a > b),
  60: truth((a, b) => a >>> 0 > b >>> 0),
  61: truth((a, b) => a <= b),
  62: truth((a, b) => a >>> 0 <= b >>> 0),
  78: [1, map32((a, b) => a & b)[1]],
  79: [1, map32((a, b) => a & ~b)[1]],
  80: [1, map32((a, b) => a | b)[1]],
  81: [1, map32((a, b) => a ^ b)[1]],
  174: map32((a, b) => (a + b) | 0),
  177: map32((a, b) => (a - b) | 0),
  181: map32(Math.imul),
  182: map32(Math.min),
  206: map64((a, b) => a + b),
  209: map64((a, b) => a - b),
};

/** Shifts by one count for all lanes. */
const shifts = {
  171: [4, (a, count) => a.map((word) => word << count)],
  172: [4, (a, count) => a.map((word) => word >> count)],
  173: [4, (a, count) => a.map((word) => word >>> count)],
  203: map64((a, count) => a << count),
  205: map64((a, count) => a >> count),
};

/** Where a lane of a number of bytes starts, for the instructions that name one. */
const lanesRead = { 27: 4, 29: 8 };
const lanesReplaced = { 28: 4, 30: 8 };
const splats = { 17: 4, 18: 8 };
const splatLoads = { 9: 4, 10: 8 };
const zeroLoads = { 92: 4, 93: 8 };
const laneLoads = { 86: 4, 87: 8 };
const laneStores = { 90: 4, 91: 8 };
const maskOf = (size) => (1 << size) - 1;

/** What follows an instruction's code. */
export function vectorArguments(op, reader) {
  const bytes = () => Array.from({ length: 16 }, () => reader.byte());
  if (op === 12) return { value: wordsOf(bytes()) };
  if (op === 13) return { lanes: bytes() };
  if (lanesRead[op] || lanesReplaced[op]) return { lane: reader.byte() };
  if (op <= 11 || (op >= 84 && op <= 93)) {
    reader.number();
    const n = reader.number();
    return laneLoads[op] || laneStores[op] ? { n, lane: reader.byte() } : { n };
  }
  return {};
}

function toBytes(value, size) {
  const words = zero();
  if (size === 8) new BigUint64Array(words.buffer)[0] = value;
  else words[0] = value;
  return bytesOf(words).subarray(0, size);
}

function replaced(vector, at, bytes) {
  const words = vector.slice();
  bytesOf(words).set(bytes, at);
  return words;
}

const repeated = (bytes) => wordsOf(Uint8Array.from({ length: 16 }, (_, i) => bytes[i % bytes.length]));
const repeatedMask = (mask, size) => (size === 4 ? mask * 0x1111 : mask * 0x0101);

function shuffled(a, b, lanes) {
  const [x, y, words] = [bytesOf(a), bytesOf(b), zero()];
  const result = bytesOf(words);
  for (let i = 0; i < 16; i++) result[i] = lanes[i] < 16 ? x[lanes[i]] : y[lanes[i] - 16];
  return words;
}
function shuffledMask(a, b, lanes) {
  let mask = 0;
  const both = a | (b << 16);
  if (both) for (let i = 0; i < 16; i++) mask |= ((both >>> lanes[i]) & 1) << i;
  return mask;
}

/**
 * Runs one instruction. `memory` loads and stores bytes and says which are secret; `check` throws if its first argument is set.
 */
export function runVector(ins, stack, memory, check) {
  const { simd: op, n, lane } = ins;
  const pop = () => stack.pop();
  const address = () => {
    const [value, secret] = pop();
    check(secret, "an address");
    return (value >>> 0) + n;
  };
  if (binary[op]) {
    const [[b, t], [a, s]] = [pop(), pop()];
    const [size, change] = binary[op];
    stack.push([change(a, b), wholeLanes(s | t, size)]);
  } else if (shifts[op]) {
    const [[count, t], [a, s]] = [pop(), pop()];
    const [size, change] = shifts[op];
    const by =
      size === 8 ? new Int32Array(BigUint64Array.of(BigInt(count & 63), BigInt(count & 63)).buffer) : count & 31;
    stack.push([change(a, by), t ? ALL : wholeLanes(s, size)]);
  } else if (op === 0) {
    stack.push(((at) => [wordsOf(memory.bytes(at, 16)), memory.mask(at, 16)])(address()));
  } else if (op === 11) {
    const [value, secret] = pop();
    memory.store(address(), bytesOf(value), secret);
  } else if (splatLoads[op] || zeroLoads[op]) {
    const size = splatLoads[op] ?? zeroLoads[op];
    const at = address();
    const [bytes, mask] = [memory.bytes(at, size), memory.mask(at, size)];
    if (splatLoads[op]) stack.push([repeated(bytes), repeatedMask(mask, size)]);
    else stack.push([replaced(zero(), 0, bytes), mask]);
  } else if (laneLoads[op]) {
    const [vector, secret] = pop();
    const [size, at] = [laneLoads[op], address()];
    const kept = secret & ~(maskOf(size) << (lane * size));
    stack.push([
      replaced(vector, lane * size, memory.bytes(at, size)),
      kept | (memory.mask(at, size) << (lane * size)),
    ]);
  } else if (laneStores[op]) {
    const [vector, secret] = pop();
    const [size, at] = [laneStores[op], address()];
    const first = lane * size;
    memory.store(at, bytesOf(vector).subarray(first, first + size), (secret >> first) & maskOf(size));
  } else if (op === 12) {
    stack.push([ins.value, 0]);
  } else if (op === 13) {
    const [[b, t], [a, s]] = [pop(), pop()];
    stack.push([shuffled(a, b, ins.lanes), shuffledMask(s, t, ins.lanes)]);
  } else if (op === 14) {
    const [[places, t], [a, s]] = [pop(), pop()];
    check(t, "a swizzle's table of places");
    const lanes = bytesOf(places).map((place) => Math.min(place, 16));
    stack.push([shuffled(a, zero(), lanes), shuffledMask(s, 0, lanes)]);
  } else if (splats[op]) {
    const [[value, secret], size] = [pop(), splats[op]];
    stack.push([repeated(toBytes(value, size)), secret ? ALL : 0]);
  } else if (lanesRead[op]) {
    const [[vector, secret], size] = [pop(), lanesRead[op]];
    const value = size === 4 ? vector[lane] : new BigUint64Array(vector.buffer)[lane];
    stack.push([value, secret & (maskOf(size) << (lane * size)) ? 1 : 0]);
  } else if (lanesReplaced[op]) {
    const [[value, t], [vector, s], size] = [pop(), pop(), lanesReplaced[op]];
    const own = maskOf(size) << (lane * size);
    stack.push([replaced(vector, lane * size, toBytes(value, size)), (s & ~own) | (t ? own : 0)]);
  } else if (op === 82) {
    const [[choice, u], [b, t], [a, s]] = [pop(), pop(), pop()];
    stack.push([a.map((word, i) => (word & choice[i]) | (b[i] & ~choice[i])), s | t | u]);
  } else throw new Error(`vector instruction ${op} is not known`);
}
