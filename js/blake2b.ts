// BLAKE2b and what is built on it.
import { baseline, simd128 } from "#kernels/blake2b";
import type { Algorithm } from "./algorithm.js";
import { type Blake2Options, defineBlake2 } from "./blake2.js";
import { KernelModule } from "./kernel.js";

const module = /* @__PURE__ */ new KernelModule({ baseline, simd128 });

/**
 * BLAKE2b (RFC 7693): digests of 1 to 64 bytes, keyed or not, with every parameter of the BLAKE2 paper's section 2.8.
 *
 * @example
 * toHex(blake2b("hello", { length: 32 }));
 */
export const blake2b: Algorithm<Blake2Options> = /* @__PURE__ */ defineBlake2({ name: "blake2b", module, word: 8 });
