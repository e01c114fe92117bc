// The forms of saved states (docs/states.md): which lengths and counts they have.
import { HEAD_LENGTH, uint32At } from "../engine/memory.js";
import type { StateForm } from "../engine/saved-state.js";
import { refusal, requireNumber, requireZeros } from "../engine/saved-state-checks.js";
import { BLAKE224, BLAKE256, BLAKE384, BLAKE512, type Blake1Variant } from "./blake1-variants.js";
import { EXTENDABLE, leavesOf, outputLength, PARALLEL, unknownLength, type Word } from "./blake2-block.js";
import { KEY_LENGTH, MODES } from "./blake3-mode.js";

/** The state of wasm/blake1/: header, chaining value, salt, block buffer. */
function blake1({ word, digestLength }: Blake1Variant): StateForm {
  const block = BigInt(16 * word);
  return {
    bufferOffset: HEAD_LENGTH + 12 * word,
    bufferLength: 16 * word,
    flags: [digestLength === 8 * word ? 1 : 0],
    grows: false,
    allowsDigest: (length) => length === digestLength,
    keptParameters: () => 0,
    checkLengths(_state, { count, buffered }, call) {
      requireNumber(call, "buffered length", buffered, Number(count % block));
    },
  };
}

/** The state of wasm/blake2/mode.h: header, chaining value, block buffer. */
function sequential(word: Word): StateForm {
  const block = BigInt(16 * word);
  return {
    bufferOffset: HEAD_LENGTH + 8 * word,
    bufferLength: 16 * word,
    flags: [0, 1],
    grows: false,
    allowsDigest: (length, parameters) => length === parameters[0] && length > 0 && length <= 8 * word,
    keptParameters: (parameters) => (parameters[1] === 0 ? 0 : 16 * word),
    checkLengths(_state, { count, prefix, buffered }, call) {
      const total = count + BigInt(prefix);
      // A full block stays buffered until a byte follows it.
      requireNumber(call, "buffered length", buffered, total === 0n ? 0 : Number((total - 1n) % block) + 1);
    },
  };
}

/** The state of wasm/blake2/extendable.h: the sequential state, then the first 8 words of the parameters. */
function extendable(word: Word): StateForm {
  return {
    ...sequential(word),
    flags: [EXTENDABLE],
    allowsDigest(length, parameters) {
      const output = outputLength(word, parameters);
      return length > 0 && length === (output === unknownLength(word) ? 8 * word : output);
    },
  };
}

/** The state of wasm/blake2/tree.h: header, chaining values of the root and the leaves, two stripes of blocks. */
function parallel(word: Word): StateForm {
  const leaves = leavesOf(word);
  const stripe = BigInt(leaves * 16 * word);
  // A stripe stays buffered until every leaf has another byte after it.
  const most = 2n * stripe - BigInt(16 * word);
  return {
    ...sequential(word),
    bufferOffset: HEAD_LENGTH + (1 + leaves) * 8 * word,
    bufferLength: Number(2n * stripe),
    flags: [PARALLEL],
    keptParameters: () => 0,
    checkLengths(_state, { count, prefix, buffered }, call) {
      const total = count + BigInt(prefix);
      const stripes = total > most ? (total - most - 1n) / stripe + 1n : 0n;
      requireNumber(call, "buffered length", buffered, Number(total - stripes * stripe));
    },
  };
}

// The state of wasm/blake3/blake3.c: header, key, chaining value, block buffer, blocks, depth, zeros, stack.
const BUFFER_AT = 96;
const BLOCKS_AT = 160;
const DEPTH_AT = 164;
const ZEROS_AT = 168;
const STACK_AT = 176;

const BLAKE3: StateForm = {
  bufferOffset: BUFFER_AT,
  bufferLength: 64,
  flags: MODES,
  grows: true,
  allowsDigest: () => true,
  keptParameters: () => 0,
  checkLengths(state, { count, buffered }, call) {
    const blocks = uint32At(state, BLOCKS_AT);
    const depth = uint32At(state, DEPTH_AT);
    // The last block stays buffered until a byte follows it, so the buffer of a chunk in progress is never empty.
    const inChunk = Number(count % 1024n) || (buffered && 1024);
    requireNumber(call, "blocks of a chunk", blocks, inChunk && (inChunk - 1) >> 6);
    requireNumber(call, "buffered length", buffered, inChunk - 64 * blocks);
    requireZeros(call, "bytes after the depth", state, ZEROS_AT, STACK_AT);
    checkDepth(depth, (count - BigInt(inChunk)) / 1024n, inChunk > 0, call);
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

export const FORMS: Readonly<Record<string, StateForm>> = {
  blake224: /* @__PURE__ */ blake1(BLAKE224),
  blake256: /* @__PURE__ */ blake1(BLAKE256),
  blake384: /* @__PURE__ */ blake1(BLAKE384),
  blake512: /* @__PURE__ */ blake1(BLAKE512),
  blake2b: /* @__PURE__ */ sequential(8),
  blake2bp: /* @__PURE__ */ parallel(8),
  blake2xb: /* @__PURE__ */ extendable(8),
  blake2s: /* @__PURE__ */ sequential(4),
  blake2sp: /* @__PURE__ */ parallel(4),
  blake2xs: /* @__PURE__ */ extendable(4),
  blake3: BLAKE3,
};
