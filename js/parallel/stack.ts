// Room on the JavaScript stack.

/** Frames of `descend`, of 100 bytes and more each: many times what a call of a pool takes. */
const FRAMES = 1024;

/**
 * Makes sure that there is room on the stack for what follows, so that it cannot end halfway.
 *
 * @throws RangeError, or what else the engine throws where its stack is exhausted
 */
export function requireStack(): void {
  descend(FRAMES, 0, 0, 0, 0, 0);
}

// No tail call: an engine may do without a frame for it.
function descend(frames: number, a: number, b: number, c: number, d: number, e: number): number {
  return frames === 0 ? a + b + c + d + e : descend(frames - 1, b, c, d, e, a) + 1;
}
