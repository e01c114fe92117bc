// Measures what a call leaves on the heap, until it is less than the environment variable NOTHING says; builds differ
// in no array. test/engine/no-garbage.test.ts runs it in a separate process, with --expose-gc, --min-semi-space-size=64
// and --max-semi-space-size=64.
//
// The young generation is so large that nothing is collected while a round runs: what the heap has gained is what the
// calls have allocated, garbage included. Prints a JSON object, name -> bytes per call: nothing where a round leaves
// nothing, else the least of all rounds, since an engine that optimises a function in the middle of one allocates too.
import * as blake from "blake-simd";
import * as typed from "blake-simd/typed";

const { blake2b, blake2s, blake3 } = blake;

const CALLS = 4000;
const MOST_ROUNDS = 20;
const NOTHING = Number(process.env.NOTHING);

const input = new Uint8Array(200).fill(1);
const inputs = Array(8).fill(input);
const LARGEST = 2n ** 64n - 1n;
const large = new Uint8Array(3000).fill(2);
const output = new Uint8Array(64);
const long = new Uint8Array(1000);
const longer = new Uint8Array(40_000);
const key = new Uint8Array(32).fill(3);
const cases = {};

for (const algorithm of Object.values(blake.algorithms)) {
  const name = algorithm.algorithm;
  const hasher = algorithm.create();
  const output = new Uint8Array(algorithm.digestLength);
  cases[`${name} into`] = () => algorithm.into(input, output);
  cases[`${name} into itself`] = () => algorithm.into(output, output);
  cases[`${name} into, large`] = () => algorithm.into(large, output);
  cases[`${name} update`] = () => hasher.update(input);
  cases[`${name} digestInto`] = () => hasher.digestInto(output);
  cases[`${name} reset, update, digestInto`] = () => hasher.reset().update(input).digestInto(output);
  cases[`${name} integers`] = () => {
    typed.updateUint8(hasher, 7);
    typed.updateUint16LE(hasher, 7);
    typed.updateUint16BE(hasher, 7);
    typed.updateUint32LE(hasher, 3e9);
    typed.updateUint32BE(hasher, 3e9);
  };
  cases[`${name} bigints`] = () => {
    typed.updateUint64LE(hasher, 7n);
    typed.updateUint64BE(hasher, LARGEST);
  };
  cases[`${name} floats`] = () => {
    typed.updateFloat32LE(hasher, 0.5);
    typed.updateFloat32BE(hasher, Number.NaN);
    typed.updateFloat64LE(hasher, 1e300);
    typed.updateFloat64BE(hasher, -0);
  };
}

const options = {
  "blake2b into, key and length": [blake2b, { key, length: 32 }],
  "blake2b into, every option": [
    blake2b,
    {
      key,
      length: 32,
      salt: key.subarray(16),
      personal: key.subarray(16),
      nodeOffset: 7,
      nodeDepth: 1,
      lastNode: true,
    },
  ],
  "blake2s into, key": [blake2s, { key }],
  "blake3 into, key": [blake3, { key }],
  "blake3 into, context": [blake3, { context: key }],
};
for (const [name, [algorithm, chosen]] of Object.entries(options)) {
  cases[name] = () => algorithm.into(input, output, chosen);
}
const longOptions = { length: 1000 };
const longerOptions = { length: 40_000 };
cases["blake3 into, length 1000"] = () => blake3.into(input, long, longOptions);

// What allocates: digests that are returned, and a reader of output that is longer than OUTPUT.
for (const algorithm of Object.values(blake.algorithms)) {
  cases[`returned: ${algorithm.algorithm}`] = () => algorithm(input);
  cases[`returned: ${algorithm.algorithm} many`] = () => algorithm.many(inputs);
}
cases["reader: blake3 into, length 40000"] = () => blake3.into(input, longer, longerOptions);

function used() {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function round(call) {
  globalThis.gc();
  const before = used();
  for (let i = 0; i < CALLS; i++) call();
  return (used() - before) / CALLS;
}

function measure(call, rounds) {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < rounds && least >= NOTHING; i++) least = Math.min(least, round(call));
  return least;
}

// Until its code is optimized, which a busy machine delays, a call takes 56 bytes more.
function roundsOf(name) {
  if (/ many$|^reader: /.test(name)) return 2;
  return name.startsWith("returned: ") ? 6 : MOST_ROUNDS;
}

const results = Object.entries(cases).map(([name, call]) => [name, measure(call, roundsOf(name))]);
console.log(JSON.stringify(Object.fromEntries(results), null, 2));
