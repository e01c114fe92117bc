// Named pipes (FIFOs) on Linux. A blocking open waits for a writer in a thread that cannot be interrupted and keeps the
// process alive; a FIFO that is opened without blocking and watched by the event loop can be closed at any time.
import { builtin, type FileSystem } from "../input/builtin.js";
import { isNode, readGlobal } from "../input/globals.js";

/** A FIFO's bytes, until its last writer has closed it. After `destroy`, the iteration ends with an error. */
export interface Fifo extends AsyncIterable<Uint8Array> {
  destroy(): void;
  once(event: "close", listener: () => void): unknown;
}

/**
 * Whether `openFifo` works here. On systems other than Linux, a FIFO that is opened without blocking may look as if its
 * writer had already closed it; Bun and Deno cannot watch one. A worker thread of Node closes at its end the number of
 * each descriptor that it opened, even if a socket has closed it and another file has the number.
 */
export function canWatch(): boolean {
  if (!isNode() || readGlobal(() => globalThis.process.platform) !== "linux") return false;
  return (builtin("node:net") && builtin("node:worker_threads")?.isMainThread) ?? false;
}

/**
 * Opens a FIFO, which does not wait for a writer.
 *
 * @throws the system's error
 */
export function openFifo(fs: FileSystem, path: string | Uint8Array): Fifo {
  const { Socket } = builtin("node:net") as typeof import("node:net");
  const fd = fs.openSync(path as string, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  try {
    return new Socket({ fd, readable: true, writable: false });
  } catch (error) {
    // The path now leads to something that is not a FIFO.
    fs.closeSync(fd);
    throw error;
  }
}
