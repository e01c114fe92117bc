// The valid saved states of BLAKE (docs/states.md).

import { HEAD_LENGTH, readHead } from "../engine/memory.js";
import type { StateForm } from "../engine/saved-state.js";
import { requireNumber, requireSame } from "../engine/saved-state-checks.js";
import { type Blake1Variant, unsalted } from "./blake1-variants.js";

/** The state of wasm/blake1/: header, chaining value, salt, block buffer. */
export function blake1Form(variant: Blake1Variant): StateForm {
  const { word, digestLength } = variant;
  const plain = unsalted(variant);
  const salt = HEAD_LENGTH + 8 * word;
  const buffer = salt + 4 * word;
  return {
    bufferOffset: buffer,
    bufferLength: 16 * word,
    checkParameters(parameters, length, name) {
      requireNumber(name, "digest length", length, digestLength);
      requireSame(name, "its initial value", parameters.subarray(0, 8 * word), plain.subarray(0, 8 * word));
      requireSame(name, "its padding's last bit", parameters.subarray(12 * word), plain.subarray(12 * word));
    },
    checkState(state, fresh, name) {
      checkCounts(word, state, fresh, name);
      requireSame(name, "its parameters' salt", state.subarray(salt, buffer), fresh.subarray(salt, buffer));
      if (readHead(state).count >= 16 * word) return;
      const chain = [HEAD_LENGTH, salt] as const;
      requireSame(name, "the first chaining value", state.subarray(...chain), fresh.subarray(...chain));
    },
  };
}

function checkCounts(word: 4 | 8, state: Uint8Array, fresh: Uint8Array, name: string): void {
  const { count, buffered } = readHead(state);
  requireNumber(name, "kernel state bytes", state.length, fresh.length);
  // The message length in bits is a counter of two words.
  requireNumber(name, "byte count", count, 0n, (1n << BigInt(16 * word - 3)) - 1n);
  requireNumber(name, "buffered length", buffered, Number(count % BigInt(16 * word)));
}
