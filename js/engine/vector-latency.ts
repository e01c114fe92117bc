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
 * It is measured once, in some microseconds, after the first megabyte or two thousand messages.
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

// A chain of so many turns takes 2 microseconds, compiled; at least so many milliseconds are timed.
const TURNS = 128;
const TIMED = 0.01;

// It is measured after so many bytes, as which a call counts for some, too.
const WORK = 0x140000;
const CALL = 512;

/** Chains that a measurement may take, at first and at last: 25 milliseconds where a clock stands still, as in Workers. */
const [FEW, MANY] = [96, 6144];
let chains = FEW;
let work = WORK;

/**
 * Times chains, the best of three times, from tick to tick of the clock. If it is too coarse, or the code is not compiled yet, there is
 * another measurement, which may take four times as many chains, after eight times as much work.
 */
function measure(chain: Chain): void {
  let left = chains;
  /** Milliseconds for one. */
  const time = (ofVectors: number) => {
    const start = performance.now();
    let elapsed = 0;
    let count = 0;
    for (; elapsed < TIMED && left > 0; left--, count++) {
      chain(TURNS, ofVectors);
      elapsed = performance.now() - start;
    }
    return elapsed / count;
  };
  const compare = () => {
    // Engines compile at the first call, which begins between two ticks.
    time(1);
    const times = [time(1), time(0), time(1), time(0), time(1), time(0)];
    const best = (ofVectors: number) => Math.min(...times.filter((_, i) => i % 2 !== ofVectors));
    // An interpreter takes longer for one operation than any processor.
    return best(0) < TURNS * 64e-6 ? best(1) / best(0) : NaN;
  };
  const ratio = readGlobal(compare) ?? 1;
  if (ratio > 1.6 && ratio < 4) cycles = 2;
  isCertain = cycles === 2 || ratio < 1.25 || chains === MANY;
  chains *= 4;
  work *= 8;
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
    this.#left -= length + CALL;
    if (this.#left < 0) this.#measure();
  }

  #measure(): void {
    if (this.#chain && !isCertain) measure(this.#chain);
    this.#left = work;
    this.#memory[VECTOR_LATENCY] = vectorLatency();
  }
}
