// BLAKE2s and what is built on it.
import { baseline, simd128 } from "#kernels/blake2s";
import type { Algorithm } from "./algorithm.js";
import { type Blake2Options, defineBlake2 } from "./blake2.js";
import { KernelModule } from "./kernel.js";

const module = /* @__PURE__ */ new KernelModule({ baseline, simd128 });

/**
 * BLAKE2s (RFC 7693): digests of 1 to 32 bytes, keyed or not, with every parameter of the BLAKE2 paper's section 2.8.
 *
 * @example
 * toHex(blake2s("hello", { key: secret }));
 */
export const blake2s: Algorithm<Blake2Options> = /* @__PURE__ */ defineBlake2({ name: "blake2s", module, word: 4 });
