// Computes the parent of two subtrees, as a node of a larger tree or as the root.
import { module } from "../algorithms/blake3-kernel.js";
import { KEY_LENGTH } from "../algorithms/blake3-mode.js";
import type { Kernel } from "../engine/kernel.js";
import { ONESHOT } from "../engine/memory.js";
import { allocate, longDigests, writeDigest } from "../engine/output.js";
import { takeRoot, Xof } from "../engine/xof.js";
import { integer, MAX_UINT64, type NotIterable, requireKnown } from "../input/options.js";
import { asBytes } from "../input/views.js";

/** The chaining values of two neighbours. */
export type Pair = readonly [left: Uint8Array, right: Uint8Array];

/** Claims the kernel and writes a mode to its parameters. */
export type WriteMode = () => void;

/** The output of a root. */
export interface RootOptions extends NotIterable {
  /** Digest length in bytes: 0 to 2^53 - 1, limited by memory; 32 by default. */
  readonly length?: number | undefined;
}

export function parentValue(pair: Pair, mode: WriteMode): Uint8Array<ArrayBuffer> {
  return withParent(pair, mode, (kernel) => takeChain(kernel, ONESHOT));
}

export function parentDigest(call: string, pair: Pair, mode: WriteMode, options: RootOptions): Uint8Array<ArrayBuffer> {
  requireKnown(call, options, ["length"]);
  const length = integer(call, "length", options.length, 0, Number.MAX_SAFE_INTEGER, KEY_LENGTH);
  const digest = allocate(call, length);
  return withParent(pair, mode, (kernel) => {
    writeDigest(kernel, ONESHOT, digest, length, longDigests);
    kernel.wipeOutput(length);
    return digest;
  });
}

export function parentXof(pair: Pair, mode: WriteMode): Xof {
  return withParent(pair, mode, (kernel) => new Xof({ name: "blake3", module }, takeRoot(kernel, ONESHOT), MAX_UINT64));
}

/** Computes the parent of two subtrees, passes the kernel to `use`, and wipes it. */
function withParent<T>([left, right]: Pair, mode: WriteMode, use: (kernel: Kernel) => T): T {
  const pair = new Uint8Array(2 * KEY_LENGTH);
  pair.set(left);
  pair.set(right, KEY_LENGTH);
  try {
    mode();
    const kernel = module.opened;
    kernel.place(asBytes(pair), 2 * KEY_LENGTH);
    kernel.exports.join(ONESHOT);
    const parent = use(kernel);
    kernel.wipeOneshot();
    kernel.wipeInput();
    kernel.release(KEY_LENGTH);
    return parent;
  } finally {
    pair.fill(0);
    module.tidy();
  }
}

/** Returns the chaining value of a state in the kernel. */
export function takeChain(kernel: Kernel, state: number): Uint8Array<ArrayBuffer> {
  kernel.exports.chain(state);
  const value = new Uint8Array(kernel.outputOf(KEY_LENGTH));
  kernel.wipeOutput(KEY_LENGTH);
  return value;
}
