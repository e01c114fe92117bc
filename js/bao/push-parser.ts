// Divides bytes that arrive in chunks of any size into steps of known size. The steps read a window of them in the kernel's
// memory, and leave verified bytes there.

import { toView } from "../input/bytes.js";
import { readGlobal } from "../input/globals.js";
import { IntegrityError } from "./errors.js";
import { type BaoKernel, compute, wipeKernel } from "./kernel.js";

/** The size of a window in bytes, unless a step needs more: enough for a piece with its nodes. */
const WINDOW = 0x44000;

/** Returns the bytes of several arrays. Zeroing the room for them first, as engines do, would cost 3 % of a stream's time. */
function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const buffer = readGlobal(() => globalThis.Buffer.allocUnsafeSlow(length).buffer);
  const bytes = buffer ? new Uint8Array(buffer) : new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/**
 * Takes bytes in steps, and outputs copies of what has been verified: a writer may use its chunk again, and a reader transfer
 * what it gets. On an error, first outputs what has been verified before it.
 */
export abstract class PushParser {
  /** The output of the steps of a window, in part views of the kernel's memory. */
  readonly #output: Uint8Array[] = [];
  readonly #give: (bytes: Uint8Array<ArrayBuffer>) => void;
  /** Bytes held for the next step, which needs more than these. */
  #held = new Uint8Array();
  #count = 0;

  constructor(give: (bytes: Uint8Array<ArrayBuffer>) => void) {
    this.#give = give;
  }

  /** Outputs bytes, which must stay as they are until the window ends. */
  protected output(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#output.push(bytes);
  }

  /** Returns the number of bytes that the next step needs; undefined after the last step. */
  protected abstract need(): number | undefined;
  /** Returns the number of bytes, out of those available, to skip before the next step. */
  protected abstract discard(count: number): number;
  /** Takes as many steps as the window has bytes for. Returns the number of bytes taken. */
  protected abstract run(kernel: BaoKernel, size: number): number;
  /** Handles bytes after the last step. */
  protected abstract surplus(count: number): void;

  /** Ends the bytes. */
  abstract end(): void;

  /** Takes all bytes of a chunk. Throws an error only after passing on what was verified before it; call `dispose` then. */
  push(chunk: Uint8Array): void {
    const given: Uint8Array<ArrayBuffer>[] = [];
    try {
      this.#takeAll(chunk, given);
    } catch (error) {
      // A stream that fails drops its queue: only one chunk, which the reader is waiting for, is sure to arrive.
      if (given.length > 0) this.#give(concat(given));
      throw error;
    }
    for (const each of given) this.#give(each);
  }

  #takeAll(chunk: Uint8Array, given: Uint8Array<ArrayBuffer>[]): void {
    let at = 0;
    do {
      at += this.discard(chunk.length - at);
      const need = this.need();
      if (need === undefined) {
        if (at < chunk.length) this.surplus(chunk.length - at);
        return;
      }
      at += this.#take(chunk, at, need, given);
    } while (at < chunk.length);
  }

  /** Takes bytes into a window, or holds them if there are too few. Returns the number of bytes taken. */
  #take(chunk: Uint8Array, at: number, need: number, given: Uint8Array<ArrayBuffer>[]): number {
    const count = Math.min(chunk.length - at, Math.max(WINDOW, need) - this.#count);
    const bytes = chunk.subarray(at, at + count);
    if (this.#count + count < need) {
      this.#hold(bytes, need);
      return count;
    }
    const { failure, left } = compute((kernel) => this.#turn(kernel, bytes, given));
    if (failure) throw failure.error;
    return count - left;
  }

  /** Runs the steps of a window, which starts with the held bytes. Returns how many of the chunk's bytes were not used. */
  #turn(kernel: BaoKernel, bytes: Uint8Array, given: Uint8Array<ArrayBuffer>[]) {
    const held = this.#count;
    const size = held + bytes.length;
    kernel.put(this.#held.subarray(0, held));
    kernel.put(bytes, held);
    this.#count = 0;
    const { done, failure } = this.#attempt(kernel, size);
    if (this.#output.length > 0) given.push(concat(this.#output.splice(0)));
    // A step needs more bytes than were held, so all unused bytes belong to the chunk.
    return { failure, left: size - done };
  }

  #attempt(kernel: BaoKernel, size: number): { done: number; failure?: { error: unknown } } {
    try {
      return { done: this.run(kernel, size) };
    } catch (error) {
      // Any other error may have left the kernel in an inconsistent state.
      if (!(error instanceof IntegrityError)) throw error;
      return { done: size, failure: { error } };
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

  /** Wipes the held bytes, and the last window in the kernel's memory: wiping after each window would cost 5 %. */
  dispose(): void {
    wipeKernel();
    this.#held.fill(0);
    this.#held = new Uint8Array();
    this.#count = 0;
  }
}

/**
 * Returns a Transformer for a TransformStream. No bytes stay in memory after an error. Engines without `Transformer.cancel`,
 * such as Node.js 20, do not report that a stream was aborted or cancelled.
 *
 * @param make is called with a function that enqueues output
 */
export function transformerFor<T extends PushParser>(
  name: string,
  make: (give: (bytes: Uint8Array<ArrayBuffer>) => void) => T,
) {
  let controller: TransformStreamDefaultController<Uint8Array<ArrayBuffer>>;
  const parser = make((bytes) => controller.enqueue(bytes));
  const attempt = (act: () => void): void => {
    try {
      act();
    } catch (error) {
      parser.dispose();
      throw error;
    }
  };
  const transformer = {
    start(own: TransformStreamDefaultController<Uint8Array<ArrayBuffer>>): void {
      controller = own;
    },
    transform: (chunk: unknown) => attempt(() => parser.push(toView(name, "chunk", chunk))),
    flush: () => attempt(() => parser.end()),
    cancel: () => parser.dispose(),
  };
  return { parser, transformer };
}
