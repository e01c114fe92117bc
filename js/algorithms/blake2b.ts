// BLAKE2b and what is built on it.
import { baseline, simd128 } from "#kernels/blake2b";
import type { Algorithm } from "../engine/algorithm.js";
import { KernelModule } from "../engine/kernel-module.js";
import type { ExtendableHasher } from "../engine/xof.js";
import {
  type Blake2ExtendableOptions,
  type Blake2Options,
  type Blake2ParallelOptions,
  defineBlake2,
  defineBlake2Extendable,
  defineBlake2Parallel,
} from "./blake2.js";

const module = /* @__PURE__ */ new KernelModule({ baseline, simd128 });

/**
 * BLAKE2b (RFC 7693): digests of 1 to 64 bytes, keyed or not, with every parameter of the BLAKE2 paper's section 2.8.
 *
 * @example
 * toHex(blake2b("hello", { length: 32 }));
 */
export const blake2b: Algorithm<Blake2Options> = /* @__PURE__ */ defineBlake2({ name: "blake2b", module, word: 8 });

/**
 * BLAKE2bp (BLAKE2 paper, "Parallel hashing"): four leaves take the message's blocks in turn, side by side in the SIMD lanes.
 * Faster than BLAKE2b on long messages, and with digests of its own.
 *
 * @example
 * toHex(blake2bp(file, { length: 32 }));
 */
export const blake2bp: Algorithm<Blake2ParallelOptions> = /* @__PURE__ */ defineBlake2Parallel({
  name: "blake2bp",
  module,
  word: 8,
});

/**
 * BLAKE2Xb (BLAKE2X paper): an output of any length, 1 to 2^32 - 2 bytes known beforehand, or read from `xof()` as needed.
 * The length is part of what is hashed: without `length` the output is another one, whose first 64 bytes are the digest.
 *
 * @example
 * blake2xb(seed, { length: 1000 }); // Uint8Array(1000)
 */
export const blake2xb: Algorithm<Blake2ExtendableOptions, ExtendableHasher> = /* @__PURE__ */ defineBlake2Extendable({
  name: "blake2xb",
  module,
  word: 8,
});
