// There are no vectors in `blake-simd/javascript`, and so no shapes to choose.
import { describe } from "../../input/errors.js";

/** Returns 1: there are no vector operations here. */
export function vectorLatency(): 1 | 2 {
  return 1;
}

/**
 * Does nothing: there are no vector operations here.
 *
 * @param latency 1 or 2
 * @throws TypeError for any other value
 */
export function useVectorLatency(latency: 1 | 2): void {
  if (latency === 1 || latency === 2) return;
  throw new TypeError(`useVectorLatency: latency must be 1 or 2, got ${describe(latency)}`);
}

/** Does nothing. */
export const tune = (): void => {};
