// The chunks of a Blob, read in the way that is faster in this engine.
import type { Chunks } from "./digest-of.js";

/** Bytes in a slice. Of 256 KiB to 16 MiB, 1 to 4 MiB were read fastest, and 1 MiB takes the least memory. */
const SLICE_SIZE = 1024 * 1024;

/** Microtasks until a Blob in this process's memory has been read: 1 in Bun, 2 in Node, 7 in Deno. */
const MICROTASKS = 32;

/** In Node, slicing a Blob from this position on ends the process. */
const MAX_SIZE = 2 ** 32;

/** Whether the engine keeps Blobs in the memory of this process. */
let inProcess: Promise<boolean> | undefined;

/**
 * Returns whether slices are the faster way to read a Blob: if its bytes are in the memory of this process. Node, Deno and
 * Bun then read them without the event loop, which files need, and all Blobs in browsers, whose bytes are in another
 * process or thread.
 *
 * Node and Deno first copy all that a stream is of into one chunk, whose pages are new to the system, and then into the
 * reader's buffer. A slice is copied once, into memory that is soon used again. Where it is a request that has to be
 * waited for, the stream of the whole Blob is faster.
 */
export async function isFasterInSlices(blob: Blob): Promise<boolean> {
  // A file that is gone may have the size 0; its stream fails.
  if (!(blob.size > 0 && blob.size < MAX_SIZE && blob instanceof Blob)) return false;
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

/** The chunks of a Blob's slices, each of which `open` reads. */
export class SliceChunks implements Chunks {
  readonly total: number;
  readonly #name: string;
  readonly #blob: Blob;
  readonly #open: (slice: Blob) => Chunks;
  #slice: Chunks;
  /** Bytes read so far. */
  #at = 0;
  /** Where the slice ends that is being read. */
  #end = 0;

  constructor(name: string, blob: Blob, open: (slice: Blob) => Chunks) {
    this.total = blob.size;
    this.#name = name;
    this.#blob = blob;
    this.#open = open;
    this.#slice = this.#nextSlice();
  }

  async next(): Promise<IteratorResult<unknown>> {
    for (;;) {
      const result = await this.#slice.next();
      if (!result.done) {
        this.#at += (result.value as Uint8Array).length;
        return result;
      }
      if (this.#at !== this.#end) throw this.#changed();
      if (this.#end === this.total) return result;
      this.#slice = this.#nextSlice();
    }
  }

  cancel(reason: unknown): unknown {
    return this.#slice.cancel(reason);
  }

  #nextSlice(): Chunks {
    this.#end = Math.min(this.#at + SLICE_SIZE, this.total);
    return this.#open(this.#blob.slice(this.#at, this.#end));
  }

  #changed(): Error {
    const got = this.total + this.#at - this.#end;
    const text = `the Blob changed while it was being hashed: expected ${this.total} bytes, got ${got}`;
    return new Error(`${this.#name}: ${text}`);
  }
}
