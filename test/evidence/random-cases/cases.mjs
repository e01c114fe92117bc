// Random cases: an algorithm, options, a message, a build, and a way to hash. The seed and the number of a case give
// the case.
import { randomFrom } from "../random.mjs";

const LONGEST = 1 << 24;
const EDGES = [0, 64, 128, 256, 512, 1024, 2048, 4096, 16384, 65536, 66560, 131072, 1 << 20];
/** Random content is slow to make; longer messages are counting bytes. */
const LONGEST_RANDOM = 4096;
/** Engines compile kernels anew when the build changes. */
const CASES_OF_BUILD = 64;

/** Byte i is i modulo 251. */
export const counting = new Uint8Array(LONGEST + 251).map((_, i) => i % 251);

const salted =
  (length) =>
  ({ percent, randomBytes }) =>
    percent(50) ? { salt: randomBytes(length) } : {};

const keyed = ({ percent, between, randomBytes }, word) =>
  percent(50) ? { key: randomBytes(between(1, 8 * word)) } : {};

const tree = (word, { below, between, percent }) => ({
  fanout: between(0, 255),
  maxDepth: between(1, 255),
  maxLeafLength: below(2 ** 32),
  nodeOffset: below(2 ** 48),
  nodeDepth: below(256),
  innerHashLength: between(0, 8 * word),
  lastNode: percent(50),
});

const sequential = (word) => (random) => ({
  ...(random.percent(50) && { length: random.between(1, 8 * word) }),
  ...keyed(random, word),
  ...(random.percent(30) && { salt: random.randomBytes(2 * word) }),
  ...(random.percent(30) && { personal: random.randomBytes(2 * word) }),
  ...(random.percent(20) && tree(word, random)),
});

const parallel = (word) => (random) => ({
  ...(random.percent(50) && { length: random.between(1, 8 * word) }),
  ...keyed(random, word),
});

const extendable = (word) => (random) => ({
  length: random.oneOf([1, 8 * word, random.between(1, 300), random.between(1, 5000)]),
  ...keyed(random, word),
});

function blake3Options({ below, between, percent, randomBytes }) {
  const length = percent(50) ? { length: between(0, percent(80) ? 300 : 40_000) } : {};
  const mode = below(3);
  if (mode === 1) return { ...length, key: randomBytes(32) };
  if (mode === 2) return { ...length, context: `context ${below(1000)}` };
  return length;
}

export const optionsOf = {
  blake224: salted(16),
  blake256: salted(16),
  blake384: salted(32),
  blake512: salted(32),
  blake2b: sequential(8),
  blake2s: sequential(4),
  blake2bp: parallel(8),
  blake2sp: parallel(4),
  blake2xb: extendable(8),
  blake2xs: extendable(4),
  blake3: blake3Options,
};
export const names = Object.keys(optionsOf);
export const builds = ["baseline", "simd128"];
/** The cycles of a vector operation, by which the build with SIMD has its shapes. */
export const latencies = [1, 2];
export const ways = ["call", "into", "pieces", "many", "xof"];

function randomLength({ below, between, oneOf, percent }) {
  if (percent(3)) return below(LONGEST);
  return percent(50) ? below(3000) : Math.max(0, oneOf(EDGES) + between(-70, 70));
}

/** The case of a number; its `random` gives the choices of its way. */
export function caseOf(seed, number) {
  const random = randomFrom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(number, 0x85ebca6b));
  const name = random.oneOf(names);
  const options = optionsOf[name](random);
  const length = randomLength(random);
  const isCounting = length > LONGEST_RANDOM || random.percent(30);
  const message = isCounting ? counting.subarray(0, length) : random.randomBytes(length);
  const build = builds[Math.floor(number / CASES_OF_BUILD) % builds.length];
  const latency = latencies[number % 2];
  return { number, name, options, message, isCounting, build, latency, way: random.oneOf(ways), random };
}
