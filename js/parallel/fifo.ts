// Named pipes (FIFOs) in Linux. Opening one waits for a writer in a thread that nothing can interrupt, and the process stays
// alive for it; opened without waiting and watched by the event loop, it can be given up.

type FileSystem = Pick<typeof import("node:fs"), "closeSync" | "constants" | "openSync" | "promises">;
type Net = Pick<typeof import("node:net"), "Socket">;

/** A FIFO's bytes, from the first writer on until the last one has closed it. `destroy` gives it up: they end by an error. */
export interface Fifo extends AsyncIterable<Uint8Array> {
  destroy(): void;
}

/**
 * Whether a path leads to a FIFO that `openFifo` can open. Elsewhere than in Linux, what is opened without waiting may look
 * as if its writer had gone already; Bun and Deno cannot watch it.
 */
export async function isFifo(fs: FileSystem, path: string | Uint8Array | URL): Promise<boolean> {
  const { platform, versions } = globalThis.process;
  if (platform !== "linux" || versions.bun || versions.deno) return false;
  try {
    return (await fs.promises.stat(path as string)).isFIFO();
  } catch {
    // Opening it says why.
    return false;
  }
}

/** @throws the system's error */
export function openFifo(fs: FileSystem, net: Net, path: string | Uint8Array | URL): Fifo {
  // This waits for nobody.
  const fd = fs.openSync(path as string, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  try {
    return new net.Socket({ fd, readable: true, writable: false });
  } catch (error) {
    // It has been replaced by something else.
    fs.closeSync(fd);
    throw error;
  }
}
