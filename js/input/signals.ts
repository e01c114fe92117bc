// AbortSignals of callers.
import { wrongKind } from "./errors.js";
import { OwnPromise } from "./promises.js";

/** @throws TypeError for a value that is neither an AbortSignal, of any realm, nor undefined */
export function requireSignal(name: string, signal: unknown): asserts signal is AbortSignal | undefined {
  if (signal === undefined) return;
  const { aborted, addEventListener, removeEventListener, throwIfAborted } = Object(signal) as Partial<AbortSignal>;
  const methods = [addEventListener, removeEventListener, throwIfAborted];
  if (typeof aborted === "boolean" && methods.every((method) => typeof method === "function")) return;
  throw wrongKind(name, "signal", "an AbortSignal", signal);
}

type Act = (reason: unknown) => void;

interface Listening {
  readonly acts: Set<Act>;
  readonly listener: () => void;
}

/** One listener for each signal, however many calls it is given to: Node 20 warns of more than ten. */
const listening = /* @__PURE__ */ new WeakMap<AbortSignal, Listening>();

function listen(signal: AbortSignal): Listening {
  const acts = new Set<Act>();
  const listener = (): void => {
    listening.delete(signal);
    const reason = reasonOf(signal);
    for (const act of acts) act(reason);
    acts.clear();
  };
  signal.addEventListener("abort", listener, { once: true });
  const all = { acts, listener };
  listening.set(signal, all);
  return all;
}

/** Returns the reason of an aborted signal, or the error that reading it throws. */
function reasonOf(signal: AbortSignal): unknown {
  try {
    return signal.reason;
  } catch (error) {
    return error;
  }
}

/**
 * Calls `act` with the reason once the signal is aborted, at once if it has been. If it cannot be listened to, calls it
 * with the error. Returns a function that stops listening.
 */
export function onAbort(signal: AbortSignal | undefined, act: Act): () => void {
  let all: Listening | undefined;
  try {
    if (signal && !signal.aborted) all = listening.get(signal) ?? listen(signal);
    all?.acts.add(act);
    if (signal?.aborted) act(reasonOf(signal));
  } catch (error) {
    act(error);
  }
  return () => {
    if (!signal || !all?.acts.delete(act) || all.acts.size > 0) return;
    listening.delete(signal);
    try {
      signal.removeEventListener("abort", all.listener);
    } catch {}
  };
}

/**
 * Settles as the work does, but rejects as soon as the signal is aborted. It does not stop the work itself.
 *
 * @param drop frees a result that comes too late
 */
export function unlessAborted<T>(
  signal: AbortSignal | undefined,
  work: Promise<T>,
  drop?: (result: T, reason: unknown) => void,
): Promise<T> {
  if (!signal) return work;
  return new OwnPromise((resolve, reject) => {
    let over: { readonly reason: unknown } | undefined;
    const stop = (reason: unknown): void => {
      over ??= { reason };
      reject(reason);
    };
    const end = onAbort(signal, stop);
    const settle = (result: T): void => {
      try {
        // Another listener may have kept the event from this one.
        if (signal.aborted) stop(reasonOf(signal));
      } catch (error) {
        stop(error);
      }
      if (over) drop?.(result, over.reason);
      else resolve(result);
    };
    const fail = (error: unknown): void => {
      end();
      reject(error);
    };
    work.then(settle).then(end, fail);
  });
}
