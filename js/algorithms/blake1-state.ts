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
    checkParameters(parameters, length, name) {
      requireNumber(name, "digest length", length, digestLength);
      requireSame(name, "its initial value", parameters, plain, 0, 8 * word);
      requireSame(name, "its padding's last bit", parameters, plain, 12 * word, plain.length);
    },
    checkState(state, { count, buffered }, fresh, name) {
      // The message length in bits is a counter of two words.
      requireAtMost(name, "byte count", count, (1n << BigInt(16 * word - 3)) - 1n);
      requireNumber(name, "buffered length", buffered, Number(count % BigInt(16 * word)));
      requireSame(name, "its parameters' salt", state, fresh, salt, buffer);
      if (count < 16 * word) requireSame(name, "the first chaining value", state, fresh, HEAD_LENGTH, salt);
    },
  };
}
