// How many cycles a vector operation takes on this processor: kernels compute in the shapes that suit it
// (wasm/memory.h). What is wrong here costs speed, never a digest.
import { describe } from "../input/errors.js";
import { readGlobal } from "../input/globals.js";
import { changeKernels } from "./backend.js";
import { VECTOR_LATENCY } from "./memory.js";

/** Undefined until the program has said it, or it has been measured: kernels take what is usual on the processor. */
let cycles: 1 | 2 | undefined;
/** What is usual on the processor, as a kernel has found; 0 until one has been seen at work. */
let usual: 0 | 1 | 2 = 0;

/**
 * Returns how many cycles a vector operation takes, which decides how BLAKE3 is computed with SIMD: 1 on x86 until a
 * measurement says otherwise (AMD Zen 5 takes 2), 2 on ARM64 from the second use of BLAKE3 on.
 *
 * It is measured once, in some 0.2 milliseconds, after the first megabyte or two thousand messages.
 *
 * @example
 * vectorLatency(); // 1
 */
export function vectorLatency(): 1 | 2 {
  return cycles ?? (usual || 1);
}

/** Returns the same if the program has said it or it has been measured, for other threads. */
export function certainLatency(): 1 | 2 | undefined {
  return cycles;
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

/** The export of builds that have a choice: so many turns of operations, each of which waits for the one before. */
type Chain = (turns: number, ofVectors: number) => number;

// A chain of so many turns takes 2 microseconds, compiled; chains are timed until the clock has ticked so often.
const TURNS = 128;
const TICKS = 4;

// It is measured after so many bytes, as which a call counts for some, too.
let work = 0x140000;
const BYTES_PER_CALL = 512;

/** Chains that a measurement may take: at first so many, at last 32 000. */
const FEW = 80;
let chains = FEW;

/**
 * Times chains, the best of three times, from tick to tick of the clock. If the code is not compiled yet, they are
 * timed again after 8 times as much work. If the clock is too coarse, 20 times as many are after 64 times as much: so
 * twice at most, once if it stands still.
 */
function measure(chain: Chain): void {
  let left = chains;
  let ticks = 0;
  /** Milliseconds for one. */
  const time = (ofVectors: number) => {
    const start = performance.now();
    let now = start;
    let count = 0;
    for (const end = ticks + TICKS; ticks < end && left; left--, count++) {
      chain(TURNS, ofVectors);
      const last = now;
      now = performance.now();
      if (now !== last) ticks++;
    }
    return (now - start) / count;
  };
  const ratio = readGlobal(() => {
    // Engines compile at the first call, which begins between two ticks.
    time(1);
    let vectors = Infinity;
    let scalars = Infinity;
    for (let i = 0; i < 3; i++) {
      vectors = Math.min(vectors, time(1));
      scalars = Math.min(scalars, time(0));
    }
    // An interpreter takes more than a nanosecond for an operation.
    return left && scalars < 8e-3 ? vectors / scalars : NaN;
  });
  if (ratio === undefined || ratio < 1.25) cycles = 1;
  else if (ratio > 1.6) cycles = 2;
  work *= left ? 8 : 64;
  if (!left) chains *= ticks || chains === FEW ? 20 : 400;
}

/** Tells one kernel, and counts its work until it is time to measure. */
export class Latency {
  readonly #memory: Uint8Array;
  readonly #chain: Chain | undefined;
  #left = work;

  /** @param kernelMemory by address */
  constructor(kernelMemory: Uint8Array, { chain }: { chain?: Chain }) {
    this.#memory = kernelMemory;
    this.#chain = chain;
    kernelMemory[VECTOR_LATENCY] = cycles ?? 0;
  }

  /** Counts a call that hashes so many bytes. */
  count(length: number): void {
    usual ||= this.#memory[VECTOR_LATENCY] as typeof usual;
    this.#left -= length + BYTES_PER_CALL;
    if (this.#left < 0) this.#measure();
  }

  #measure(): void {
    if (this.#chain && !cycles && chains <= 32_000) measure(this.#chain);
    this.#left = work;
    if (cycles) this.#memory[VECTOR_LATENCY] = cycles;
  }
}
