// Bytes that arrive in chunks of any size, as windows in the kernel's memory, from which steps are taken. What has been
// verified is passed on from there.
import { toView } from "../input/bytes.js";
import { concatBytes } from "../input/caller-bytes.js";
import { IntegrityError } from "./errors.js";
import { type BaoKernel, compute, wipeKernel } from "./kernel.js";
import type { Selection } from "./selection.js";

/** The size of a window in bytes, unless a step needs more. */
const WINDOW = 0x40000;

/** What takes the bytes of windows, in steps. */
export interface Taker {
  /**
   * Takes as many steps as the window has bytes for.
   *
   * @returns how many bytes the next step needs
   * @throws IntegrityError for bytes that are wrong
   */
  take(kernel: BaoKernel, window: Window): number;
  /** @throws IntegrityError if the bytes end before the last step */
  end(window: Window): void;
}

/** Passes on bytes, each time in a buffer of their own. */
export type Give = (bytes: Uint8Array<ArrayBuffer>) => void;

/** Verified content, and where it is in the kernel's input. */
export interface Content {
  readonly offset: number;
  readonly length: number;
  readonly at: number;
}

/** Chunks are copied, and so is the output: a writer may use its chunk again, and a reader transfer what it gets. */
export class Window {
  /** The offset in the kernel's input of the bytes that come next. */
  at = 0;
  /** The number of bytes that have been taken or skipped in all windows. */
  position = 0;
  readonly #taker: Taker;
  readonly #give: Give;
  /** The output of this window's steps, in part views of the kernel's memory. */
  readonly #output: Uint8Array[] = [];
  #end = 0;
  /** The bytes to skip before the next step. */
  #skip = 0;
  /** How many bytes the next step needs. */
  #need = 0;
  /** Bytes held for the next step, which needs more than these. */
  #held = new Uint8Array();
  #count = 0;

  constructor(taker: Taker, give: Give) {
    this.#taker = taker;
    this.#give = give;
  }

  // ---- for steps ----

  /** The number of bytes that come next in this window. */
  get left(): number {
    return this.#end - this.at;
  }

  /** Takes bytes, and returns their offset in the kernel's input. */
  take(count: number): number {
    const at = this.at;
    this.at += count;
    this.position += count;
    return at;
  }

  /** Skips bytes, whether they have arrived or not. */
  skip(count: number): void {
    const here = Math.min(count, this.left);
    this.take(here);
    this.#skip = count - here;
  }

  /** Outputs bytes, which must stay as they are until the window ends. */
  output(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#output.push(bytes);
  }

  /** Outputs the selected part of content. */
  outputSelected(kernel: BaoKernel, selection: Selection, { offset, length, at }: Content): void {
    for (const { start, end } of selection.within(offset, length)) this.output(kernel.input(at + start, end - start));
  }

  // ---- for who has the bytes ----

  /**
   * Takes all bytes of a chunk. Throws an error only after passing on what was verified before it; call `dispose` then.
   */
  push(chunk: Uint8Array): void {
    const given: Uint8Array<ArrayBuffer>[] = [];
    let need = this.#need;
    // It stays so, and nothing more can be taken, after an error, or if the thread is interrupted and output may be
    // lost.
    this.#need = Number.POSITIVE_INFINITY;
    try {
      need = this.#takeAll(chunk, need, given);
    } catch (error) {
      // A stream that fails drops its queue: only one chunk, which the reader is waiting for, is sure to arrive.
      if (given.length > 0) this.#give(concatBytes(given));
      throw error;
    }
    for (const each of given) this.#give(each);
    this.#need = need;
  }

  /** Ends the bytes. */
  end(): void {
    this.push(new Uint8Array());
    this.dispose();
    this.#taker.end(this);
  }

  /** Wipes the held bytes, and the last window in the kernel's memory: wiping after each window would cost 5 %. */
  dispose(): void {
    wipeKernel();
    this.#held.fill(0);
    this.#held = new Uint8Array();
    this.#count = 0;
  }

  /** Returns how many bytes the next step needs, and adds to what is given. */
  #takeAll(chunk: Uint8Array, needed: number, given: Uint8Array<ArrayBuffer>[]): number {
    let need = needed;
    let from = 0;
    do {
      const skipped = Math.min(this.#skip, chunk.length - from);
      this.#skip -= skipped;
      this.position += skipped;
      from += skipped;
      const bytes = chunk.subarray(from, from + Math.max(WINDOW, need) - this.#count);
      from += bytes.length;
      if (this.#count + bytes.length < need) this.#hold(bytes, need);
      else {
        need = this.#run(bytes, given);
        // A step needs more bytes than were held, so all that are left are of the chunk.
        from -= this.left;
      }
    } while (from < chunk.length);
    return need;
  }

  /** Runs the steps of a window of the held bytes and some more. Returns how many bytes the next step needs. */
  #run(bytes: Uint8Array, given: Uint8Array<ArrayBuffer>[]): number {
    this.#output.length = 0;
    const result = compute((kernel) => {
      kernel.put(this.#held.subarray(0, this.#count));
      kernel.put(bytes, this.#count);
      this.at = 0;
      this.#end = this.#count + bytes.length;
      this.#count = 0;
      const taken = this.#attempt(kernel);
      if (this.#output.length > 0) given.push(concatBytes(this.#output.splice(0)));
      return taken;
    });
    if (typeof result === "number") return result;
    throw result;
  }

  #attempt(kernel: BaoKernel): number | IntegrityError {
    try {
      return this.#taker.take(kernel, this);
    } catch (error) {
      // Any other error may have left the kernel in an inconsistent state.
      if (error instanceof IntegrityError) return error;
      throw error;
    }
  }

  #hold(bytes: Uint8Array, need: number): void {
    // The need changes only after a step, when nothing is held, but the array still contains the bytes of that step.
    if (this.#held.length < need) {
      this.#held.fill(0);
      this.#held = new Uint8Array(need);
    }
    this.#held.set(bytes, this.#count);
    this.#count += bytes.length;
  }
}

/**
 * Returns a Transformer for a TransformStream. No bytes stay in memory after an error. Engines without
 * `Transformer.cancel`, such as Node.js 20, do not report that a stream was aborted or cancelled.
 */
export function transformerOf(name: string, taker: Taker): Transformer<unknown, Uint8Array<ArrayBuffer>> {
  let controller: TransformStreamDefaultController<Uint8Array<ArrayBuffer>>;
  const window = new Window(taker, (bytes) => controller.enqueue(bytes));
  const attempt = (act: () => void): void => {
    try {
      act();
    } catch (error) {
      window.dispose();
      throw error;
    }
  };
  return {
    start(own) {
      controller = own;
    },
    transform: (chunk) => attempt(() => window.push(toView(name, "chunk", chunk))),
    flush: () => attempt(() => window.end()),
    cancel: () => window.dispose(),
  } as Transformer<unknown, Uint8Array<ArrayBuffer>>;
}
