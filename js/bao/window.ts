// Bytes that arrive in chunks of any size, in windows in the kernel's memory, from which a reader reads step by step.
import { toView } from "../input/bytes.js";
import { concatBytes } from "../input/caller-bytes.js";
import { type BaoKernel, compute, wipeKernel } from "./kernel.js";
import type { Selection } from "./selection.js";

/** The size of a window in bytes, unless a step needs more. */
const WINDOW = 0x40000;

/** Reads bytes in steps: a header, a node, or a group. */
export interface StepReader {
  /**
   * Reads as many steps as the window has bytes for.
   *
   * @returns how many bytes the next step needs
   * @throws IntegrityError for wrong bytes
   */
  read(kernel: BaoKernel, window: Window): number;
  /** @throws IntegrityError if the bytes end before the last step */
  end(window: Window): void;
}

/** Verified content, which is at offset `at` of the kernel's input. */
export interface Content {
  readonly offset: number;
  readonly length: number;
  readonly at: number;
}

/** Copies chunks and outputs: a writer may use its chunk again, and a reader may transfer what it gets. */
export class Window {
  /** The offset in the kernel's input of the bytes that come next. */
  at = 0;
  /** The number of bytes consumed or skipped in all windows. */
  position = 0;
  readonly #reader: StepReader;
  readonly #emit: (bytes: Uint8Array<ArrayBuffer>) => void;
  /** The output of this window's steps, which may be views of the kernel's memory. */
  readonly #output: Uint8Array[] = [];
  #end = 0;
  /** The bytes to skip before the next step. */
  #skip = 0;
  /** How many bytes the next step needs. */
  #need = 0;
  /** Bytes held for the next step, which needs more than these. */
  #held = new Uint8Array();
  #count = 0;

  constructor(reader: StepReader, emit: (bytes: Uint8Array<ArrayBuffer>) => void) {
    this.#reader = reader;
    this.#emit = emit;
  }

  // ---- for the reader of steps ----

  /** The number of bytes that come next in this window. */
  get left(): number {
    return this.#end - this.at;
  }

  /** Goes past the next bytes, and returns their offset in the kernel's input. */
  consume(count: number): number {
    const at = this.at;
    this.at += count;
    this.position += count;
    return at;
  }

  /** Skips bytes, whether they have arrived or not. */
  skip(count: number): void {
    const here = Math.min(count, this.left);
    this.consume(here);
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

  // ---- for the source of bytes ----

  /** Reads a chunk. Throws an error only after passing on what was verified before it; call `dispose` then. */
  push(chunk: Uint8Array): void {
    const outputs: Uint8Array<ArrayBuffer>[] = [];
    try {
      this.#readChunk(chunk, outputs);
    } catch (error) {
      // A stream that fails drops its queue: only one chunk, which the reader is waiting for, is sure to arrive.
      if (outputs.length > 0) this.#emit(concatBytes(outputs));
      throw error;
    }
    for (const output of outputs) this.#emit(output);
  }

  /** Ends the bytes. */
  end(): void {
    this.push(new Uint8Array());
    this.dispose();
    this.#reader.end(this);
  }

  /** Wipes the held bytes, and the last window in the kernel's memory: wiping after each window would cost 5 %. */
  dispose(): void {
    wipeKernel();
    this.#held.fill(0);
    this.#held = new Uint8Array();
    this.#count = 0;
  }

  #readChunk(chunk: Uint8Array, outputs: Uint8Array<ArrayBuffer>[]): void {
    let from = 0;
    do {
      const skipped = Math.min(this.#skip, chunk.length - from);
      this.#skip -= skipped;
      this.position += skipped;
      from += skipped;
      const bytes = chunk.subarray(from, from + Math.max(WINDOW, this.#need) - this.#count);
      from += bytes.length;
      if (this.#count + bytes.length < this.#need) this.#hold(bytes);
      else {
        this.#readWindow(bytes, outputs);
        // A step needs more bytes than were held, so all that are left are of the chunk.
        from -= this.left;
      }
    } while (from < chunk.length);
  }

  /** Runs the steps of a window of the held bytes and some more. */
  #readWindow(bytes: Uint8Array, outputs: Uint8Array<ArrayBuffer>[]): void {
    compute((kernel) => {
      kernel.put(this.#held.subarray(0, this.#count));
      kernel.put(bytes, this.#count);
      this.at = 0;
      this.#end = this.#count + bytes.length;
      this.#count = 0;
      try {
        this.#need = this.#reader.read(kernel, this);
      } finally {
        // Before an error drops the kernel, whose memory has the output.
        if (this.#output.length > 0) outputs.push(concatBytes(this.#output.splice(0)));
      }
    });
  }

  #hold(bytes: Uint8Array): void {
    // The need changes only after a step, when nothing is held, but the array still contains the bytes of that step.
    if (this.#held.length < this.#need) {
      this.#held.fill(0);
      this.#held = new Uint8Array(this.#need);
    }
    this.#held.set(bytes, this.#count);
    this.#count += bytes.length;
  }
}

/**
 * Returns a Transformer for a TransformStream. No bytes stay in memory after an error. Engines without
 * `Transformer.cancel`, such as Node.js 20, do not report that a stream was aborted or cancelled.
 */
export function transformerOf(name: string, reader: StepReader): Transformer<unknown, Uint8Array<ArrayBuffer>> {
  let controller: TransformStreamDefaultController<Uint8Array<ArrayBuffer>>;
  const window = new Window(reader, (bytes) => controller.enqueue(bytes));
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
