// The kernel of BLAKE3, shared by all parts of the package.
import { baseline, simd128 } from "#kernels/blake3";
import { KernelModule } from "../engine/kernel.js";
import { Latency } from "../engine/vector-latency.js";

export const module = /* @__PURE__ */ new KernelModule(
  { baseline, simd128 },
  (memory, exports) => new Latency(memory, exports),
);
