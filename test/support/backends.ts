// Runs a suite on both builds, and on each shape of the one with vectors: a processor has only one of them.
import { type Backend, useBackend, useVectorLatency } from "blake-simd";
import { beforeEach, describe } from "vitest";

export const BACKENDS: readonly Backend[] = ["simd128", "baseline"];

export interface Variant {
  readonly backend: Backend;
  /** The cycles of a vector operation. */
  readonly latency: 1 | 2;
}

export const VARIANTS: readonly Variant[] = [
  { backend: "simd128", latency: 1 },
  { backend: "simd128", latency: 2 },
  { backend: "baseline", latency: 2 },
];

export function useVariant({ backend, latency }: Variant): void {
  useBackend(backend);
  useVectorLatency(latency);
}

/** The variants that differ for an algorithm: only BLAKE3's kernels have a shape for each latency. */
export function variantsOf(algorithm: string): readonly Variant[] {
  return algorithm === "blake3" ? VARIANTS : VARIANTS.filter(({ latency }) => latency === 2);
}

/** One `describe` for each variant of an algorithm; every test in it starts on that one. */
export function eachBackend(suite: (backend: Backend, latency: 1 | 2) => void, algorithm = "blake3"): void {
  describe.each(variantsOf(algorithm))("$backend, $latency", (variant) => {
    beforeEach(() => useVariant(variant));
    suite(variant.backend, variant.latency);
  });
}
