// Merges many chaining values at once, level by level in the SIMD lanes: a call for each pair takes ten times as long.
import { copyOf, secretBytes } from "../input/caller-bytes.js";
import { leftLeaves, VALUE } from "./geometry.js";
import { MAX_VALUES } from "./kernel.js";
import { treeKernel } from "./module.js";

/** Values merged by one call: a power of 2, so that all runs but the last are whole subtrees. */
const RUN_SIZE = MAX_VALUES * VALUE;
const MODE = 0;

/** The chaining values of two neighbours. */
export type Pair = readonly [left: Uint8Array, right: Uint8Array];

/**
 * Returns the chaining value of the subtree that neighbours make (BLAKE3 paper, section 2.1).
 *
 * @param mode as `modeBytes` returns it
 * @param values one after the other, from left to right; all but the last one of whole subtrees of one length
 */
export function mergeValues(mode: Uint8Array, values: Uint8Array): Uint8Array<ArrayBuffer> {
  if (values.length === VALUE) return copyOf(values);
  const merged = secretBytes(Math.ceil(values.length / RUN_SIZE) * VALUE);
  treeKernel.run((kernel) => {
    kernel.putMode(MODE, mode);
    for (let at = 0; at < values.length; at += RUN_SIZE) {
      const run = values.subarray(at, at + RUN_SIZE);
      kernel.putValues(run, 0);
      kernel.merge(MODE, 0, run.length / VALUE);
      merged.set(kernel.values(0, 1), (at / RUN_SIZE) * VALUE);
    }
  });
  if (merged.length === VALUE) return merged;
  try {
    return mergeValues(mode, merged);
  } finally {
    merged.fill(0);
  }
}

/** Passes the values of the two subtrees under the root of at least two neighbours to `use`, and wipes them. */
export function withHalves<T>(mode: Uint8Array, values: Uint8Array, use: (halves: Pair) => T): T {
  const middle = leftLeaves(values.length / VALUE) * VALUE;
  const halves: Uint8Array[] = [];
  try {
    for (const half of [values.subarray(0, middle), values.subarray(middle)]) halves.push(mergeValues(mode, half));
    return use(halves as unknown as Pair);
  } finally {
    for (const half of halves) half.fill(0);
  }
}
