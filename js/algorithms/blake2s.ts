import { baseline, simd128 } from "#kernels/blake2s";
import { baseline as lanesBaseline, simd128 as lanesSimd128 } from "#kernels/blake2s-lanes";
import type { Algorithm } from "../engine/algorithm.js";
import type { Hasher } from "../engine/hasher.js";
import { type InLanes, kernelOf } from "../engine/kernel.js";
import type { ExtendableHasher } from "../engine/xof.js";
import {
  type Blake2ExtendableOptions,
  type Blake2Options,
  type Blake2ParallelOptions,
  defineBlake2,
  defineBlake2Extendable,
  defineBlake2Parallel,
} from "./blake2.js";
import { sideBySide } from "./side-by-side.js";

const kernels = /* @__PURE__ */ kernelOf({ baseline, simd128 });
const lanesKernels = /* @__PURE__ */ kernelOf({ baseline: lanesBaseline, simd128: lanesSimd128 });

/**
 * Hashes `input` with BLAKE2s (RFC 7693) and returns 32 bytes, or 1 to 32 by the option `length`. The other options are
 * a `key` and every parameter of the BLAKE2 paper's section 2.8.
 *
 * `many` hashes several messages of 65 to 16384 bytes at a time with the code of BLAKE2sp. A program includes that code
 * if it is not bundled, or if its bundle uses `blake2sp`; otherwise `many` hashes the messages one by one.
 *
 * @example
 * toHex(blake2s("hello", { key }));
 */
export const blake2s: Algorithm<Blake2Options, Hasher, "blake2s"> = /* @__PURE__ */ defineBlake2({
  name: "blake2s",
  kernels,
  word: 4,
  inLanes: (...args) => inLanes?.(...args),
});

/** Hashes the messages of `blake2s.many` in a program that includes BLAKE2sp's kernel. */
let inLanes: InLanes | undefined;

/**
 * Hashes `input` with BLAKE2sp (BLAKE2 paper, "Parallel hashing") and returns 32 bytes, or 1 to 32 by the option
 * `length`. Eight leaves hash the message's blocks in turn, in parallel. This is faster than BLAKE2s on long messages;
 * the digests differ.
 *
 * @example
 * toHex(blake2sp(message, { length: 32 }));
 */
export const blake2sp: Algorithm<Blake2ParallelOptions, Hasher, "blake2sp"> = /* @__PURE__ */ defineBlake2sp();

function defineBlake2sp(): Algorithm<Blake2ParallelOptions, Hasher, "blake2sp"> {
  // Messages of one block gain nothing, and the kernel takes no empty ones.
  const batch = sideBySide(65, 16384);
  inLanes = (_, messages, units, parameters, digests) =>
    lanesKernels.run((kernel) => {
      kernel.load(parameters);
      batch(kernel, messages, units, parameters, digests);
    });
  return defineBlake2Parallel({ name: "blake2sp", kernels: lanesKernels, word: 4 });
}

/**
 * Hashes `input` with BLAKE2Xs (BLAKE2X paper) and returns as many bytes as the option `length` says, 1 to 65534. The
 * length is hashed too, so outputs of different lengths share nothing. Without `length`, the digest is the first 32
 * bytes of the output that `xof()` reads.
 *
 * @example
 * blake2xs(seed, { length: 1000 }); // Uint8Array(1000)
 */
export const blake2xs: Algorithm<Blake2ExtendableOptions, ExtendableHasher, "blake2xs"> =
  /* @__PURE__ */ defineBlake2Extendable({
    name: "blake2xs",
    kernels: lanesKernels,
    word: 4,
  });
