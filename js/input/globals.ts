// How the package looks at globals that an environment may lack or guard. `process`, `Buffer` and `setImmediate` are read from
// globalThis: for a bare name some bundlers add a substitute.

/** Whether an error says that the stack is exhausted. At its end a regular expression cannot be compiled either. */
export function isStackOverflow(error: unknown): boolean {
  return ["stack", "recursion"].some((word) => String(error).includes(word));
}

/**
 * Returns what `read` reads of the globals; undefined if it throws, as it does for a missing name and as sandboxes do for names
 * that they forbid.
 *
 * @throws a stack overflow alone, which says nothing about the environment
 */
export function readGlobal<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (isStackOverflow(error)) throw error;
    return undefined;
  }
}

/** Returns whether a value is a URL object of this realm. */
export function isUrl(value: unknown): value is URL {
  return readGlobal(() => value instanceof URL) ?? false;
}
