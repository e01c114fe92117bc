// Promises of any kind: libraries replace the global `Promise`, of which the engine's own are then no instances.

/** Returns whether a value is to be awaited. */
function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as Partial<PromiseLike<T>> | null | undefined)?.then === "function";
}

/** Keeps the failure of a promise, or of what may be one, from being reported as unhandled. */
export function ignoreFailure(value: unknown): void {
  if (isThenable(value)) value.then(undefined, () => {});
}
