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

/**
 * Calls `act` with the reason once the signal is aborted, at once if it has been. Returns a function that stops
 * listening.
 */
export function onAbort(signal: AbortSignal | undefined, act: (reason: unknown) => void): () => void {
  if (signal?.aborted) act(signal.reason);
  if (!signal || signal.aborted) return () => {};
  const listener = (): void => act(signal.reason);
  signal.addEventListener("abort", listener, { once: true });
  return () => signal.removeEventListener("abort", listener);
}

/**
 * Settles as the work does, but rejects as soon as the signal is aborted. It does not stop the work itself.
 *
 * @param drop frees a result that comes too late
 */
export async function unlessAborted<T>(
  signal: AbortSignal | undefined,
  work: Promise<T>,
  drop?: (result: T, reason: unknown) => void,
): Promise<T> {
  if (!signal) return work;
  let stopListening = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    stopListening = onAbort(signal, reject);
  });
  try {
    return await Promise.race([work, aborted]);
  } catch (error) {
    if (drop) work.then((late) => drop(late, error)).catch(() => {});
    throw error;
  } finally {
    stopListening();
  }
}
