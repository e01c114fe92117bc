// Access to globals that an environment may lack or guard. `process`, `Buffer` and `setImmediate` are read from
// globalThis: for a bare name some bundlers add a substitute.

/**
 * Returns what `read` reads of the globals; undefined if it throws, as it does for a missing name and as sandboxes do
 * for names that they forbid.
 */
export function readGlobal<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

type Globals = typeof globalThis;

/**
 * Returns a function that returns a global as it was at import, since programs replace globals: tests their timers,
 * libraries their Promise. One that was missing then is looked up at each call: a polyfill may follow.
 */
export function atImport<Name extends keyof Globals>(name: Name): () => Globals[Name] | undefined {
  const find = (): Globals[Name] | undefined => readGlobal(() => globalThis[name]);
  const found = find();
  return () => found ?? find();
}

/** Returns whether a value is a URL object, of any realm. */
export function isUrl(value: unknown): value is URL {
  return Object.prototype.toString.call(value) === "[object URL]";
}
