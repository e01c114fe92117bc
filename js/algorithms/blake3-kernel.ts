// The kernel of BLAKE3, shared by all parts of the package.
import { baseline, simd128 } from "#kernels/blake3";
import { kernelOf } from "../engine/kernel.js";
import { tune } from "../engine/vector-latency.js";

export const kernels = /* @__PURE__ */ kernelOf({ baseline, simd128 }, tune);
