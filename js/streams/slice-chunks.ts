// The chunks of a Blob in memory, slice by slice.
import { isSliceable } from "../input/blobs.js";
import { lengthOf } from "../input/views.js";
import type { Chunks } from "./chunks.js";

/** Bytes in a slice. Of 256 KiB to 16 MiB, 1 to 4 MiB were read fastest, and 1 MiB takes the least memory. */
const SLICE_SIZE = 1024 * 1024;

/**
 * Returns whether slices are the faster way to read a Blob: if it is in the memory of this process. Node and Deno first copy
 * all that a stream is of into one chunk, whose pages are new to the system, and then into the reader's buffer. A slice is
 * copied once, into memory that is soon used again. In browsers it is a request that has to be waited for.
 */
export async function isFasterInSlices(blob: Blob): Promise<boolean> {
  // A file that is gone may have the size 0; its stream fails.
  return blob instanceof Blob && blob.size > 0 && isSliceable(blob);
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
        this.#at += lengthOf(result.value as Uint8Array);
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
