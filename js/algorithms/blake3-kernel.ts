// BLAKE3's kernel, one for all parts of the package that compute BLAKE3.
import { baseline, simd128 } from "#kernels/blake3";
import { KernelModule } from "../engine/kernel-module.js";

export const module = /* @__PURE__ */ new KernelModule({ baseline, simd128 });
