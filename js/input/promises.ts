// Promises of any kind.

/**
 * The class of the promises that async functions return. Libraries replace the global `Promise`, maybe by a broken one;
 * core-js also replaces the `constructor` of the engine's own, and then this is the global class.
 */
export const OwnPromise: PromiseConstructor = /* @__PURE__ */ (() => {
  const promise = (async () => {})();
  const Own = promise.constructor as PromiseConstructor | undefined;
  return Own?.prototype === Object.getPrototypeOf(promise) ? (Own as PromiseConstructor) : globalThis.Promise;
})();

/**
 * Returns whether a value is to be awaited. Libraries replace the global Promise, of which the engine's own promises
 * are then no instances.
 */
export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as Partial<PromiseLike<T>> | null | undefined)?.then === "function";
}

/** Keeps the failure of a promise, or of what may be one, from being reported as unhandled. */
export function ignoreFailure(value: unknown): void {
  if (isThenable(value)) value.then(undefined, () => {});
}
