// How many cycles a vector operation takes on this processor: kernels choose by it how they compute (wasm/memory.h). A
// wrong number costs speed, but digests are the same.
import { describe } from "../input/errors.js";
import { readGlobal } from "../input/globals.js";
import { changeKernels } from "./backend.js";
import { VECTOR_LATENCY } from "./memory.js";

/** Undefined until the program has set it or it has been measured. Kernels then use what is usual on the processor. */
let cycles: 1 | 2 | undefined;
/** What is usual on the processor, as a kernel has written; 0 before the second call of one. */
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

/** Returns the latency if the program has set it or it has been measured, for other threads. */
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

/** The export of builds that choose: computes a chain of operations, each of which waits for the one before. */
type Chain = (turns: number, ofVectors: number) => number;

/** The length of a chain, which takes 2 microseconds if it is compiled. */
const TURNS = 128;
/** Chains are repeated until the clock has ticked this often. */
const TICKS = 4;

/** The bytes hashed before the next measurement, where each call adds some. */
let work = 0x140000;
const BYTES_PER_CALL = 512;

/** The most chains that the next measurement may take, and that the last one may. */
let chains = 80;
const LAST = 32_000;
/** A clock that has not ticked during this many chains stands still. */
const STILL = 1600;

/**
 * Times chains from tick to tick of the clock, and takes the best of three times. If the code is not compiled yet, the
 * next measurement is after 8 times as much work. If the clock is too coarse, it is after 64 times as much, and may
 * take 20 times as many chains.
 */
function measure(chain: Chain): void {
  let left = chains;
  let ticks = 0;
  /** Returns the milliseconds that one chain takes. */
  const time = (ofVectors: number): number => {
    const start = performance.now();
    let last = start;
    let count = 0;
    for (const end = ticks + TICKS; ticks < end && left; left--, count++) {
      chain(TURNS, ofVectors);
      const now = performance.now();
      if (now !== last) ticks++;
      last = now;
    }
    return (last - start) / count;
  };
  const ratio = readGlobal(() => {
    // Engines compile at the first call, which begins between two ticks.
    time(1);
    let vectors = Infinity;
    let scalars = Infinity;
    // In turn, since an engine may optimise the code in between.
    for (let i = 0; i < 3; i++) {
      vectors = Math.min(vectors, time(1));
      scalars = Math.min(scalars, time(0));
    }
    // More than a nanosecond for each operation: the code is still interpreted.
    return left && scalars < 8e-3 ? vectors / scalars : NaN;
  });
  work *= left ? 8 : 64;
  if (!left) chains *= 20;
  if (ratio === undefined || chains > (ticks ? LAST : STILL)) cycles = usual || 1;
  else if (ratio < 1.25) cycles = 1;
  else if (ratio > 1.6) cycles = 2;
}

/**
 * Tells a kernel the latency, and returns what counts its work until it is time to measure: a function to be called
 * with the number of bytes that a call hashes.
 *
 * @param memory the kernel's whole memory
 */
export function tune(memory: Uint8Array, { chain }: { chain?: Chain }): (length: number) => void {
  let left = work;
  const tell = (): void => {
    memory[VECTOR_LATENCY] = cycles ?? usual;
  };
  tell();
  return (length) => {
    usual ||= memory[VECTOR_LATENCY] as typeof usual;
    left -= length + BYTES_PER_CALL;
    if (left >= 0) return;
    if (chain && !cycles) measure(chain);
    left = work;
    tell();
  };
}
