// Many messages side by side: fills the slices of a kernel's input area with them, one slice to a lane (wasm/many.h), and
// picks the digests up where the messages ended.
import { INPUT_SIZE, type Kernel } from "./kernel.js";

/** What a kernel's lanes can do. Lengths are in bytes. */
export interface Lanes {
  /** Longer messages are better hashed alone: their own blocks fill the lanes. */
  readonly longestMessage: number;
  /** Longer digests do not come out of one compression. */
  readonly longestDigest: number;
}

type Message = Uint8Array | string;

const encoder = /* @__PURE__ */ new TextEncoder();

/** The slices as they are filled. Places are offsets in the input area. */
class Slices {
  readonly #kernel: Kernel;
  readonly #block: number;
  readonly #size: number;
  /** Of each slice: the bytes in use, the most that have been, and its jobs. */
  readonly #used: Int32Array;
  readonly #soiled: Int32Array;
  readonly #jobs: Int32Array;
  /** The message that each slice cut off: which one, and what is still to come of it. */
  readonly #cut: Int32Array;
  readonly #rest: (Uint8Array | undefined)[];
  /** The messages that end here, and where their digests will be. */
  #endings = 0;
  readonly #ended: number[] = [];
  readonly #places: number[] = [];

  constructor(kernel: Kernel, block: number) {
    const zeros = () => new Int32Array(kernel.lanes);
    this.#kernel = kernel;
    this.#block = block;
    this.#size = INPUT_SIZE / kernel.lanes;
    this.#used = zeros();
    this.#soiled = zeros();
    this.#jobs = zeros();
    this.#cut = zeros();
    this.#rest = new Array(kernel.lanes).fill(undefined);
  }

  /** The slice with the most room, so that the lanes finish together; -1 where all are full. */
  roomiest(): number {
    const used = this.#used;
    let found = 0;
    for (let slice = 1; slice < used.length; slice++) {
      if ((used[slice] as number) < (used[found] as number)) found = slice;
    }
    return (used[found] as number) < this.#size ? found : -1;
  }

  /** Puts as much of a message as there is room for into a slice. */
  put(slice: number, index: number, message: Message): void {
    const used = this.#used[slice] as number;
    const at = slice * this.#size + used;
    if (typeof message === "string") {
      if (3 * message.length <= this.#size - used) this.#place(slice, index, at, this.#kernel.write(message, at), true);
      else this.put(slice, index, encoder.encode(message));
      return;
    }
    const room = this.#size - used;
    if (message.length <= room) {
      this.#kernel.input.set(message, at);
      this.#place(slice, index, at, message.length, true);
    } else {
      this.#kernel.input.set(message.subarray(0, room), at);
      this.#rest[slice] = message.subarray(room);
      this.#place(slice, index, at, room, false);
    }
  }

  #place(slice: number, index: number, at: number, length: number, ends: boolean): void {
    const job = this.#jobs[slice] as number;
    this.#kernel.setJob(slice, job, length, ends);
    this.#jobs[slice] = job + 1;
    if (ends) {
      this.#ended[this.#endings] = index;
      this.#places[this.#endings++] = at;
    } else {
      this.#cut[slice] = index;
    }
    // A block is a power of two; an empty message takes one too.
    const block = this.#block;
    this.#used[slice] = (this.#used[slice] as number) + (((length || 1) + block - 1) & -block);
  }

  /** Goes on with the messages that were cut off. */
  resume(): void {
    for (let slice = 0; slice < this.#rest.length; slice++) {
      const rest = this.#rest[slice];
      this.#rest[slice] = undefined;
      if (rest) this.put(slice, this.#cut[slice] as number, rest);
    }
  }

  /** Hashes what the slices hold, takes the digests out, and makes room; answers whether there was anything. */
  hash(digests: Uint8Array<ArrayBuffer>[], length: number): boolean {
    const kernel = this.#kernel;
    let jobs = 0;
    for (let slice = 0; slice < this.#jobs.length; slice++) {
      const count = this.#jobs[slice] as number;
      kernel.setJob(slice, count, 0, false);
      jobs += count;
      this.#jobs[slice] = 0;
      this.#soiled[slice] = Math.max(this.#soiled[slice] as number, this.#used[slice] as number);
      this.#used[slice] = 0;
    }
    if (jobs === 0) return false;
    kernel.many();
    for (let i = 0; i < this.#endings; i++) {
      digests[this.#ended[i] as number] = kernel.digestAt(this.#places[i] as number, length);
    }
    this.#endings = 0;
    return true;
  }

  wipe(): void {
    this.#kernel.wipeWorkers();
    for (let slice = 0; slice < this.#used.length; slice++) {
      const end = Math.max(this.#soiled[slice] as number, this.#used[slice] as number);
      this.#kernel.input.fill(0, slice * this.#size, slice * this.#size + end);
    }
  }
}

/** Hashes those messages that the queue numbers, under the parameters that are loaded, to the same places in `digests`. */
export function hashSideBySide(
  kernel: Kernel,
  messages: readonly Message[],
  queue: readonly number[],
  block: number,
  digests: Uint8Array<ArrayBuffer>[],
  length: number,
): void {
  if (queue.length === 0) return;
  const slices = new Slices(kernel, block);
  let next = 0;
  try {
    do {
      slices.resume();
      for (let slice = slices.roomiest(); slice >= 0 && next < queue.length; slice = slices.roomiest()) {
        const index = queue[next++] as number;
        slices.put(slice, index, messages[index] as Message);
      }
    } while (slices.hash(digests, length));
  } finally {
    slices.wipe();
  }
}
