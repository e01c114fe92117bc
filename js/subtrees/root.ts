// The root of two subtrees: bytes of a node (wasm/blake3/node.h), from which the hasher's kernel computes the output.
import { kernels } from "../algorithms/blake3-kernel.js";
import { KEY_LENGTH } from "../algorithms/blake3-mode.js";
import { allocate } from "../engine/output.js";
import { Xof } from "../engine/xof.js";
import { pooledSecret } from "../input/caller-bytes.js";
import { integer, MAX_UINT64, type NotIterable, requireKnown } from "../input/options.js";
import { NODE, VALUE } from "../tree/geometry.js";
import type { Pair } from "../tree/merge.js";

/** The output of a root. */
export interface RootOptions extends NotIterable {
  /** Digest length in bytes: 0 to 2^53 - 1, limited by memory; 32 by default. */
  readonly length?: number | undefined;
}

// After the key and the two values: the block's length and the flags in 4 bytes each, and the counter in 8.
const LENGTH_AT = KEY_LENGTH + NODE;
const FLAGS_AT = LENGTH_AT + 4;
const ROOT_LENGTH = FLAGS_AT + 12;
// Flags (BLAKE3 paper, table 3).
const PARENT = 4;
const ROOT = 8;

/** @param mode as `modeBytes` returns it */
export function rootReader(mode: Uint8Array, [left, right]: Pair): Xof {
  const root = pooledSecret(ROOT_LENGTH);
  root.set(mode);
  root.set(left, KEY_LENGTH);
  root.set(right, KEY_LENGTH + VALUE);
  root[LENGTH_AT] = NODE;
  root[FLAGS_AT] = (mode[KEY_LENGTH] as number) | PARENT | ROOT;
  return new Xof({ name: "blake3", kernels }, root, MAX_UINT64);
}

/** @throws TypeError for an unknown option or a value of the wrong type; RangeError for a length out of range */
export function rootLength(call: string, options: RootOptions): number {
  requireKnown(call, options, ["length"]);
  return integer(call, "length", options.length, 0, Number.MAX_SAFE_INTEGER, KEY_LENGTH);
}

/** @throws RangeError for a length that cannot be allocated */
export function rootDigest(call: string, mode: Uint8Array, pair: Pair, length: number): Uint8Array<ArrayBuffer> {
  const digest = allocate(call, length);
  const reader = rootReader(mode, pair);
  try {
    return reader.readInto(digest);
  } finally {
    reader.dispose();
    kernels.finish();
  }
}
