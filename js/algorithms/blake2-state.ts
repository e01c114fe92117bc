// The valid saved states of BLAKE2 (docs/states.md).

import { HEAD_LENGTH, type Head } from "../engine/memory.js";
import type { StateForm } from "../engine/saved-state.js";
import { requireAtMost, requireNumber, requireSame, requireZeros } from "../engine/saved-state-checks.js";
import { EXTENDABLE, leavesOf, nodeDepthAt, outputLength, PARALLEL, unknownLength, type Word } from "./blake2-block.js";

/** The state of wasm/blake2/mode.h: header, chaining value, block buffer. */
export function sequentialForm(word: Word): StateForm {
  const buffer = HEAD_LENGTH + 8 * word;
  return {
    keptParameters: (parameters) => (parameters[1] === 0 ? 0 : 16 * word),
    bufferOffset: buffer,
    bufferLength: 16 * word,
    grows: false,
    checkParameters(parameters, digestLength, call) {
      const inner = nodeDepthAt(word) + 1;
      checkDigest(word, parameters, digestLength, call);
      checkKey(word, parameters, call);
      requireNumber(call, "maxDepth", parameters[3] as number, 1, 255);
      requireNumber(call, "innerHashLength", parameters[inner] as number, 0, 8 * word);
      requireZeros(call, "reserved parameters", parameters, inner + 1, 4 * word);
      requireNumber(call, "lastNode", parameters[16 * word] as number, 0, 1);
    },
    checkState(state, head, fresh, call) {
      checkChain(word, state, head, fresh, call);
    },
  };
}

/** The state of wasm/blake2/tree.h: header, chaining values of the root and the leaves, two stripes of blocks. */
export function parallelForm(word: Word): StateForm {
  const leaves = leavesOf(word);
  const stripe = leaves * 16 * word;
  const bufferOffset = HEAD_LENGTH + (1 + leaves) * 8 * word;
  return {
    bufferOffset,
    bufferLength: 2 * stripe,
    keptParameters: () => 0,
    grows: false,
    checkParameters(parameters, digestLength, call) {
      const depth = nodeDepthAt(word);
      checkDigest(word, parameters, digestLength, call);
      checkKey(word, parameters, call);
      requireNumber(call, "fanout", parameters[2] as number, leaves);
      requireNumber(call, "maxDepth", parameters[3] as number, 2);
      requireZeros(call, "leaf length, node offset and node depth", parameters, 4, depth + 1);
      requireNumber(call, "innerHashLength", parameters[depth + 1] as number, 8 * word);
      requireZeros(call, "reserved parameters, salt and personal", parameters, depth + 2, 8 * word);
      requireNumber(call, "mode", parameters[16 * word] as number, PARALLEL);
    },
    checkState(state, head, fresh, call) {
      const total = checkCounts(word, head, call);
      // A stripe stays buffered until every leaf has another byte after it.
      const waitingMax = BigInt(2 * stripe - 16 * word);
      const stripes = total > waitingMax ? (total - waitingMax - 1n) / BigInt(stripe) + 1n : 0n;
      requireNumber(call, "buffered length", head.buffered, Number(total - stripes * BigInt(stripe)));
      const end = stripes === 0n ? bufferOffset : HEAD_LENGTH + 8 * word;
      requireSame(call, "the first chaining values", state, fresh, HEAD_LENGTH, end);
    },
  };
}

/** The state of wasm/blake2/extendable.h: the sequential state, then the first 8 words of the parameters. */
export function extendableForm(word: Word): StateForm {
  const sequential = sequentialForm(word);
  const block = sequential.bufferOffset + sequential.bufferLength;
  return {
    ...sequential,
    checkParameters(parameters, digestLength, call) {
      const depth = nodeDepthAt(word);
      const length = outputLength(word, parameters);
      requireNumber(call, "longest digest", parameters[0] as number, 8 * word);
      checkKey(word, parameters, call);
      requireNumber(call, "fanout", parameters[2] as number, 1);
      requireNumber(call, "maxDepth", parameters[3] as number, 1);
      requireZeros(call, "leaf length and node offset", parameters, 4, 12);
      requireNumber(call, "output length", length, 1, unknownLength(word));
      requireNumber(call, "digest length", digestLength, length === unknownLength(word) ? 8 * word : length);
      requireZeros(call, "other parameters", parameters, depth, 4 * word);
      requireNumber(call, "mode", parameters[16 * word] as number, EXTENDABLE);
    },
    checkState(state, head, fresh, call) {
      checkChain(word, state, head, fresh, call);
      requireSame(call, "its parameters at its end", state, fresh, block, state.length);
    },
  };
}

function checkDigest(word: Word, parameters: Uint8Array, digestLength: number, call: string): void {
  requireNumber(call, "digest length", parameters[0] as number, 1, 8 * word);
  requireNumber(call, "digest length", digestLength, parameters[0] as number);
}

function checkKey(word: Word, parameters: Uint8Array, call: string): void {
  const keyLength = parameters[1] as number;
  requireNumber(call, "key length", keyLength, 0, 8 * word);
  requireZeros(call, "padding of the key", parameters, 8 * word + keyLength, 16 * word);
  requireZeros(call, "padding of the parameters", parameters, 16 * word + 1);
}

function checkChain(word: Word, state: Uint8Array, head: Head, fresh: Uint8Array, call: string): void {
  const block = 16 * word;
  const total = checkCounts(word, head, call);
  // A full block stays buffered until a byte follows it.
  const waiting = total === 0n ? 0 : Number((total - 1n) % BigInt(block)) + 1;
  requireNumber(call, "buffered length", head.buffered, waiting);
  if (total <= block) requireSame(call, "the first chaining value", state, fresh, HEAD_LENGTH, HEAD_LENGTH + 8 * word);
}

/** Returns the number of bytes so far, including the block of the key. */
function checkCounts(word: Word, head: Head, call: string): bigint {
  const total = head.count + BigInt(head.prefix);
  requireAtMost(call, "byte count, its key's block included,", total, (1n << BigInt(16 * word)) - 1n);
  return total;
}
