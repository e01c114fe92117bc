// A worker, as every runtime has it: started from its source text, and watched, so that its end is not missed.
import { builtin } from "./builtin.js";
import { workerSource } from "./worker-source.js";

/** What is to be done with what comes from a worker. */
export interface Listener {
  receive(message: unknown): void;
  /** It cannot be relied on any more, or is gone. It may be said more than once. */
  end(): void;
}

/** A worker from outside. */
export interface WorkerHandle {
  post(message: unknown, transfer: ArrayBuffer[]): void;
  /** Says whether the process has to wait for it. */
  hold(held: boolean): void;
  /** Ends it; true where nothing of it runs any more, false where that cannot be known. */
  terminate(): Promise<boolean>;
}

const NAME = "blake-simd";

/** Whether workers can be tried for. */
export function mayHaveWorkers(): boolean {
  return builtin("node:worker_threads") !== undefined || hasWebWorkers();
}

function hasWebWorkers(): boolean {
  return typeof Worker === "function" && typeof Blob === "function" && typeof URL.createObjectURL === "function";
}

/** Starts a worker, with a message to begin with; undefined where the runtime has none or refuses. */
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
    hold: (held) => (held ? worker.ref() : worker.unref()),
    terminate: () => worker.terminate().then(() => true),
  };
}

/** Browsers. Where a page's policy forbids workers from a Blob, the end comes at once. */
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
    hold: () => {},
    terminate: async () => {
      worker.terminate();
      return false;
    },
  };
}
