// A kernel: one instance of a compiled module, and who uses its memory. Nothing here knows which algorithm it computes;
// wasm/memory.h says what each export does.
import { encoder } from "../input/bytes.js";
import { viewPart } from "../input/views.js";
import {
  Area,
  BACKUP,
  INPUT,
  INPUT_SIZE,
  JOBS,
  JOBS_SIZE,
  ONESHOT,
  OUTPUT,
  OUTPUT_SIZE,
  PARAMETERS,
  PARAMETERS_SIZE,
  ROOT,
  ROOT_SIZE,
  ROWS,
  STATE,
  STATE_SIZE,
  WORKERS,
  WORKERS_SIZE,
} from "./memory.js";

// Views of the output area are kept for digests up to this length in bytes.
const CACHED_OUTPUT = 64;

// Pieces up to this length in bytes are copied one by one: a view of them takes as long, and leaves garbage.
const SHORT_PIECE = 256;

/**
 * The ABI: every module has the same exports, except that only modules with an extendable output have `root` and
 * `squeeze`, only trees have `chain` and `join`, and only builds with lanes for several messages have `many` and `lanes`.
 */
interface KernelExports {
  memory: WebAssembly.Memory;
  init(state: number): void;
  update(state: number, input: number, length: number): void;
  finalize(state: number, length: number): void;
  hash(inputLength: number, outputLength: number): void;
  /** Puts the root node of a state where `squeeze` reads it. */
  root(state: number): void;
  /** Writes `length` bytes of the root's output to the output area, from a 64-bit position on: its halves modulo 2^32. */
  squeeze(low: number, high: number, length: number): void;
  /** Writes a state's chaining value, as a part of a larger tree, to the output area. */
  chain(state: number): void;
  /** Makes a state of the two subtrees whose chaining values lie in the input area. */
  join(state: number): void;
  many?(count?: number): void;
  lanes?(): number;
}

/** What `init` reads, and the length of the digest. */
export interface Parameters {
  readonly bytes: Uint8Array;
  /** In bytes. */
  readonly digestLength: number;
  /** Whether the bytes hold a key, so that they are wiped after use. */
  readonly secret: boolean;
}

/** A hasher, as its kernel knows it. */
export interface Occupant {
  readonly parameters: Parameters;
  /** Keeps the state that is being moved out of the kernel. */
  keep(state: Uint8Array<ArrayBuffer>): void;
  /** Lets go of a state that it may have kept: the kernel has it. */
  adopted(): void;
}

/**
 * One instance of a module, with its memory.
 *
 * A call that computes opens the kernel first and closes it when all is done. In between its memory is in disorder and
 * the C stack in use: a call that ends by an exception (a stack overflow, a trap, the end of a vm's time) leaves the kernel
 * open, and KernelModule replaces an open kernel by a new one. No code of a user runs while a kernel is open.
 */
export class Kernel {
  readonly exports: KernelExports;
  /** The export that short messages wait for: found here, it takes 2 % less of their time on Bun. */
  readonly hash: KernelExports["hash"];
  readonly parameters: Area;
  readonly state: Area;
  readonly oneshot: Area;
  readonly root: Area;
  readonly workers: Area;
  readonly jobs: Area;
  readonly output: Area;
  readonly input: Area;
  /** Whether a call is in progress, or was when it ended by an exception. */
  busy = false;
  readonly #memory: Uint8Array<ArrayBuffer>;
  readonly #outputs: Uint8Array<ArrayBuffer>[] = [];
  /** What PARAMETERS holds, if it can be used again; it holds zeros if there is none. */
  #loaded: Uint8Array | undefined;
  /** The hasher whose state lies in STATE, as long as that state is sound. */
  #resident: Occupant | undefined;
  /** Where the resident's sound state lies. */
  #sound = STATE;
  /** Bytes of the resident's message that wait at the beginning of INPUT; its state has not absorbed them. */
  #pending = 0;
  /** How far INPUT has been written to since it was last wiped. */
  #written = 0;

  constructor(module: WebAssembly.Module) {
    const exports = new WebAssembly.Instance(module).exports as unknown as KernelExports;
    const buffer = exports.memory.buffer as ArrayBuffer;
    this.exports = exports;
    this.hash = exports.hash;
    this.#memory = new Uint8Array(buffer);
    this.parameters = new Area(buffer, PARAMETERS, PARAMETERS_SIZE);
    this.state = new Area(buffer, STATE, STATE_SIZE);
    this.oneshot = new Area(buffer, ONESHOT, STATE_SIZE);
    this.root = new Area(buffer, ROOT, ROOT_SIZE);
    this.workers = new Area(buffer, WORKERS, WORKERS_SIZE);
    this.jobs = new Area(buffer, JOBS, JOBS_SIZE);
    this.output = new Area(buffer, OUTPUT, OUTPUT_SIZE);
    this.input = new Area(buffer, INPUT, INPUT_SIZE);
    // Which of a kernel's two ways suits the engine: wasm/memory.h.
    if ("try" in Promise) this.#memory[ROWS] = 1;
  }

  /** Ends a call: memory is in order again. */
  close(): void {
    this.busy = false;
  }

  // ---- parameters ----

  /** Loads parameters that may stay for the next call. */
  load(parameters: Uint8Array): void {
    if (this.#loaded === parameters) return;
    this.parameters.bytes.set(parameters);
    this.#loaded = parameters;
  }

  /** Zeroes the parameters: they may hold a key. */
  unload(): void {
    this.parameters.wipe(PARAMETERS_SIZE);
    this.#loaded = undefined;
  }

  /** Returns the parameters' memory, zeroed, for a call's own. */
  claim(): Uint8Array<ArrayBuffer> {
    this.freeInput();
    if (this.#loaded) this.unload();
    return this.parameters.bytes;
  }

  /** Ends a call under parameters of its own that has written `length` bytes of output. */
  release(length: number): void {
    this.unload();
    this.wipeOutput(length);
    this.close();
  }

  // ---- the resident hasher ----

  /** Moves a hasher's state in, and the one before out. A state of no bytes stands for a fresh one. */
  admit(hasher: Occupant, state: Uint8Array): void {
    this.evict();
    if (state.length > 0) this.state.bytes.set(state);
    else this.#start(hasher.parameters);
    this.#resident = hasher;
  }

  #start({ bytes, secret }: Parameters): void {
    this.load(bytes);
    this.exports.init(STATE);
    if (secret) this.unload();
  }

  hosts(hasher: Occupant): boolean {
    return this.#resident === hasher;
  }

  /** Moves the resident's state out; nothing of it stays. */
  evict(): void {
    const resident = this.#resident;
    if (!resident) return;
    this.freeInput();
    resident.keep(this.copyState());
    this.vacate(resident.parameters);
  }

  /** Forgets the resident, and zeroes what there is of it. */
  vacate({ digestLength }: Parameters): void {
    this.#resident = undefined;
    this.#pending = 0;
    this.state.wipe(sizeOf(this.state));
    this.wipeInput();
    this.wipeOutput(digestLength);
  }

  /** Bytes of the resident's message that its state has not absorbed. */
  get pending(): number {
    return this.#pending;
  }

  /** Appends to the resident's message, if there is room for that without computing. */
  gather(message: Uint8Array | string, units: number): boolean {
    const at = this.#pending;
    if (typeof message === "string") {
      // A code unit takes three bytes at most.
      if (3 * units > INPUT_SIZE - at) return false;
      this.#pending = at + this.#encode(message, at);
    } else {
      const end = at + units;
      if (end > INPUT_SIZE) return false;
      this.#mark(end);
      this.input.bytes.set(message, at);
      this.#pending = end;
    }
    return true;
  }

  /** Returns where in INPUT the next few bytes of the resident's message go; `commit` makes them part of it. */
  reserve(length: number): number {
    if (this.#pending > INPUT_SIZE - length) {
      this.busy = true;
      this.flush();
      this.close();
    }
    this.#mark(this.#pending + length);
    return this.#pending;
  }

  commit(length: number): void {
    this.#pending += length;
  }

  /** Appends to the resident's message, however long. */
  append(message: Uint8Array | string, units: number): void {
    const resident = this.#resident;
    this.#resident = undefined;
    this.#pending = this.pour(message, units, this.#pending, STATE);
    this.#resident = resident;
  }

  /** Makes the resident's state absorb what is pending: the call is the resident's own. */
  flush(): void {
    if (this.#pending === 0) return;
    const resident = this.#resident;
    this.#resident = undefined;
    this.absorb(STATE, this.#pending);
    this.#pending = 0;
    this.#resident = resident;
  }

  /** Frees INPUT for a call that is not the resident's: if that call dies here, the resident must not. */
  freeInput(): void {
    if (this.#pending === 0) return;
    const size = sizeOf(this.state);
    this.#memory.copyWithin(BACKUP, STATE, STATE + size);
    this.#sound = BACKUP;
    this.absorb(STATE, this.#pending);
    this.#pending = 0;
    this.#sound = STATE;
    this.#memory.fill(0, BACKUP, BACKUP + size);
  }

  /** Takes over the resident of a kernel that a call has left open. Nothing is computed in that one any more. */
  adopt(left: Kernel): void {
    if (!left.#resident) return;
    const pending = left.#pending;
    this.state.bytes.set(left.#memory.subarray(left.#sound, left.#sound + STATE_SIZE));
    this.#mark(pending);
    this.input.bytes.set(left.input.bytes.subarray(0, pending));
    this.#pending = pending;
    this.#resident = left.#resident;
    this.#resident.adopted();
  }

  /** Zeroes all memory of a kernel that is not used any more. */
  wipe(): void {
    this.#memory.fill(0);
  }

  // ---- messages: bytes or text, and how many bytes or UTF-16 code units ----

  /** Puts a whole message into INPUT and returns its length in bytes, or -1 if it does not fit. */
  place(message: Uint8Array | string, units: number): number {
    if (units > INPUT_SIZE) return -1;
    if (typeof message !== "string") {
      this.input.bytes.set(message);
      return units;
    }
    const { read, written } = encoder.encodeInto(message, this.input.bytes);
    this.#mark(written);
    return read === units ? written : -1;
  }

  /** Makes a state absorb the first `length` bytes of INPUT. */
  absorb(state: number, length: number): void {
    this.exports.update(state, INPUT, length);
  }

  /**
   * Appends bytes or text to the `filled` bytes that INPUT holds; the state absorbs INPUT each time that it is full.
   * The last bytes stay in INPUT: returns their number.
   */
  pour(message: Uint8Array | string, units: number, filled: number, state: number): number {
    if (typeof message === "string") return this.#pourText(message, filled, state);
    return this.#pourBytes(message, units, filled, state);
  }

  #pourBytes(bytes: Uint8Array, length: number, filled: number, state: number): number {
    let at = filled;
    let taken = 0;
    while (at + length - taken > INPUT_SIZE) {
      this.#copyPiece(bytes, taken, taken + INPUT_SIZE - at, at);
      this.#mark(INPUT_SIZE);
      this.absorb(state, INPUT_SIZE);
      taken += INPUT_SIZE - at;
      at = 0;
    }
    this.#copyPiece(bytes, taken, length, at);
    this.#mark(at + length - taken);
    return at + length - taken;
  }

  #copyPiece(bytes: Uint8Array, from: number, to: number, at: number): void {
    const input = this.input.bytes;
    if (to - from > SHORT_PIECE) input.set(viewPart(bytes, from, to), at);
    else for (let i = from; i < to; i++) input[at + i - from] = bytes[i] as number;
  }

  #pourText(text: string, filled: number, state: number): number {
    for (let at = filled, rest = text; ; at = 0) {
      const { read, written } = encoder.encodeInto(rest, at === 0 ? this.input.bytes : this.input.bytes.subarray(at));
      at += written;
      this.#mark(at);
      if (read === rest.length) return at;
      this.absorb(state, at);
      rest = rest.slice(read);
    }
  }

  /** Writes text that fits; returns its length in bytes. */
  #encode(text: string, at: number): number {
    const before = this.#written;
    this.#mark(at + 3 * text.length);
    const { written } = encoder.encodeInto(text, at === 0 ? this.input.bytes : this.input.bytes.subarray(at));
    this.#written = Math.max(before, at + written);
    return written;
  }

  /** INPUT has been, or is about to be, written to up to here. */
  #mark(end: number): void {
    if (end > this.#written) this.#written = end;
  }

  /** Zeroes what has been written to INPUT. */
  wipeInput(): void {
    this.input.wipe(this.#written);
    this.#written = 0;
  }

  // ---- output ----

  /** The first `length` bytes of OUTPUT: a view, to be copied at once. Short views are kept, and one long one. */
  outputOf(length: number): Uint8Array<ArrayBuffer> {
    const kept = length > CACHED_OUTPUT ? CACHED_OUTPUT + 1 : length;
    if (this.#outputs[kept]?.length !== length) this.#outputs[kept] = this.output.bytes.subarray(0, length);
    return this.#outputs[kept] as Uint8Array<ArrayBuffer>;
  }

  /** Zeroes a digest of `length` bytes, and the rest of the chaining value that a truncated one leaves. */
  wipeOutput(length: number): void {
    this.output.wipe(Math.min(Math.max(length, CACHED_OUTPUT), OUTPUT_SIZE));
  }

  /** Returns the root node of a state, for `squeeze` to read later. */
  takeRoot(state: number): Uint8Array<ArrayBuffer> {
    this.exports.root(state);
    const root = this.root.bytes.slice();
    this.root.wipe(ROOT_SIZE);
    return root;
  }

  /** The resident state's bytes, as a copy. */
  copyState(): Uint8Array<ArrayBuffer> {
    return this.state.bytes.slice(0, sizeOf(this.state));
  }

  /** Zeroes the one-shot state. */
  wipeOneshot(): void {
    this.oneshot.wipe(sizeOf(this.oneshot));
  }
}

/** Bytes of a state that are in use. */
export function sizeOf(state: Area): number {
  return state.view.getUint32(0, true);
}
