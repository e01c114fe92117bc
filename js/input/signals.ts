// AbortSignals of callers.
import { wrongKind } from "./errors.js";

/** @throws TypeError for a value that is neither an AbortSignal, of any realm, nor undefined */
export function requireSignal(name: string, signal: unknown): asserts signal is AbortSignal | undefined {
  if (signal === undefined) return;
  const { aborted, addEventListener, removeEventListener, throwIfAborted } = Object(signal) as Partial<AbortSignal>;
  const methods = [addEventListener, removeEventListener, throwIfAborted];
  if (typeof aborted === "boolean" && methods.every((method) => typeof method === "function")) return;
  throw wrongKind(name, "signal", "an AbortSignal", signal);
}

/** Calls `act` once the signal is aborted, at once if it has been. Returns what ends that. */
export function onAbort(signal: AbortSignal | undefined, act: () => void): () => void {
  signal?.addEventListener("abort", act, { once: true });
  if (signal?.aborted) act();
  return () => signal?.removeEventListener("abort", act);
}

/**
 * Settles as the work does, but rejects as soon as the signal is aborted. It does not stop the work itself.
 *
 * @param drop frees a result that comes too late
 */
export function unlessAborted<T>(
  signal: AbortSignal | undefined,
  work: Promise<T>,
  drop?: (result: T) => void,
): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const end = onAbort(signal, () => reject(signal.reason));
    const settle = (result: T): void => {
      // Another listener may have kept the event from this one.
      if (signal.aborted) {
        drop?.(result);
        reject(signal.reason);
      } else resolve(result);
    };
    work.then(settle, reject).finally(end).catch(reject);
  });
}
