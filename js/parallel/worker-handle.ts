// A worker in any runtime: started from its source text, and monitored so that its end is noticed.
import { readGlobal } from "../input/globals.js";
import { builtin } from "./builtin.js";
import { workerSource } from "./worker-source.js";

/** The callbacks for a worker's messages and its end. */
export interface Listener {
  receive(message: unknown): void;
  /** The worker has failed or ended. May be called more than once. */
  end(): void;
}

/** The pool's side of a worker. */
export interface WorkerHandle {
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

function hasWebWorkers(): boolean {
  return [() => Worker, () => Blob, () => URL.createObjectURL].every(
    (read) => typeof readGlobal<unknown>(read) === "function",
  );
}

/** Starts a worker and sends it a first message; returns undefined if the runtime has no workers or refuses. */
export function startWorker(message: unknown, listener: Listener): WorkerHandle | undefined {
  return attempt(startNodeWorker, message, listener) ?? attempt(startWebWorker, message, listener);
}

type Starter = (listener: Listener) => WorkerHandle | undefined;

function attempt(start: Starter, message: unknown, listener: Listener): WorkerHandle | undefined {
  let remote: WorkerHandle | undefined;
  try {
    remote = start(listener);
    remote?.post(message, []);
    return remote;
  } catch {
    void remote?.terminate();
    return undefined;
  }
}

/** Node, Deno, Bun. */
function startNodeWorker(listener: Listener): WorkerHandle | undefined {
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
function startWebWorker(listener: Listener): WorkerHandle | undefined {
  if (!hasWebWorkers()) return undefined;
  const url = URL.createObjectURL(new Blob([workerSource], { type: "text/javascript" }));
  const worker = new Worker(url, { name: NAME });
  const loaded = (): void => URL.revokeObjectURL(url);
  worker.addEventListener("message", loaded, { once: true });
  worker.addEventListener("error", loaded, { once: true });
  worker.addEventListener("message", ({ data }) => listener.receive(data));
  for (const event of ["messageerror", "error"]) worker.addEventListener(event, listener.end);
  return {
    post: (message, transfer) => worker.postMessage(message, transfer),
    setRef: () => {},
    terminate: async () => {
      worker.terminate();
      return false;
    },
  };
}
