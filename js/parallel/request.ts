// The options of one hash, checked, with copies of those that must not change while it is computed.
import type { Blake3Options } from "../algorithms/blake3.js";
import { kernels } from "../algorithms/blake3-kernel.js";
import { type Blake3Mode, KEY_LENGTH, modeBytes, requireGiven } from "../algorithms/blake3-mode.js";
import { OUTPUT_SIZE } from "../engine/memory.js";
import { allocate } from "../engine/output.js";
import { toKey, viewOfInput } from "../input/bytes.js";
import { copyOf } from "../input/caller-bytes.js";
import { wrongKind } from "../input/errors.js";
import { integer, requireKnown } from "../input/options.js";
import { requireSignal } from "../input/signals.js";
import { CALL } from "./messages.js";

/** The options of `blake3`, and those of a hash in progress. */
export type Blake3PoolHashOptions = Blake3Options & {
  /** Aborts the hash: its promise rejects with the signal's reason at once. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each part with the number of bytes so far, and the total if it is known. */
  readonly onProgress?: ((bytesSoFar: number, total: number | undefined) => void) | undefined;
};

export interface Request {
  /** A copy of the key or context. */
  readonly mode: Blake3Mode;
  /** Digest length in bytes. */
  readonly length: number;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: Blake3PoolHashOptions["onProgress"];
  /** Bytes in each group, if the chaining values of groups are needed instead of a digest. */
  readonly group: number | undefined;
}

const OPTIONS = ["length", "key", "context", "signal", "onProgress"];

/** @throws TypeError for an unknown option or a wrong type; RangeError for a value out of range */
export function toRequest(options: Blake3PoolHashOptions, group: number | undefined): Request {
  requireKnown(CALL, options, OPTIONS);
  const { length, signal, onProgress } = options;
  const digestLength = integer(CALL, "length", length, 0, Number.MAX_SAFE_INTEGER, KEY_LENGTH);
  // Before anything is read, and in the name of this call.
  if (digestLength > OUTPUT_SIZE) allocate(CALL, digestLength);
  requireSignal(CALL, signal);
  if (onProgress !== undefined && typeof onProgress !== "function") {
    throw wrongKind(CALL, "onProgress", "a function", onProgress);
  }
  return { mode: copyMode(options), length: digestLength, signal, onProgress, group };
}

/** Copies a mode and checks the copy, whose bytes cannot change. The plain hash needs neither a check nor a kernel. */
function copyMode(options: Blake3Mode): Blake3Mode {
  const { key, context } = options;
  requireGiven(CALL, options, key, context);
  const mode: { key?: Uint8Array; context?: never } = {};
  if (key === undefined && context === undefined) return mode;
  try {
    if (key !== undefined) mode.key = copyOf(toKey(CALL, "key", key));
    if (context !== undefined) mode.context = copyOf(viewOfInput(CALL, "context", context)) as never;
    modeBytes(CALL, kernels, mode).fill(0);
    return mode;
  } catch (error) {
    wipeMode(mode);
    throw error;
  }
}

/** Wipes the copy of a mode. */
export function wipeMode({ key, context }: Blake3Mode): void {
  for (const copy of [key, context]) (copy as Uint8Array | undefined)?.fill(0);
}
