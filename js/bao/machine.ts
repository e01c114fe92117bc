// Bytes that come in chunks of any size, taken in steps of known size. A window of them lies in the kernel, where the steps
// read them and leave what has been verified.

import { concatBytes } from "../input/views.js";
import { IntegrityError } from "./errors.js";
import { compute, INPUT, type TreeKernel, wipeKernel } from "./kernel.js";

/** Bytes in a window, where no step needs more: enough for the nodes of a piece too. */
const WINDOW = 0x44000;

/** Shorter stretches are copied together: a view, and a chunk of a stream, costs more than the copy of so few bytes. */
const LEAST_VIEW = 0x4000;

/** A stretch of the kernel's memory. */
interface Stretch {
  readonly at: number;
  end: number;
}

/** A chunk's bytes, and where in the kernel's memory a copy of them lies. */
interface PlacedChunk {
  readonly bytes: Uint8Array;
  readonly at: number;
}

/** What a run of steps lets out: stretches of the kernel's memory, and arrays. */
export class Outlet {
  #parts: (Uint8Array | Stretch)[] = [];

  /** Bytes of the kernel's memory, which must stay there until the run is over. */
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
   * Gives all of it, in order, and is empty then: what lies in a chunk as views of that chunk, the rest copied.
   *
   * @param chunk whose bytes may be passed on, if there is one
   */
  release(kernel: TreeKernel, chunk?: PlacedChunk): Uint8Array<ArrayBuffer>[] {
    const given: Uint8Array<ArrayBuffer>[] = [];
    let copies: (Uint8Array | Stretch)[] = [];
    const flush = (): void => {
      if (copies.length > 0) given.push(concat(kernel, copies));
      copies = [];
    };
    for (const part of this.#parts) {
      const shared = chunk && "end" in part ? sharedPart(part, chunk) : undefined;
      if (!shared) copies.push(part);
      else {
        const { at } = part as Stretch;
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

/** What of a stretch is a chunk's, if that is worth a view: then it is the stretch's end. */
function sharedPart({ at, end }: Stretch, chunk: PlacedChunk) {
  const start = Math.max(at, chunk.at);
  if (end - start < LEAST_VIEW || end > chunk.at + chunk.bytes.length) return undefined;
  return { at: start, view: chunk.bytes.subarray(start - chunk.at, end - chunk.at) as Uint8Array<ArrayBuffer> };
}

function concat(kernel: TreeKernel, parts: readonly (Uint8Array | Stretch)[]): Uint8Array<ArrayBuffer> {
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

/** Whether only the writer's own thread can change a chunk. An error that is thrown for each chunk would cost 4 %. */
function isUnshared(buffer: ArrayBufferLike): boolean {
  try {
    return lengthOfBuffer.call(buffer) >= 0;
  } catch {
    return false;
  }
}

/** A chunk that has been put behind `held` bytes; undefined if somebody else can change it after it has been verified. */
function placed(bytes: Uint8Array, held: number): PlacedChunk | undefined {
  return isUnshared(bytes.buffer) ? { bytes, at: INPUT + held } : undefined;
}

/** An array to be filled. Zeroes first, as engines have them, would cost 3 % of a stream's time. */
function allocate(length: number): Uint8Array<ArrayBuffer> {
  const buffer = globalThis.Buffer?.allocUnsafeSlow?.(length).buffer;
  return buffer ? new Uint8Array(buffer) : new Uint8Array(length);
}

/** What takes bytes in steps, and gives what they have verified before any error. */
export abstract class Machine {
  protected readonly outlet = new Outlet();
  readonly #passesOn: "copies" | "views";
  readonly #give: (bytes: Uint8Array<ArrayBuffer>) => void;
  /** Bytes that are fewer than the next step needs. */
  #held = new Uint8Array();
  #count = 0;

  /** @param passesOn whether what is let out may be views of the chunks that came */
  constructor(give: (bytes: Uint8Array<ArrayBuffer>) => void, passesOn: "copies" | "views") {
    this.#give = give;
    this.#passesOn = passesOn;
  }

  /** Bytes that the next step needs; undefined when there is none. */
  protected abstract need(): number | undefined;
  /** Bytes to be left out before the next step. */
  protected abstract discard(count: number): number;
  /** Takes as many steps as the window has bytes for; returns how many bytes that were. */
  protected abstract run(kernel: TreeKernel, size: number): number;
  /** Bytes have come after the last step. */
  protected abstract surplus(count: number): void;

  /** Takes all bytes of a chunk. An error is thrown after what was verified before it has been given; dispose() then. */
  push(chunk: Uint8Array): void {
    const given: Uint8Array<ArrayBuffer>[] = [];
    try {
      this.#takeAll(chunk, given);
    } catch (error) {
      // A stream that fails drops what is queued: only the one chunk that its reader waits for is sure to arrive.
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

  /** Takes bytes into a window, or holds them where they are too few; returns how many. */
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

  /** Runs on a window, which begins with what was held; returns how many of the chunk's bytes are to be taken again. */
  #turn(kernel: TreeKernel, bytes: Uint8Array) {
    const held = this.#count;
    const size = held + bytes.length;
    kernel.put(this.#held.subarray(0, held));
    kernel.put(bytes, held);
    this.#count = 0;
    const { done, failure } = this.#attempt(kernel, size);
    const released = this.outlet.release(kernel, this.#passesOn === "views" ? placed(bytes, held) : undefined);
    // A step needs more than was held, so that what it leaves is the chunk's.
    return { released, failure, left: size - done };
  }

  #attempt(kernel: TreeKernel, size: number): { done: number; failure?: { error: unknown } } {
    try {
      return { done: this.run(kernel, size) };
    } catch (error) {
      // Any other may have left the kernel in the middle of something.
      if (!(error instanceof IntegrityError)) throw error;
      return { done: size, failure: { error } };
    }
  }

  #hold(bytes: Uint8Array, need: number): void {
    // What a step needs changes only with the step before, after which nothing is held; but the bytes are still there.
    if (this.#held.length < need) {
      this.#held.fill(0);
      this.#held = new Uint8Array(need);
    }
    this.#held.set(bytes, this.#count);
    this.#count += bytes.length;
  }

  /** Forgets what it holds, and wipes what the kernel still has of the last window: doing so after each would cost 5 %. */
  dispose(): void {
    wipeKernel();
    this.#held.fill(0);
    this.#held = new Uint8Array();
    this.#count = 0;
  }
}
