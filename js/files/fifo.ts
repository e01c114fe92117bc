// Named pipes (FIFOs) on Linux. A blocking open waits for a writer in a thread that cannot be interrupted and keeps the
// process alive; a FIFO that is opened without blocking and watched by the event loop can be closed at any time.
import { isNode } from "../input/blobs.js";
import { builtin, type FileSystem } from "../input/builtin.js";
import { readGlobal } from "../input/globals.js";

type Net = Pick<typeof import("node:net"), "Socket">;

/** A FIFO's bytes, until its last writer has closed it. After `destroy`, the iteration ends with an error. */
export interface Fifo extends AsyncIterable<Uint8Array> {
  destroy(): void;
}

/**
 * Whether a path leads to a FIFO that `openFifo` can open. On systems other than Linux, a FIFO that is opened without
 * blocking may look as if its writer had already closed it; Bun and Deno cannot watch one. A worker thread of Node closes
 * at its end the number of each descriptor that it opened, even if a socket has closed it and another file has the number.
 */
export async function isFifo(fs: FileSystem, path: string | Uint8Array | URL): Promise<boolean> {
  if (!canWatch()) return false;
  try {
    return (await fs.promises.stat(path as string)).isFIFO();
  } catch {
    // Opening the file reports the error.
    return false;
  }
}

/** Whether `openFifo` and `watchFifo` work here. */
export function canWatch(): boolean {
  if (!isNode() || readGlobal(() => globalThis.process.platform) !== "linux") return false;
  return builtin("node:worker_threads")?.isMainThread ?? false;
}

/** @throws the system's error */
export function openFifo(fs: FileSystem, net: Net, path: string | Uint8Array | URL): Fifo {
  // Without blocking, this does not wait for a writer.
  return watchFifo(fs, net, fs.openSync(path as string, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK));
}

/** The same for a FIFO that was opened without blocking. */
export function watchFifo(fs: FileSystem, net: Net, fd: number): Fifo {
  try {
    return new net.Socket({ fd, readable: true, writable: false });
  } catch (error) {
    // The path now leads to something that is not a FIFO.
    fs.closeSync(fd);
    throw error;
  }
}
