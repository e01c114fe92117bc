// How many cycles a vector operation takes on this processor: kernels compute in the shapes that suit it (wasm/memory.h). What is
// wrong here costs speed, never a digest.
import { describe } from "../input/errors.js";
import { readGlobal } from "../input/globals.js";
import { changeKernels } from "./backend.js";
import { VECTOR_LATENCY } from "./memory.js";

let cycles: 1 | 2 | undefined;
/** Whether the program has said it, or it has been measured, or no processor of this kind differs. */
let isCertain = false;

/**
 * Returns how many cycles a vector operation takes, which decides how BLAKE3 is computed with SIMD: 1 on x86 until a measurement
 * says otherwise (AMD Zen 5 takes 2), 2 on ARM64.
 *
 * It is measured once, in some microseconds, after the first few megabytes or ten thousand messages.
 *
 * @example
 * vectorLatency(); // 1
 */
export function vectorLatency(): 1 | 2 {
  if (cycles === undefined) {
    // The NaN of 0/0 is negative on x86 and positive on ARM64, whose vector operations all take two cycles.
    const number = new Float32Array(1);
    (number[0] as number) /= number[0] as number;
    isCertain = (new Int8Array(number.buffer)[3] as number) > 0;
    cycles = isCertain ? 2 : 1;
  }
  return cycles;
}

/** Returns the same if it is certain, for other threads. */
export function certainLatency(): 1 | 2 | undefined {
  const latency = vectorLatency();
  return isCertain ? latency : undefined;
}

/**
 * Says how many cycles a vector operation takes, instead of the measurement. Digests are the same, and one of the two is faster.
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
  isCertain = true;
  if (latency === cycles) return;
  cycles = latency;
  changeKernels();
}

/** The export of builds that have a choice: so many turns of operations, each of which waits for the one before. */
type Chain = (turns: number, ofVectors: number) => number;

// A chain of so many turns takes 4 microseconds; it is measured after so many bytes, as which a call counts for some, too.
const TURNS = 256;
const WORK = 0x400000;
const BYTES_PER_CALL = 128;

let turns = TURNS;

/** Compares chains three times. A clock that is too coarse, and other programs, make them disagree: next time they are longer. */
function measure(chain: Chain): void {
  const time = (ofVectors: number) => {
    const start = performance.now();
    chain(turns, ofVectors);
    return performance.now() - start;
  };
  // Engines compile at the first call, which is left out.
  const ratios = readGlobal(() => [0, 1, 2, 3].map(() => time(1) / time(0)).slice(1)) ?? [];
  const isOne = ratios.every((ratio) => ratio < 1.25);
  isCertain = isOne || ratios.every((ratio) => ratio > 1.6 && ratio < 4);
  if (isCertain) cycles = isOne ? 1 : 2;
  else turns *= 4;
}

/** Tells one kernel, and counts its work until it is time to measure. */
export class Latency {
  readonly #memory: Uint8Array;
  readonly #chain: Chain | undefined;
  #left = WORK;

  /** @param memory the kernel's, by address */
  constructor(memory: Uint8Array, { chain }: { chain?: Chain }) {
    this.#memory = memory;
    this.#chain = chain;
    memory[VECTOR_LATENCY] = vectorLatency();
  }

  /** Counts a call that hashes so many bytes. */
  count(length: number): void {
    this.#left -= length + BYTES_PER_CALL;
    if (this.#left < 0) this.#measure();
  }

  #measure(): void {
    if (this.#chain && !isCertain) measure(this.#chain);
    this.#left = (WORK / TURNS) * turns;
    this.#memory[VECTOR_LATENCY] = vectorLatency();
  }
}
