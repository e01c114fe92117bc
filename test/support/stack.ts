// Calls made deep in a JavaScript stack that is nearly exhausted.

/** How a call ended. */
export interface Outcome<T> {
  readonly value?: T;
  readonly error?: unknown;
}

/** What an engine throws when its stack is exhausted. */
export function isOverflow(error: unknown): boolean {
  return error instanceof RangeError && /call stack/.test(error.message);
}

/** Exhausts the stack, and calls `act` in each frame on the way back, from the deepest one on. */
function descend<T>(act: () => T, frames: number, outcomes: Outcome<T>[]): void {
  try {
    descend(act, frames, outcomes);
  } catch {
    // This is as deep as it goes.
  }
  if (outcomes.length >= frames) return;
  try {
    outcomes.push({ value: act() });
  } catch (error) {
    outcomes.push({ error });
  }
}

/**
 * Calls `act` in each of the stack's last `frames` frames, the deepest first, with a given number of extra words below
 * them: by another shift, the end of the stack strikes at other places of what is called.
 */
export function atTheEndOfTheStack<T>(act: () => T, frames: number, shift: number): Outcome<T>[] {
  const outcomes: Outcome<T>[] = [];
  Reflect.apply(() => descend(act, frames, outcomes), undefined, Array(shift).fill(0));
  return outcomes;
}
