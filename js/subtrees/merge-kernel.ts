// Merges many chaining values at once, level by level, in the SIMD lanes of wasm/blake3/blake3-subtrees.c: a call for each
// pair takes ten times as long.
import { type Backend, backend } from "../engine/backend.js";
import { concatBytes } from "../input/views.js";
import { SharedKernel } from "./shared-kernel.js";
import { type SubtreeExports, subtreeModule } from "./subtree-module.js";

/** Bytes in a chaining value. */
export const VALUE = 32;

// The kernel's constants come first, then the stack, the mode, and the values.
const STACK = 0x10000;
const STACK_SIZE = 0x4000;
const MODE = STACK + STACK_SIZE;
const MODE_SIZE = 64;
const FLAGS = MODE + 32;
// The domain flag of the root (BLAKE3 paper, table 3).
const ROOT_NODE = 8;
const VALUES = 0x20000;
/** Values that are merged by one call: a power of 2, so that all but the last of such runs are whole subtrees. */
const CAPACITY = 0x800;
const PAGE = 0x10000;
const PAGES = (VALUES + CAPACITY * VALUE) / PAGE;

class MergeKernel {
  readonly backend: Backend = backend();
  readonly #memory = new WebAssembly.Memory({ initial: PAGES, maximum: PAGES });
  readonly #bytes = new Uint8Array(this.#memory.buffer);
  readonly #exports: SubtreeExports;

  constructor() {
    const instance = new WebAssembly.Instance(subtreeModule(), { env: { memory: this.#memory } });
    this.#exports = instance.exports as unknown as SubtreeExports;
    this.#exports.stackRestore(STACK + STACK_SIZE);
  }

  setMode(mode: Uint8Array): void {
    this.#bytes.set(mode, MODE);
  }

  /** Merges up to CAPACITY values into the first bytes of `target`. */
  merge(values: Uint8Array, target: Uint8Array): void {
    this.#bytes.set(values, VALUES);
    this.#exports.merge(MODE, VALUES, values.length / VALUE);
    target.set(this.#bytes.subarray(VALUES, VALUES + VALUE));
  }

  /** Merges two values into the digest of the whole message. */
  mergeRoot(pair: Uint8Array, digest: Uint8Array): void {
    this.#bytes[FLAGS] = (this.#bytes[FLAGS] as number) | ROOT_NODE;
    this.merge(pair, digest);
  }

  wipe(): void {
    this.#bytes.fill(0, STACK, MODE + MODE_SIZE);
    this.#bytes.fill(0, VALUES);
  }
}

const shared = /* @__PURE__ */ new SharedKernel(() => new MergeKernel());

/** Compiles the kernel, so that the first merge does not have to. */
export function prepareMerge(): void {
  shared.prepare();
}

/** Passes the kernel to `use`, and wipes it. */
function withKernel<T>(mode: Uint8Array, use: (kernel: MergeKernel) => T): T {
  return shared.use((kernel) => {
    kernel.setMode(mode);
    const result = use(kernel);
    kernel.wipe();
    return result;
  });
}

/**
 * Returns the chaining value of the subtree that neighbours make (BLAKE3 paper, section 2.1).
 *
 * @param mode as `modeBytes` returns it
 * @param values one after the other, from left to right; all but the last one of whole subtrees of one length
 */
export function mergeValues(mode: Uint8Array, values: Uint8Array): Uint8Array<ArrayBuffer> {
  if (values.length === VALUE) return new Uint8Array(values);
  return withKernel(mode, (kernel) => mergeRuns(kernel, values));
}

/** Returns the default digest of the message whose two subtrees are given (BLAKE3 paper, section 2.6). */
export function rootValue(
  mode: Uint8Array,
  pair: readonly [left: Uint8Array, right: Uint8Array],
): Uint8Array<ArrayBuffer> {
  const digest = new Uint8Array(VALUE);
  const values = concatBytes(pair);
  try {
    withKernel(mode, (kernel) => kernel.mergeRoot(values, digest));
  } finally {
    values.fill(0);
  }
  return digest;
}

function mergeRuns(kernel: MergeKernel, values: Uint8Array): Uint8Array<ArrayBuffer> {
  const run = CAPACITY * VALUE;
  const merged = new Uint8Array(Math.ceil(values.length / run) * VALUE);
  for (let at = 0, to = 0; at < values.length; at += run, to += VALUE) {
    kernel.merge(values.subarray(at, at + run), merged.subarray(to));
  }
  if (merged.length === VALUE) return merged;
  try {
    return mergeRuns(kernel, merged);
  } finally {
    merged.fill(0);
  }
}
