// Divides bytes that arrive in chunks of any size into steps of known size. The steps read a window of them in the kernel's
// memory, and leave verified bytes there.

import { toView } from "../input/bytes.js";
import { readGlobal } from "../input/globals.js";
import { concatBytes } from "../input/views.js";
import { IntegrityError } from "./errors.js";
import { type BaoKernel, compute, INPUT, wipeKernel } from "./kernel.js";

/** The size of a window in bytes, unless a step needs more: enough for a piece with its nodes. */
const WINDOW = 0x44000;

/** Shorter runs are joined by copying, since a view and a chunk of a stream cost more than copying so few bytes. */
const LEAST_VIEW = 0x4000;

/** A run of bytes in the kernel's memory. */
interface Range {
  readonly at: number;
  end: number;
}

/** The bytes of a chunk, and the address of their copy in the kernel's memory. */
interface PlacedChunk {
  readonly bytes: Uint8Array;
  readonly at: number;
}

/** Collects the output of several steps: runs of the kernel's memory, and arrays. */
export class OutputQueue {
  #parts: (Uint8Array | Range)[] = [];

  /** Adds bytes of the kernel's memory, which must stay there until `release`. */
  add(at: number, length: number): void {
    if (length === 0) return;
    const last = this.#parts.at(-1);
    if (last && "end" in last && last.end === at) last.end += length;
    else this.#parts.push({ at, end: at + length });
  }

  addBytes(bytes: Uint8Array): void {
    this.#parts.push(bytes);
  }

  /**
   * Returns all output in order, and forgets it. Bytes that are in the chunk are returned as views of it, others as copies.
   *
   * @param chunk the chunk whose bytes may be passed on, if any
   */
  release(kernel: BaoKernel, chunk?: PlacedChunk): Uint8Array<ArrayBuffer>[] {
    const given: Uint8Array<ArrayBuffer>[] = [];
    let copies: (Uint8Array | Range)[] = [];
    const flush = (): void => {
      if (copies.length > 0) given.push(concat(kernel, copies));
      copies = [];
    };
    for (const part of this.#parts) {
      const shared = chunk && "end" in part ? sharedPart(part, chunk) : undefined;
      if (!shared) copies.push(part);
      else {
        const { at } = part as Range;
        if (at < shared.at) copies.push({ at, end: shared.at });
        flush();
        given.push(shared.view);
      }
    }
    flush();
    this.#parts = [];
    return given;
  }
}

/** Returns the part of a run that is also in the chunk, if it is long enough for a view. It is always the end of the run. */
function sharedPart({ at, end }: Range, chunk: PlacedChunk) {
  const start = Math.max(at, chunk.at);
  if (end - start < LEAST_VIEW || end > chunk.at + chunk.bytes.length) return undefined;
  return { at: start, view: chunk.bytes.subarray(start - chunk.at, end - chunk.at) as Uint8Array<ArrayBuffer> };
}

function concat(kernel: BaoKernel, parts: readonly (Uint8Array | Range)[]): Uint8Array<ArrayBuffer> {
  const bytes = allocate(parts.reduce((sum, part) => sum + ("end" in part ? part.end - part.at : part.length), 0));
  let at = 0;
  for (const part of parts) {
    const piece = "end" in part ? kernel.bytes.subarray(part.at, part.end) : part;
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

const lengthOfBuffer = (Object.getOwnPropertyDescriptor(ArrayBuffer.prototype, "byteLength") as { get(): number }).get;

/** Whether only the writer's thread can change a chunk. A test that throws for such chunks, not for others, would cost 4 %. */
function isUnshared(buffer: ArrayBufferLike): boolean {
  try {
    return lengthOfBuffer.call(buffer) >= 0;
  } catch {
    return false;
  }
}

/** Describes a chunk that follows `held` bytes in the window; undefined if another thread could change it later. */
function placed(bytes: Uint8Array, held: number): PlacedChunk | undefined {
  return isUnshared(bytes.buffer) ? { bytes, at: INPUT + held } : undefined;
}

/** Allocates an array that will be filled. Zeroing it first, as engines do, would cost 3 % of a stream's time. */
function allocate(length: number): Uint8Array<ArrayBuffer> {
  const buffer = readGlobal(() => globalThis.Buffer.allocUnsafeSlow(length).buffer);
  return buffer ? new Uint8Array(buffer) : new Uint8Array(length);
}

/** Takes bytes in steps. On an error, first passes on what has been verified before it. */
export abstract class PushParser {
  protected readonly output = new OutputQueue();
  readonly #passesOn: "copies" | "views";
  readonly #give: (bytes: Uint8Array<ArrayBuffer>) => void;
  /** Bytes held for the next step, which needs more than these. */
  #held = new Uint8Array();
  #count = 0;

  /** @param passesOn `"views"` if the output may be views of the chunks */
  constructor(give: (bytes: Uint8Array<ArrayBuffer>) => void, passesOn: "copies" | "views") {
    this.#give = give;
    this.#passesOn = passesOn;
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
      if (given.length > 0) this.#give(concatBytes(given));
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
    const { released, failure, left } = compute((kernel) => this.#turn(kernel, bytes));
    given.push(...released);
    if (failure) throw failure.error;
    return count - left;
  }

  /** Runs the steps of a window, which starts with the held bytes. Returns how many of the chunk's bytes were not used. */
  #turn(kernel: BaoKernel, bytes: Uint8Array) {
    const held = this.#count;
    const size = held + bytes.length;
    kernel.put(this.#held.subarray(0, held));
    kernel.put(bytes, held);
    this.#count = 0;
    const { done, failure } = this.#attempt(kernel, size);
    const released = this.output.release(kernel, this.#passesOn === "views" ? placed(bytes, held) : undefined);
    // A step needs more bytes than were held, so all unused bytes belong to the chunk.
    return { released, failure, left: size - done };
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
