// Builds of a kernel, timed at their exports in turns. Nothing here needs Node: browser pages import it too.
import { deeper, rotated } from "./rounds.mjs";

// wasm/memory.h has the map, and says what the exports do.
const PARAMETERS = 0x4000;
const STATE = 0x5000;
const VECTOR_LATENCY = 0x9000;
const OUTPUT = 0xc000;
const OUTPUT_SIZE = 0x4000;
const INPUT = 0x10000;
const INPUT_SIZE = 0x10000;

const DIGEST = 32;
/** Milliseconds for each round. */
const WARMUP = 2;

/** One instance: its exports as the package calls them, with the copies in. */
class Kernel {
  constructor({ bytes, latency }, parameters) {
    this.exports = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports;
    if (!this.exports.hash) throw new Error("kernel.mjs: a kernel must export hash and update");
    this.memory = new Uint8Array(this.exports.memory.buffer);
    this.memory.set(parameters, PARAMETERS);
    this.memory[VECTOR_LATENCY] = latency;
  }

  hash(message) {
    this.memory.set(message, INPUT);
    this.exports.hash(message.length, DIGEST);
  }

  update(message) {
    this.exports.init(STATE);
    for (let at = 0; at < message.length || at === 0; at += INPUT_SIZE) {
      const piece = message.length <= INPUT_SIZE ? message : message.subarray(at, at + INPUT_SIZE);
      this.memory.set(piece, INPUT);
      this.exports.update(STATE, INPUT, piece.length);
    }
    this.exports.finalize(STATE, DIGEST);
  }

  squeeze(message) {
    for (let at = 0; at < message.length; at += OUTPUT_SIZE) {
      this.exports.squeeze(at, 0, Math.min(OUTPUT_SIZE, message.length - at));
    }
  }

  digest() {
    return this.memory.slice(OUTPUT, OUTPUT + DIGEST).join();
  }
}

/** Nanoseconds per call of `way`, of `count` calls. */
function timed(kernel, way, message, count) {
  const start = performance.now();
  for (let i = 0; i < count; i++) kernel[way](message);
  return ((performance.now() - start) * 1e6) / count;
}

function warmUp(kernels, way, message, milliseconds) {
  for (const kernel of kernels) {
    for (const start = performance.now(); performance.now() - start < milliseconds; ) kernel[way](message);
  }
}

function digestOf(kernel, way, message) {
  kernel[way](message);
  return kernel.digest();
}

/** Best of all rounds of the kernels, which take turns. */
function compareOne(kernels, way, message, { rounds, milliseconds }) {
  const digests = new Set(kernels.map((kernel) => digestOf(kernel, way, message)));
  if (digests.size > 1) throw new Error(`kernel.mjs: ${way} of ${message.length} bytes: the digests must be equal`);
  warmUp(kernels, way, message, rounds * WARMUP);
  const count = Math.max(1, Math.ceil((milliseconds * 1e6) / timed(kernels[0], way, message, 10)));
  const best = kernels.map(() => Infinity);
  for (let round = 0; round < rounds; round++) {
    for (const i of rotated([...best.keys()], round)) {
      const time = deeper(round % 20, () => timed(kernels[i], way, message, count));
      best[i] = Math.min(best[i], time);
    }
  }
  return { way, size: message.length, best };
}

/** The ways to call that all kernels have, with sizes that they are for. */
function waysOf(kernels, size) {
  const ways = size <= INPUT_SIZE ? ["hash", "update"] : ["update"];
  if (size > 0 && kernels.every((kernel) => kernel.exports.squeeze)) ways.push("squeeze");
  return ways;
}

/**
 * Compares builds of a kernel.
 *
 * @param builds { bytes, latency }: the bytes of each, and the cycles of a vector operation to tell it
 * @param sizes of messages, in bytes
 * @param parameters what `init` reads; all zeros is enough for most purposes
 * @param rounds how often each is timed, for `milliseconds`: short ones, so that some of many are not interrupted
 * @returns rows with the best nanoseconds per call of each build
 * @throws Error if their digests differ
 */
export function compareKernels(builds, { sizes, parameters = [], ways, rounds = 150, milliseconds = 0.7 }) {
  const kernels = builds.map((build) => new Kernel(build, parameters));
  const rows = [];
  for (const size of sizes) {
    const message = Uint8Array.from({ length: size }, (_, i) => (i * 7 + (i >> 8)) % 251);
    for (const way of waysOf(kernels, size)) {
      if (!ways || ways.includes(way)) rows.push(compareOne(kernels, way, message, { rounds, milliseconds }));
    }
  }
  return rows;
}
