// What a saved state of BLAKE3 may hold.
import { DERIVE_KEY_MATERIAL, IV, KEY_LENGTH, KEYED_HASH } from "./blake3-mode.js";
import { HEAD_LENGTH, readHead, type StateForm, viewOf } from "./state.js";
import type { StateCheck } from "./state-check.js";

// The state of wasm/blake3.c: head, key, chaining value, block buffer, blocks, depth, number of the first chunk, stack.
const KEY_AT = HEAD_LENGTH;
const CHAIN_AT = KEY_AT + KEY_LENGTH;
const BUFFER_AT = CHAIN_AT + KEY_LENGTH;
const BLOCKS_AT = BUFFER_AT + 64;
const DEPTH_AT = BLOCKS_AT + 4;
const ORIGIN_AT = DEPTH_AT + 4;
const STACK_AT = ORIGIN_AT + 8;

export const stateForm: StateForm = {
  bufferOffset: BUFFER_AT,
  bufferLength: 64,
  checkParameters(parameters, _digestLength, check) {
    const mode = parameters[KEY_LENGTH] as number;
    const modes = [0, KEYED_HASH, DERIVE_KEY_MATERIAL];
    if (!modes.includes(mode)) check.refuse(`a mode of ${modes.join(", ")}`, mode);
    if (mode === 0) check.same("the IV as key of the plain mode", parameters.subarray(0, KEY_LENGTH), IV);
    check.zero("padding of the parameters", parameters.subarray(KEY_LENGTH + 1));
  },
  checkState(state, fresh, check) {
    const { flags, buffered, count } = readHead(state);
    const view = viewOf(state);
    const blocks = view.getUint32(BLOCKS_AT, true);
    const waiting = BigInt(64 * blocks + buffered);
    check.equal("flags", flags, readHead(fresh).flags);
    check.same("its parameters' key", state.subarray(KEY_AT, CHAIN_AT), fresh.subarray(KEY_AT, CHAIN_AT));
    check.within("byte count", count, 0n, 2n ** 64n - 1n);
    check.within("blocks of a chunk", blocks, 0, 15);
    // A chunk's last block waits until a byte follows it, so a chunk in progress has some in the buffer.
    if (blocks > 0) check.within("buffered length", buffered, 1, 64);
    else check.same("the key to start a chunk", state.subarray(CHAIN_AT, BUFFER_AT), fresh.subarray(KEY_AT, CHAIN_AT));
    check.equal("byte count modulo the chunk's 1024", count % 1024n, waiting % 1024n);
    check.zero("number of the first chunk", state.subarray(ORIGIN_AT, STACK_AT));
    const depth = view.getUint32(DEPTH_AT, true);
    checkDepth(depth, (count - waiting) / 1024n, waiting > 0n, check);
    check.equal("kernel state bytes", state.length, STACK_AT + KEY_LENGTH * depth);
  },
};

/**
 * The stack has one subtree for each bit that is set in the number of whole chunks. Where no chunk follows yet, something
 * is left to fold into the root: a last subtree of several chunks is still in two halves, the second of which may be in
 * two halves again, down to one chunk.
 */
function checkDepth(depth: number, chunks: bigint, chunkInProgress: boolean, check: StateCheck): void {
  const zeros = chunks.toString(2).split("1");
  const merged = zeros.length - 1;
  const halvings = merged && (zeros[merged] as string).length;
  if (chunkInProgress || halvings === 0) check.equal("stack depth", depth, merged);
  else check.within("stack depth", depth, merged + 1, merged + halvings);
  if (!chunkInProgress && chunks === 1n) check.refuse("its first chunk in progress until a byte follows it", "none");
}
