// Checks of a kernel by its exports alone, against plain implementations of the papers: digests, counters, what a state holds,
// what each call may write, and what it leaves of a secret. They need neither js/ nor vitest, so that `npm run mutate` can run
// them over a kernel that it has just compiled.

import * as blake1 from "../reference-blake1.ts";
import * as blake2 from "../reference-blake2.ts";
import { checkBlake1 } from "./blake1.ts";
import { checkBlake2, checkBlake2Lanes } from "./blake2.ts";
import { checkBlake3 } from "./blake3.ts";
import { open, type Watched } from "./memory.ts";
import { checkSubtreeKernel } from "./subtrees.ts";

export { known } from "./expectations.ts";
export { onEachCall } from "./memory.ts";

const checks: Record<string, (kernel: Watched) => void> = {
  blake256: (kernel) => checkBlake1(kernel, blake1.BLAKE256),
  blake512: (kernel) => checkBlake1(kernel, blake1.BLAKE512),
  blake2b: (kernel) => checkBlake2(kernel, blake2.BLAKE2B),
  blake2s: (kernel) => checkBlake2(kernel, blake2.BLAKE2S),
  "blake2b-lanes": (kernel) => checkBlake2Lanes(kernel, blake2.BLAKE2B),
  "blake2s-lanes": (kernel) => checkBlake2Lanes(kernel, blake2.BLAKE2S),
  blake3: checkBlake3,
};

/** Throws what is wrong with a kernel, the first thing that it finds. `module` is its name in wasm/build.mjs. */
export function checkModule(module: string, bytes: Uint8Array<ArrayBuffer>): void {
  if (module === "blake3-subtrees") checkSubtreeKernel(bytes);
  else checks[module]!(open(bytes));
}
