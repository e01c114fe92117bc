// AbortSignals of callers.
import { wrongKind } from "./errors.js";

/** @throws TypeError for a value that is neither an AbortSignal, of any realm, nor undefined */
export function requireSignal(name: string, signal: unknown): asserts signal is AbortSignal | undefined {
  if (signal === undefined) return;
  const { aborted, addEventListener, throwIfAborted } = Object(signal) as Partial<AbortSignal>;
  const methods = [addEventListener, throwIfAborted];
  if (typeof aborted === "boolean" && methods.every((method) => typeof method === "function")) return;
  throw wrongKind(name, "signal", "an AbortSignal", signal);
}

/** Settles as the work does, but rejects as soon as the signal is aborted. It does not stop the work itself. */
export function unlessAborted<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
