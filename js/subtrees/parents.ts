// Computes the parent of two subtrees in the hasher's kernel, as a node of a larger tree or as the root: only this kernel has an
// extendable output. Many values are merged by `mergeValues`.
import { module } from "../algorithms/blake3-kernel.js";
import { KEY_LENGTH } from "../algorithms/blake3-mode.js";
import type { Kernel } from "../engine/kernel.js";
import { STATE } from "../engine/memory.js";
import { allocate, writeDigest, xofOutput } from "../engine/output.js";
import { takeRoot, Xof } from "../engine/xof.js";
import { integer, MAX_UINT64, type NotIterable, requireKnown } from "../input/options.js";
import { asBytes, copyOf, pooledSecret } from "../input/views.js";
import { NODE, VALUE } from "../tree/geometry.js";
import type { Pair } from "../tree/merge.js";

/** The output of a root. */
export interface RootOptions extends NotIterable {
  /** Digest length in bytes: 0 to 2^53 - 1, limited by memory; 32 by default. */
  readonly length?: number | undefined;
}

/** @param mode as `modeBytes` returns it, in all functions here */
export function parentValue(mode: Uint8Array, pair: Pair): Uint8Array<ArrayBuffer> {
  return withParent(mode, pair, (kernel) => takeChain(kernel));
}

/** @throws TypeError for an unknown option or a value of the wrong type; RangeError for a length out of range */
export function rootDigest(call: string, mode: Uint8Array, pair: Pair, options: RootOptions): Uint8Array<ArrayBuffer> {
  requireKnown(call, options, ["length"]);
  const length = integer(call, "length", options.length, 0, Number.MAX_SAFE_INTEGER, KEY_LENGTH);
  const digest = allocate(call, length);
  return withParent(mode, pair, (kernel) => {
    writeDigest(kernel, digest, length, xofOutput);
    kernel.wipeOutput(length);
    return digest;
  });
}

export function rootReader(mode: Uint8Array, pair: Pair): Xof {
  return withParent(mode, pair, (kernel) => new Xof({ name: "blake3", module }, takeRoot(kernel), MAX_UINT64));
}

/** Computes the parent of two subtrees, passes the kernel to `use`, and wipes it. */
function withParent<T>(mode: Uint8Array, [left, right]: Pair, use: (kernel: Kernel) => T): T {
  const node = pooledSecret(NODE);
  node.set(left);
  node.set(right, VALUE);
  try {
    const kernel = module.begin();
    kernel.load(mode, true);
    kernel.input.write(asBytes(node), NODE, 0);
    kernel.exports.join(STATE);
    const parent = use(kernel);
    kernel.wipeState();
    kernel.input.wipe(NODE);
    kernel.wipeOutput(KEY_LENGTH);
    kernel.end();
    return parent;
  } finally {
    node.fill(0);
    module.finish();
  }
}

/** Returns the chaining value of a state in the kernel. */
export function takeChain(kernel: Kernel): Uint8Array<ArrayBuffer> {
  kernel.exports.chain(STATE);
  const value = copyOf(kernel.output.first(VALUE));
  kernel.wipeOutput(VALUE);
  return value;
}
