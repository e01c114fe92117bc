// The one build of `blake-simd/javascript`.
import { describe } from "../../input/errors.js";

export type { Backend, BackendListener } from "../../engine/backend.js";

/** Never told: the build does not change here. */
export const backendListeners = /* @__PURE__ */ new Set<object>();

/** Returns the build in use: `"javascript"`. */
export function backend(): "javascript" {
  return "javascript";
}

/**
 * Does nothing: the build is always `"javascript"` here.
 *
 * @param name `"javascript"`
 * @throws TypeError for any other name
 */
export function useBackend(name: "javascript"): void {
  if (name === "javascript") return;
  throw new TypeError(
    `useBackend: name must be "javascript" in blake-simd/javascript, which has no other build, got ${describe(name)}`,
  );
}
