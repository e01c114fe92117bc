// The checks of all kernels, by the names of modules in wasm/build.mjs.
import { checkKernel } from "./kernel-checks.ts";
import { checkSubtreeKernel } from "./subtree-kernel-checks.ts";

export { known, onEachCall } from "./kernel-checks.ts";

/** Throws what is wrong with a kernel, the first thing that it finds. */
export function checkModule(module: string, bytes: Uint8Array<ArrayBuffer>): void {
  if (module === "blake3-subtrees") checkSubtreeKernel(bytes);
  else checkKernel(module, bytes);
}
