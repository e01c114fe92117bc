// Blobs as bytes, and where an engine keeps them.

/** Reads a Blob's bytes, and checks that there are `length` of them: a file behind the Blob may have changed. */
export async function bytesOf(blob: Blob, length: number): Promise<Uint8Array> {
  const buffer = (await blob.arrayBuffer()) as ArrayBuffer | undefined;
  // A detached buffer has the length 0, and no view can be made of it.
  const bytes = new Uint8Array(buffer?.byteLength ? buffer : []);
  if (bytes.length === length) return bytes.subarray(0, length);
  throw new Error(`the Blob changed while it was being hashed: expected ${length} bytes, got ${bytes.length}`);
}

/** Microtasks until a Blob in this process's memory has been read: 1 in Bun, 2 in Node, 7 in Deno. */
const MICROTASKS = 32;

/** Whether the engine keeps Blobs in the memory of this process. */
let inProcess: Promise<boolean> | undefined;

/** In Node, a larger Blob of a file has a wrong size, and a slice from this position on ends the process. */
const MAX_SIZE = 2 ** 32;

/** Returns whether a Blob can be read by slices without waiting for each. */
export async function isSliceable(blob: Blob): Promise<boolean> {
  return blob.size < MAX_SIZE && isInMemory(blob);
}

/**
 * Returns whether a Blob's bytes are in the memory of this process. Node, Deno and Bun then read them without the event
 * loop, which files need, and all Blobs in browsers, whose bytes are in another process or thread.
 */
async function isInMemory(blob: Blob): Promise<boolean> {
  inProcess ??= readsAtOnce(new Blob(["a"]));
  return (await inProcess) && readsAtOnce(blob.slice(0, 1));
}

async function readsAtOnce(blob: Blob): Promise<boolean> {
  let read = false;
  const settle = (): void => {
    read = true;
  };
  blob.arrayBuffer().then(settle, () => {});
  for (let i = 0; i < MICROTASKS && !read; i++) await undefined;
  return read;
}
