// BLAKE2s and what is built on it.
import { baseline, simd128 } from "#kernels/blake2s";
import { baseline as lanesBaseline, simd128 as lanesSimd128 } from "#kernels/blake2s-lanes";
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
import { sideBySide } from "./blake2-many.js";

const module = /* @__PURE__ */ new KernelModule({ baseline, simd128 });
const lanesModule = /* @__PURE__ */ new KernelModule({ baseline: lanesBaseline, simd128: lanesSimd128 });

/**
 * BLAKE2s (RFC 7693): digests of 1 to 32 bytes, keyed or not, with every parameter of the BLAKE2 paper's section 2.8.
 *
 * `many` hashes several messages side by side in the SIMD lanes of BLAKE2sp's kernel. A program has that kernel if it is not
 * bundled, or if its bundle uses `blake2sp`; a bundle of `blake2s` alone hashes one message after the other.
 *
 * @example
 * toHex(blake2s("hello", { key: secret }));
 */
export const blake2s: Algorithm<Blake2Options, Hasher, "blake2s"> = /* @__PURE__ */ defineBlake2(
  { name: "blake2s", module, word: 4 },
  { faster: () => manyInLanes },
);

/** What `blake2s.many` does in a program that has BLAKE2sp's kernel. */
let manyInLanes: Algorithm<Blake2Options>["many"] | undefined;

/**
 * BLAKE2sp (BLAKE2 paper, "Parallel hashing"): eight leaves take the message's blocks in turn, side by side in the SIMD lanes.
 * Faster than BLAKE2s on long messages, and with digests of its own.
 *
 * @example
 * toHex(blake2sp(file, { length: 32 }));
 */
export const blake2sp: Algorithm<Blake2ParallelOptions, Hasher, "blake2sp"> = /* @__PURE__ */ defineBlake2sp();

function defineBlake2sp(): Algorithm<Blake2ParallelOptions, Hasher, "blake2sp"> {
  manyInLanes = defineBlake2({ name: "blake2s", module: lanesModule, word: 4 }, { sideBySide }).many;
  return defineBlake2Parallel({ name: "blake2sp", module: lanesModule, word: 4 });
}

/**
 * BLAKE2Xs (BLAKE2X paper): an output of any length, 1 to 65534 bytes known beforehand, or read from `xof()` as needed.
 * The length is part of what is hashed: without `length` the output is another one, whose first 32 bytes are the digest.
 *
 * @example
 * blake2xs(seed, { length: 1000 }); // Uint8Array(1000)
 */
export const blake2xs: Algorithm<Blake2ExtendableOptions, ExtendableHasher, "blake2xs"> =
  /* @__PURE__ */ defineBlake2Extendable({
    name: "blake2xs",
    module: lanesModule,
    word: 4,
  });
