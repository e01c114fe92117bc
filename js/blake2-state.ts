// What saved states of BLAKE2 may hold: docs/states.md lists it for their readers.
import { HEAD_LENGTH, type Head, readHead, type StateForm } from "./state.js";
import type { StateCheck } from "./state-check.js";

/** The word size in bytes: 8 for BLAKE2b, 4 for BLAKE2s. */
type Word = 8 | 4;

// Where the parameter block has its last one-byte fields (BLAKE2 paper, section 2.8).
const nodeDepthAt = (word: Word) => (word === 8 ? 16 : 14);

/** The state of wasm/blake2.h: head, chaining value, block buffer. */
export function sequentialForm(word: Word): StateForm {
  const buffer = HEAD_LENGTH + 8 * word;
  return {
    bufferOffset: buffer,
    bufferLength: 16 * word,
    checkParameters(parameters, digestLength, check) {
      const inner = nodeDepthAt(word) + 1;
      checkDigestAndKey(word, parameters, digestLength, check);
      check.within("maxDepth", parameters[3] as number, 1, 255);
      check.within("innerHashLength", parameters[inner] as number, 0, 8 * word);
      check.zero("reserved parameters", parameters.subarray(inner + 1, 4 * word));
      check.within("lastNode", parameters[16 * word] as number, 0, 1);
    },
    checkState(state, fresh, check) {
      checkChain(word, state, fresh, check);
    },
  };
}

function checkDigestAndKey(word: Word, parameters: Uint8Array, digestLength: number, check: StateCheck): void {
  const [length = 0, keyLength = 0] = parameters;
  check.within("digest length", length, 1, 8 * word);
  check.equal("digest length", digestLength, length);
  check.within("key length", keyLength, 0, 8 * word);
  check.zero("padding of the key", parameters.subarray(8 * word + keyLength, 16 * word));
  check.zero("padding of the parameters", parameters.subarray(16 * word + 1));
}

function checkChain(word: Word, state: Uint8Array, fresh: Uint8Array, check: StateCheck): void {
  const block = 16 * word;
  const head = readHead(state);
  const total = checkCounts(word, head, readHead(fresh), check);
  check.equal("kernel state bytes", state.length, fresh.length);
  // A full block waits until a byte follows it.
  const waiting = total === 0n ? 0n : ((total - 1n) % BigInt(block)) + 1n;
  check.equal("buffered length", head.buffered, Number(waiting));
  if (total > block) return;
  const chain = [HEAD_LENGTH, HEAD_LENGTH + 8 * word] as const;
  check.same("the first chaining value", state.subarray(...chain), fresh.subarray(...chain));
}

/** Answers how many bytes there have been, a key's block included. */
function checkCounts(word: Word, head: Head, fresh: Head, check: StateCheck): bigint {
  const total = head.count + BigInt(head.prefix);
  check.equal("flags", head.flags, fresh.flags);
  check.within("byte count, its key's block included,", total, 0n, 2n ** BigInt(16 * word) - 1n);
  return total;
}
