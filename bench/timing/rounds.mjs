// Rounds in which no rival is lucky every time.

/** Calls that the stack grows by from round to round: an odd number, some hundred bytes. */
const STACK_STEP = 5;

/**
 * Does a round's work from a place of the stack that is not that of the rounds before. V8 spills 128-bit values to
 * unaligned places of the stack, and a page boundary among them can double a kernel's time.
 */
export function deeper(round, work) {
  return call(round * STACK_STEP, work);
}

function call(depth, work) {
  return depth === 0 ? work() : call(depth - 1, work);
}

/** Each round starts with a different task, so that none always follows the same one. */
export function rotated(list, round) {
  const start = round % Math.max(list.length, 1);
  return [...list.slice(start), ...list.slice(0, start)];
}
