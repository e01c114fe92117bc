// The kernels of BLAKE-256 and BLAKE-512.

import * as blake1 from "../reference-blake1.ts";
import { expected, hex, pattern, range } from "./expectations.ts";
import { HEAD, INPUT_SIZE, type Watched } from "./memory.ts";
import { absorb, checkFinalize, checkMode, cuts, init, type Mode, setCount } from "./modes.ts";

const ivOf = (variant: blake1.Variant, short: boolean): Uint8Array => {
  // SHA-2's initial values, which BLAKE has too.
  const values: Record<string, string> = {
    "4": "6a09e667bb67ae853c6ef372a54ff53a510e527f9b05688c1f83d9ab5be0cd19",
    "4 short": "c1059ed8367cd5073070dd17f70e5939ffc00b316858151164f98fa7befa4fa4",
    "8": "6a09e667f3bcc908bb67ae8584caa73b3c6ef372fe94f82ba54ff53a5f1d36f1510e527fade682d19b05688c2b3e6c1f1f83d9abfb41bd6b5be0cd19137e2179",
    "8 short":
      "cbbb9d5dc1059ed8629a292a367cd5079159015a3070dd17152fecd8f70e593967332667ffc00b318eb44a8768581511db0c2e0d64f98fa747b5481dbefa4fa4",
  };
  return Uint8Array.from(Buffer.from(values[`${variant.word}${short ? " short" : ""}`]!, "hex"));
};

function blake1Mode(variant: blake1.Variant, short: boolean, salt: Uint8Array): Mode {
  const { word } = variant;
  const block = 16 * word;
  const chain = ivOf(variant, short);
  const parametersOf = (own: Uint8Array) => Uint8Array.of(...chain, ...own, short ? 0 : 1, 0, 0, 0);
  return {
    name: `blake${(short ? 56 : 64) * word}, salt ${hex(salt).slice(0, 4)}`,
    parameters: parametersOf(salt),
    block,
    outputs: [(short ? (word === 4 ? 7 : 6) : 8) * word],
    lengths: [
      ...range(0, block + 2),
      ...range(2 * block - 2 * word - 2, 2 * block + 1),
      3 * block,
      4 * block + 5,
      1000,
    ],
    long: salt[0] ? [INPUT_SIZE, 2 * INPUT_SIZE + 300] : [],
    secret: (byte) => parametersOf(new Uint8Array(4 * word).fill(byte)),
    expected: (message, length) =>
      blake1.finish(variant, { chain, salt, done: 0n }, message, short ? 0 : 1).subarray(0, length),
    state: (length) => ({ size: HEAD + 12 * word + block, buffered: length % block, prefix: 0, flags: short ? 0 : 1 }),
    extendable: false,
  };
}

/** Counts near the carries of a counter of bits. */
function checkCountersOfBlake1(kernel: Watched, variant: blake1.Variant): void {
  const { word } = variant;
  const block = 16 * word;
  const salt = pattern(4 * word, 90);
  const mode = blake1Mode(variant, false, salt);
  const half = 1n << BigInt(8 * word - 3);
  for (const before of [
    half - BigInt(2 * block),
    half - BigInt(block),
    half,
    5n * half,
    (half << BigInt(8 * word)) - BigInt(4 * block),
  ]) {
    for (const length of [0, 1, block - 20, block, 2 * block + 3, 3 * block]) {
      const message = pattern(length);
      const from = { chain: ivOf(variant, false), salt, done: before };
      const wanted = expected(`${mode.name} ${length} after ${before}`, () => blake1.finish(variant, from, message, 1));
      for (const pieces of [[length + 1], cuts[length % 5]!]) {
        init(kernel, mode);
        setCount(kernel, before);
        absorb(kernel, message, pieces);
        checkFinalize(kernel, 0, wanted, `${mode.name}, ${length} bytes by ${pieces} after ${before}`);
      }
    }
  }
}

export function checkBlake1(kernel: Watched, variant: blake1.Variant): void {
  for (const short of [false, true]) {
    for (const salt of [new Uint8Array(4 * variant.word), pattern(4 * variant.word, 11)]) {
      checkMode(kernel, blake1Mode(variant, short, salt));
    }
  }
  checkCountersOfBlake1(kernel, variant);
}
