// Runs a suite on both builds.
import { type Backend, useBackend } from "blake-simd";
import { beforeEach, describe } from "vitest";

export const BACKENDS: readonly Backend[] = ["simd128", "baseline"];

/** One `describe` for each build; every test in it starts on that build. */
export function eachBackend(suite: (backend: Backend) => void): void {
  describe.each(BACKENDS)("%s", (backend) => {
    beforeEach(() => useBackend(backend));
    suite(backend);
  });
}
