import { baseline, simd128 } from "#kernels/blake2b";
import { baseline as lanesBaseline, simd128 as lanesSimd128 } from "#kernels/blake2b-lanes";
import type { Algorithm } from "../engine/algorithm.js";
import type { Hasher } from "../engine/hasher.js";
import { kernelOf } from "../engine/kernel.js";
import type { ExtendableHasher } from "../engine/xof.js";
import {
  type Blake2ExtendableOptions,
  type Blake2Options,
  type Blake2ParallelOptions,
  defineBlake2,
  defineBlake2Extendable,
  defineBlake2Parallel,
} from "./blake2.js";

const kernels = /* @__PURE__ */ kernelOf({ baseline, simd128 });
const lanesKernels = /* @__PURE__ */ kernelOf({ baseline: lanesBaseline, simd128: lanesSimd128 });

/**
 * Hashes `input` with BLAKE2b (RFC 7693) and returns 64 bytes, or 1 to 64 by the option `length`. The other options are
 * a `key` and every parameter of the BLAKE2 paper's section 2.8.
 *
 * @example
 * toHex(blake2b("hello", { length: 32 }));
 */
export const blake2b: Algorithm<Blake2Options, Hasher, "blake2b"> = /* @__PURE__ */ defineBlake2({
  name: "blake2b",
  kernels,
  word: 8,
});

/**
 * Hashes `input` with BLAKE2bp (BLAKE2 paper, "Parallel hashing") and returns 64 bytes, or 1 to 64 by the option
 * `length`. Four leaves hash the message's blocks in turn, in parallel. This is faster than BLAKE2b on long messages;
 * the digests differ.
 *
 * @example
 * toHex(blake2bp(message, { length: 32 }));
 */
export const blake2bp: Algorithm<Blake2ParallelOptions, Hasher, "blake2bp"> = /* @__PURE__ */ defineBlake2Parallel({
  name: "blake2bp",
  kernels: lanesKernels,
  word: 8,
});

/**
 * Hashes `input` with BLAKE2Xb (BLAKE2X paper) and returns as many bytes as the option `length` says, 1 to 2^32 - 2.
 * The length is hashed too, so outputs of different lengths share nothing. Without `length`, the digest is the first 64
 * bytes of the output that `xof()` reads.
 *
 * @example
 * blake2xb(seed, { length: 1000 }); // Uint8Array(1000)
 */
export const blake2xb: Algorithm<Blake2ExtendableOptions, ExtendableHasher, "blake2xb"> =
  /* @__PURE__ */ defineBlake2Extendable({
    name: "blake2xb",
    kernels: lanesKernels,
    word: 8,
  });
