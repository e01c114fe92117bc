// Calls made deep in a JavaScript stack that is nearly exhausted.

/** Calls `act` with so many frames of this function below it. */
function descend(frames: number, act: () => unknown): unknown {
  return frames === 0 ? act() : [descend(frames - 1, act)];
}

function deepest(): number {
  let frames = 0;
  const fits = (count: number): boolean => {
    try {
      descend(count, () => {});
      return true;
    } catch {
      return false;
    }
  };
  for (let step = 0x10000; step >= 1; step /= 2) while (fits(frames + step)) frames += step;
  return frames;
}

/** What an engine throws where its stack is exhausted. */
export function isOverflow(error: unknown): boolean {
  return error instanceof RangeError && /call stack/.test(error.message);
}

/**
 * Calls `act` at each of the last depths of the stack, and with each of `shifts` words more on it, so that the end of the
 * stack strikes at every place of what is called. `check` is called in between, at the bottom, with what was thrown.
 */
export async function atTheEndOfTheStack(
  act: () => unknown,
  check: (outcome: { value?: unknown; error?: unknown }) => unknown,
  { depths = 120, shifts = [0, 1, 3, 7] } = {},
): Promise<void> {
  const limit = deepest();
  for (let depth = limit - depths; depth <= limit; depth++) {
    for (const shift of shifts) {
      const words = Array(shift).fill(0);
      let outcome: { value?: unknown; error?: unknown } = {};
      try {
        descend(depth, () => {
          // What a promise holds is let through as it is.
          outcome = { value: Reflect.apply(act, undefined, words) };
        });
      } catch (error) {
        outcome = { error };
      }
      await check(outcome);
    }
  }
}
