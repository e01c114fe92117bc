// Calls at the end of the stack.

export const PADDINGS = Array.from({ length: 12 }, (_, count) => new Array(count).fill(0));

/**
 * Fills the stack, goes `levels` frames up again, and calls there with `padding` words more on the stack. Returns how the
 * call ended: `{ value }` or `{ error }`.
 */
export function callNearStackEnd(levels, padding, call) {
  const arguments_ = PADDINGS[padding % PADDINGS.length];
  let left = levels;
  let outcome;
  function act() {
    try {
      outcome = { value: call() };
    } catch (error) {
      outcome = { error };
    }
  }
  function descend() {
    try {
      descend();
    } catch {
      // Full: from here on upwards.
    }
    // If not even this fits, the next frame makes the call.
    if (left-- <= 0 && !outcome) act(...arguments_);
  }
  descend();
  return outcome;
}

/** Numbers that look random and are the same in each run. */
export function numbersFrom(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
