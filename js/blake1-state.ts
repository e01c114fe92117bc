// What saved states of BLAKE may hold: docs/states.md lists it for their readers.
import { HEAD_LENGTH, readHead, type StateForm } from "./state.js";
import type { StateCheck } from "./state-check.js";

/**
 * The state of wasm/blake1.h: head, chaining value, salt, block buffer.
 *
 * @param word its size in bytes
 * @param plain the parameters without a salt
 */
export function blake1Form(word: 4 | 8, digestLength: number, plain: Uint8Array): StateForm {
  const salt = HEAD_LENGTH + 8 * word;
  const buffer = salt + 4 * word;
  return {
    bufferOffset: buffer,
    bufferLength: 16 * word,
    checkParameters(parameters, length, check) {
      check.equal("digest length", length, digestLength);
      check.same("its initial value", parameters.subarray(0, 8 * word), plain.subarray(0, 8 * word));
      check.same("its padding's last bit", parameters.subarray(12 * word), plain.subarray(12 * word));
    },
    checkState(state, fresh, check) {
      checkCounts(word, state, fresh, check);
      check.same("its parameters' salt", state.subarray(salt, buffer), fresh.subarray(salt, buffer));
      if (readHead(state).count >= 16 * word) return;
      const chain = [HEAD_LENGTH, salt] as const;
      check.same("the first chaining value", state.subarray(...chain), fresh.subarray(...chain));
    },
  };
}

function checkCounts(word: 4 | 8, state: Uint8Array, fresh: Uint8Array, check: StateCheck): void {
  const { flags, count, buffered } = readHead(state);
  check.equal("kernel state bytes", state.length, fresh.length);
  check.equal("flags", flags, readHead(fresh).flags);
  // The message's bits are counted in two words.
  check.within("byte count", count, 0n, 2n ** BigInt(16 * word - 3) - 1n);
  check.equal("buffered length", buffered, Number(count % BigInt(16 * word)));
}
