// BLAKE2b and what is built on it.
import { baseline, simd128 } from "#kernels/blake2b";
import { baseline as lanesBaseline, simd128 as lanesSimd128 } from "#kernels/blake2b-lanes";
import type { Algorithm } from "../engine/algorithm.js";
import type { Hasher } from "../engine/hasher.js";
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

// The baseline build hashes over scalars, which V8 runs faster than rows before 12.8; Promise.try is as new as that.
const module = /* @__PURE__ */ new KernelModule({
  baseline,
  get simd128() {
    return "try" in Promise ? simd128 : baseline;
  },
});
const lanesModule = /* @__PURE__ */ new KernelModule({ baseline: lanesBaseline, simd128: lanesSimd128 });

/**
 * BLAKE2b (RFC 7693): digests of 1 to 64 bytes, keyed or not, with every parameter of the BLAKE2 paper's section 2.8.
 *
 * @example
 * toHex(blake2b("hello", { length: 32 }));
 */
export const blake2b: Algorithm<Blake2Options, Hasher, "blake2b"> = /* @__PURE__ */ defineBlake2({
  name: "blake2b",
  module,
  word: 8,
});

/**
 * BLAKE2bp (BLAKE2 paper, "Parallel hashing"): four leaves take the message's blocks in turn, side by side in the SIMD lanes.
 * Faster than BLAKE2b on long messages, and with digests of its own.
 *
 * @example
 * toHex(blake2bp(file, { length: 32 }));
 */
export const blake2bp: Algorithm<Blake2ParallelOptions, Hasher, "blake2bp"> = /* @__PURE__ */ defineBlake2Parallel({
  name: "blake2bp",
  module: lanesModule,
  word: 8,
});

/**
 * BLAKE2Xb (BLAKE2X paper): an output of any length, 1 to 2^32 - 2 bytes known beforehand, or read from `xof()` as needed.
 * The length is part of what is hashed: without `length` the output is another one, whose first 64 bytes are the digest.
 *
 * @example
 * blake2xb(seed, { length: 1000 }); // Uint8Array(1000)
 */
export const blake2xb: Algorithm<Blake2ExtendableOptions, ExtendableHasher, "blake2xb"> =
  /* @__PURE__ */ defineBlake2Extendable({
    name: "blake2xb",
    module: lanesModule,
    word: 8,
  });
