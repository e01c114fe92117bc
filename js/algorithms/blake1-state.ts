// The valid saved states of BLAKE (docs/states.md).

import { HEAD_LENGTH } from "../engine/memory.js";
import type { StateForm } from "../engine/saved-state.js";
import { requireAtMost, requireNumber, requireSame } from "../engine/saved-state-checks.js";
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
    keptParameters: () => 0,
    grows: false,
    checkParameters(parameters, length, call) {
      requireNumber(call, "digest length", length, digestLength);
      requireSame(call, "its initial value", parameters, plain, 0, 8 * word);
      requireSame(call, "its padding's last bit", parameters, plain, 12 * word, plain.length);
    },
    checkState(state, { count, buffered }, fresh, call) {
      // The message length in bits is a counter of two words.
      requireAtMost(call, "byte count", count, (1n << BigInt(16 * word - 3)) - 1n);
      requireNumber(call, "buffered length", buffered, Number(count % BigInt(16 * word)));
      requireSame(call, "its parameters' salt", state, fresh, salt, buffer);
      if (count < 16 * word) requireSame(call, "the first chaining value", state, fresh, HEAD_LENGTH, salt);
    },
  };
}
