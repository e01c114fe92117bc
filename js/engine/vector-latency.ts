// How many cycles a vector operation takes on this processor: kernels choose by it how they compute (wasm/memory.h). A
// wrong number costs speed, but digests are the same.
import { describe } from "../input/errors.js";
import { readGlobal } from "../input/globals.js";
import { changeKernels } from "./backend.js";
import { VECTOR_LATENCY } from "./memory.js";

/** 0 until the program has set it or it has been measured: kernels then use what is usual on the processor. */
let cycles: 0 | 1 | 2 = 0;

/**
 * Returns how many cycles a vector operation takes, which decides how BLAKE3 is computed with SIMD: 1 until a
 * measurement says otherwise (ARM64 and AMD Zen 5 take 2).
 *
 * It is measured at the first use of BLAKE3, in some 0.1 milliseconds, where the clock is precise.
 *
 * @example
 * vectorLatency(); // 1
 */
export function vectorLatency(): 1 | 2 {
  return cycles || 1;
}

/** Returns the latency if the program has set it or it has been measured, for other threads. */
export function certainLatency(): 1 | 2 | undefined {
  return cycles || undefined;
}

/**
 * Says how many cycles a vector operation takes, instead of the measurement. Digests are the same, and one of the two
 * is faster.
 *
 * @param latency 1 or 2
 * @throws TypeError for any other value
 * @example
 * useVectorLatency(2);
 */
export function useVectorLatency(latency: 1 | 2): void {
  if (latency !== 1 && latency !== 2) {
    throw new TypeError(`useVectorLatency: latency must be 1 or 2, got ${describe(latency)}`);
  }
  if (latency === cycles) return;
  cycles = latency;
  changeKernels();
}

/** The export of builds that choose: computes a chain of operations, each of which waits for the one before. */
type Chain = (turns: number, ofVectors: number) => number;

/** The length of a chain, which takes 8 microseconds if it is compiled, and the milliseconds that then are too many. */
const TURNS = 512;
const INTERPRETED = 0.05;
const TIMES = 6;

/** Tells a new kernel the latency, which the first one measures. */
export function tune(memory: Uint8Array, { chain }: { chain?: Chain }): void {
  if (chain) cycles ||= readGlobal(() => measured(chain)) ?? 0;
  memory[VECTOR_LATENCY] = cycles;
}

/** Returns 0 if the clock is too coarse, or the engine does not compile at once. */
function measured(chain: Chain): 0 | 1 | 2 {
  const least = [Infinity, Infinity];
  // In turn, since an engine may optimise the code in between.
  for (let i = 0; i < 2 * TIMES; i++) {
    const start = performance.now();
    chain(TURNS, i % 2);
    least[i % 2] = Math.min(least[i % 2] as number, performance.now() - start);
  }
  const [scalars, vectors] = least as [number, number];
  if (scalars === 0 || scalars > INTERPRETED) return 0;
  return vectors / scalars > 1.4 ? 2 : 1;
}
