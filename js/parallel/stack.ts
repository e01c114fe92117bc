// Room on the stack.

/** Frames of `descend`, of at least 100 bytes each: many times what a pool's methods need. */
const FRAMES = 1024;

/**
 * Makes sure that the stack has room for the caller, so that it cannot overflow halfway.
 *
 * @throws RangeError, or whatever the engine throws if its stack is exhausted
 */
export function requireStack(): void {
  descend(FRAMES, 0, 0, 0, 0, 0);
}

// Not a tail call, for which an engine may not need a frame.
function descend(frames: number, a: number, b: number, c: number, d: number, e: number): number {
  return frames === 0 ? a + b + c + d + e : descend(frames - 1, b, c, d, e, a) + 1;
}
