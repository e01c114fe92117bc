// The valid saved states of BLAKE3 (docs/states.md).

import { uint32At } from "../engine/memory.js";
import type { StateForm } from "../engine/saved-state.js";
import { refusal, requireAtMost, requireNumber, requireSame, requireZeros } from "../engine/saved-state-checks.js";
import { MAX_UINT64 } from "../input/options.js";
import { DERIVE_KEY_MATERIAL, IV, KEY_LENGTH, KEYED_HASH } from "./blake3-mode.js";

// The state of wasm/blake3/blake3.c: header, key, chaining value, block buffer, blocks, depth, first chunk's number,
// stack.
const KEY_AT = 32;
const CHAIN_AT = 64;
const BUFFER_AT = 96;
const BLOCKS_AT = 160;
const DEPTH_AT = 164;
const ORIGIN_AT = 168;
const STACK_AT = 176;

const MODES: readonly number[] = [0, KEYED_HASH, DERIVE_KEY_MATERIAL];

/** Rejects parameters that are not a mode: key, flags and zeros. */
export function checkMode(parameters: Uint8Array, call: string): void {
  const mode = parameters[KEY_LENGTH] as number;
  if (!MODES.includes(mode)) throw refusal(call, `a mode of ${MODES.join(", ")}`, mode);
  if (mode === 0) requireSame(call, "the IV as key of the plain mode", parameters, IV, 0, KEY_LENGTH);
  requireZeros(call, "padding of the parameters", parameters, KEY_LENGTH + 1);
}

export const blake3Form: StateForm = {
  bufferOffset: BUFFER_AT,
  bufferLength: 64,
  checkParameters: (parameters, _digestLength, call) => checkMode(parameters, call),
  keptParameters: () => 0,
  grows: true,
  checkState(state, { count, buffered }, fresh, call) {
    const blocks = uint32At(state, BLOCKS_AT);
    const depth = uint32At(state, DEPTH_AT);
    // The last block stays buffered until a byte follows it, so the buffer of a chunk in progress is never empty.
    const waiting = Number(count % 1024n) || (buffered && 1024);
    requireSame(call, "its parameters' key", state, fresh, KEY_AT, CHAIN_AT);
    requireAtMost(call, "byte count", count, MAX_UINT64);
    requireNumber(call, "blocks of a chunk", blocks, waiting && (waiting - 1) >> 6);
    requireNumber(call, "buffered length", buffered, waiting - 64 * blocks);
    if (blocks === 0) requireSame(call, "the key to start a chunk", state, fresh, CHAIN_AT, BUFFER_AT);
    requireZeros(call, "number of the first chunk", state, ORIGIN_AT, STACK_AT);
    checkDepth(depth, (count - BigInt(waiting)) / 1024n, waiting > 0, call);
    requireNumber(call, "kernel state bytes", state.length, STACK_AT + KEY_LENGTH * depth);
  },
};

/**
 * The stack has one subtree for each bit set in the number of whole chunks. If no chunk follows yet, the last merge is
 * deferred for the root: a last subtree of several chunks is still in two halves, the second of which may be in two
 * halves too, and so on down to one chunk.
 */
function checkDepth(depth: number, chunks: bigint, chunkInProgress: boolean, call: string): void {
  const zeros = chunks.toString(2).split("1");
  const merged = zeros.length - 1;
  const halvings = chunkInProgress ? 0 : merged && (zeros[merged] as string).length;
  requireNumber(call, "stack depth", depth, merged + Math.sign(halvings), merged + halvings);
  if (!chunkInProgress && chunks === 1n) throw refusal(call, "its first chunk in progress", "none");
}
