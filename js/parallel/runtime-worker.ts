// A worker in any runtime: started from its source text, and monitored so that its end is noticed.

import { builtin } from "../input/builtin.js";
import { readGlobal } from "../input/globals.js";
import { workerSource } from "./worker-source.js";

/** The callbacks for a worker's messages and its end. */
interface Listener {
  receive(message: unknown): void;
  /** The worker has failed or ended. May be called more than once. */
  end(): void;
}

/** The pool's side of a worker. */
export interface RuntimeWorker {
  post(message: unknown, transfer: ArrayBuffer[]): void;
  /** Sets whether the worker keeps the process alive. */
  setRef(isReferenced: boolean): void;
  /** Ends the worker; resolves to true if it has certainly stopped, false if that cannot be determined. */
  terminate(): Promise<boolean>;
}

const NAME = "blake-simd";

/** Whether the runtime may support workers. */
export function mayHaveWorkers(): boolean {
  return builtin("node:worker_threads") !== undefined || hasWebWorkers();
}

/** Addresses for a worker: Node reserves up to 0.85 GiB, and ends the process if there are fewer (nodejs/node#25933). */
const WORKER_ADDRESSES = 2 ** 31;

/** Returns the number of workers for which a limit of the process's addresses (`ulimit -v`) has room. */
export function workersThatFit(): number {
  // Deno would ask for permission, and needs fewer addresses.
  const fs = "Deno" in globalThis ? undefined : builtin("node:fs");
  try {
    const read = (file: string, pattern: RegExp) => Number(pattern.exec(fs?.readFileSync(file, "latin1") ?? "")?.[1]);
    const limit = read("/proc/self/limits", /^Max address space +(\d+)/m);
    const taken = read("/proc/self/status", /^VmSize:\s*(\d+) kB/m) * 1024;
    if (limit > taken) return Math.floor((limit - taken) / WORKER_ADDRESSES);
  } catch {
    // Not Linux, or not permitted.
  }
  return Number.POSITIVE_INFINITY;
}

function hasWebWorkers(): boolean {
  return [() => Worker, () => Blob, () => URL.createObjectURL].every(
    (read) => typeof readGlobal<unknown>(read) === "function",
  );
}

/** Starts a worker; returns undefined if the runtime has no workers or refuses. */
export function startWorker(listener: Listener): RuntimeWorker | undefined {
  for (const start of [startNodeWorker, startWebWorker]) {
    try {
      const worker = start(listener);
      if (worker) return worker;
    } catch {
      // Try the next kind.
    }
  }
  return undefined;
}

/** Node, Deno, Bun. */
function startNodeWorker(listener: Listener): RuntimeWorker | undefined {
  const threads = builtin("node:worker_threads");
  if (!threads) return undefined;
  const worker = new threads.Worker(workerSource, { eval: true, execArgv: [], name: NAME });
  worker.on("message", listener.receive);
  for (const event of ["messageerror", "error", "exit"]) worker.on(event, listener.end);
  return {
    post: (message, transfer) => worker.postMessage(message, transfer),
    setRef: (isReferenced) => (isReferenced ? worker.ref() : worker.unref()),
    terminate: () => worker.terminate().then(() => true),
  };
}

/** Browsers. If a page's policy forbids workers from a Blob, `end` is called at once. */
function startWebWorker(listener: Listener): RuntimeWorker | undefined {
  if (!hasWebWorkers()) return undefined;
  const url = URL.createObjectURL(new Blob([workerSource], { type: "text/javascript" }));
  // Not before the script has been loaded.
  const revoke = (): void => URL.revokeObjectURL(url);
  let worker: Worker;
  try {
    worker = new Worker(url, { name: NAME });
  } catch (error) {
    // The page's policy refuses it.
    revoke();
    throw error;
  }
  for (const event of ["message", "error"]) worker.addEventListener(event, revoke, { once: true });
  worker.addEventListener("message", ({ data }) => listener.receive(data));
  for (const event of ["messageerror", "error"]) worker.addEventListener(event, listener.end);
  return {
    post: (message, transfer) => worker.postMessage(message, transfer),
    setRef: () => {},
    terminate: async () => {
      worker.terminate();
      revoke();
      return false;
    },
  };
}
