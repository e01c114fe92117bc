// A kernel: one instance of a compiled module, and the use of its memory. This file does not depend on the algorithm;
// wasm/memory.h documents the exports.
import { encoder, type Message } from "../input/bytes.js";
import { type CallerBytes, copyBytes, copyPiece } from "../input/views.js";
import { type Compiled, instantiate } from "./compile.js";
import {
  Area,
  BACKUP,
  INPUT,
  INPUT_SIZE,
  ONESHOT,
  OUTPUT,
  OUTPUT_SIZE,
  PARAMETERS,
  PARAMETERS_SIZE,
  ROOT,
  ROOT_SIZE,
  STATE,
  STATE_SIZE,
} from "./memory.js";

// Views of the output area are cached for digests of up to this many bytes.
const CACHED_OUTPUT = 64;

/**
 * The ABI. Every module has the same exports, except that `root` and `squeeze` need an extendable output, `chain` and
 * `join` a tree, `many` and `lanes` a build that hashes several messages in parallel.
 */
interface KernelExports {
  memory: WebAssembly.Memory;
  init(state: number): void;
  update(state: number, input: number, length: number): void;
  finalize(state: number, length: number): void;
  hash(inputLength: number, outputLength: number): void;
  /** Writes the root node of a state to the root area, for `squeeze`. */
  root(state: number): void;
  /** Writes `length` bytes of the root's output, from a 64-bit position given as two halves, to the output area. */
  squeeze(low: number, high: number, length: number): void;
  /** Writes the chaining value of a state, as a subtree of a larger tree, to the output area. */
  chain(state: number): void;
  /** Makes a state from two subtrees whose chaining values are in the input area. */
  join(state: number): void;
  many?(count?: number): void;
  lanes?(): number;
}

/** The bytes that `init` reads, and the digest length. */
export interface Parameters {
  readonly bytes: Uint8Array;
  /** In bytes. */
  readonly digestLength: number;
  /** Whether the bytes may hold a key and must be wiped after use. */
  readonly secret: boolean;
}

/** Zeroes parameters that may hold a key. */
export function wipeParameters({ bytes, secret }: Parameters): void {
  if (secret) bytes.fill(0);
}

/** The interface of a hasher to its kernel. */
export interface Occupant {
  readonly parameters: Parameters;
  /** The state while it is not in the kernel. If it is in neither place, it was lost. */
  saved: Uint8Array | undefined;
}

/**
 * One instance of a module, with its memory.
 *
 * A call that computes opens the kernel first and closes it at the end. In between, its memory is inconsistent and the
 * C stack in use. A call ended by an exception (stack overflow, a trap, the timeout of a vm) leaves the kernel open,
 * and KernelModule then replaces it with a new one. No user code runs while a kernel is open.
 */
export class Kernel {
  readonly exports: KernelExports;
  /** A copy of the export, since one property access less makes short messages faster on Bun. */
  readonly hash: KernelExports["hash"];
  readonly parameters: Area;
  readonly state: Area;
  readonly oneshot: Area;
  readonly root: Area;
  readonly output: Area;
  readonly input: Area;
  /** Whether a call is in progress, or was ended by an exception. */
  busy = false;
  readonly #memory: Uint8Array<ArrayBuffer>;
  readonly #outputs: Uint8Array<ArrayBuffer>[] = [];
  /** The contents of PARAMETERS, which is zero if undefined. */
  #loaded: Uint8Array | undefined;
  /** The hasher whose state is in STATE, as long as that state is consistent. */
  #resident: Occupant | undefined;
  /** The address of the resident's consistent state. */
  #sound = STATE;
  /** The number of bytes at the start of INPUT that the resident's state has not absorbed yet. */
  #pending = 0;
  /** The end of what has been written to INPUT since it was last wiped. */
  #written = 0;

  constructor(module: Compiled) {
    const exports = instantiate(module) as KernelExports;
    const buffer = exports.memory.buffer as ArrayBuffer;
    this.exports = exports;
    this.hash = exports.hash;
    this.#memory = new Uint8Array(buffer);
    this.parameters = new Area(buffer, PARAMETERS, PARAMETERS_SIZE);
    this.state = new Area(buffer, STATE, STATE_SIZE);
    this.oneshot = new Area(buffer, ONESHOT, STATE_SIZE);
    this.root = new Area(buffer, ROOT, ROOT_SIZE);
    this.output = new Area(buffer, OUTPUT, OUTPUT_SIZE);
    this.input = new Area(buffer, INPUT, INPUT_SIZE);
  }

  /** Ends a call: the memory is consistent again. */
  close(): void {
    this.busy = false;
  }

  // ---- parameters ----

  /** Loads parameters that later calls may reuse. */
  load(parameters: Uint8Array): void {
    if (this.#loaded === parameters) return;
    this.unload();
    this.parameters.bytes.set(parameters);
    this.#loaded = parameters;
  }

  /** Zeroes the parameters, which may hold a key. */
  unload(): void {
    if (!this.#loaded) return;
    this.parameters.wipe(PARAMETERS_SIZE);
    this.#loaded = undefined;
  }

  /** Returns the zeroed parameter memory, for a call with its own parameters. */
  claim(): Area {
    this.freeInput();
    this.unload();
    this.#loaded = this.parameters.bytes;
    return this.parameters;
  }

  /** Ends a call that had its own parameters and wrote `length` bytes of output. */
  release(length: number): void {
    this.unload();
    this.wipeOutput(length);
    this.close();
  }

  // ---- the resident hasher ----

  /** Moves the resident's state out and another hasher's in. An empty state stands for a fresh one. */
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

  /** Moves the resident's state out and zeroes its memory. */
  evict(): void {
    const resident = this.#resident;
    if (!resident) return;
    this.freeInput();
    resident.saved = this.copyState();
    this.vacate(resident.parameters);
  }

  /** Forgets the resident and zeroes its state, pending input and output. */
  vacate({ digestLength }: Parameters): void {
    this.#resident = undefined;
    this.#pending = 0;
    this.state.wipe(sizeOf(this.state));
    this.wipeInput();
    this.wipeOutput(digestLength);
  }

  /** The number of message bytes that the resident's state has not absorbed yet. */
  get pending(): number {
    return this.#pending;
  }

  /** Appends to the resident's message if it fits into INPUT. Returns whether it did. */
  gather(message: Message, units: number): boolean {
    const at = this.#pending;
    let end = at + units;
    if (end > INPUT_SIZE) return false;
    if (typeof message === "string") {
      end = this.#placeText(message, at);
      if (end < 0) return false;
    } else {
      this.#mark(end);
      copyBytes(this.input.bytes, at, message, units);
    }
    this.#pending = end;
    return true;
  }

  /** Returns the offset in INPUT for the next few bytes of the resident's message; `commit` appends them. */
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

  /** Appends bytes or text of any length to the resident's message. */
  append(message: Message, units: number): void {
    const resident = this.#resident;
    this.#resident = undefined;
    this.#pending = this.pour(message, units, this.#pending, STATE);
    this.#resident = resident;
  }

  /** Absorbs the pending bytes during a call of the resident itself. */
  flush(): void {
    if (this.#pending === 0) return;
    const resident = this.#resident;
    this.#resident = undefined;
    this.absorb(STATE, this.#pending);
    this.#pending = 0;
    this.#resident = resident;
  }

  /** Absorbs the pending bytes so that another caller can use INPUT. An interruption does not cost the resident. */
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

  /** Takes over the resident of a kernel that an interrupted call left open and that is no longer used. */
  adopt(left: Kernel): void {
    if (!left.#resident) return;
    const pending = left.#pending;
    this.state.bytes.set(left.#memory.subarray(left.#sound, left.#sound + STATE_SIZE));
    this.#mark(pending);
    this.input.bytes.set(left.input.bytes.subarray(0, pending));
    this.#pending = pending;
    this.#resident = left.#resident;
    // A copy that the interrupted call may have stored.
    this.#resident.saved?.fill(0);
    this.#resident.saved = undefined;
  }

  /** Zeroes all memory of a kernel that is no longer used. */
  wipe(): void {
    this.#memory.fill(0);
  }

  // ---- messages: bytes or text; `units` is their length in bytes or UTF-16 code units ----

  /** Copies a whole message to INPUT. Returns its length in bytes, or -1 if it does not fit. */
  place(message: Message, units: number): number {
    if (units > INPUT_SIZE) return -1;
    if (typeof message === "string") return this.#placeText(message, 0);
    copyBytes(this.input.bytes, 0, message, units);
    return units;
  }

  /** Writes a text to INPUT, at `at`. Returns its end, or -1 if it does not fit. */
  #placeText(text: string, at: number): number {
    const before = this.#written;
    // An interruption may leave text anywhere.
    this.#written = INPUT_SIZE;
    const { read, written } = this.#encode(text, at);
    this.#written = Math.max(before, at + written);
    return read === text.length ? at + written : -1;
  }

  /** Updates a state with the first `length` bytes of INPUT. */
  absorb(state: number, length: number): void {
    this.exports.update(state, INPUT, length);
  }

  /**
   * Appends bytes or text to the first `filled` bytes of INPUT, and absorbs INPUT into the state whenever it is full.
   * Returns the number of bytes that remain in INPUT.
   */
  pour(message: Message, units: number, filled: number, state: number): number {
    if (typeof message === "string") return this.#pourText(message, filled, state);
    return this.#pourBytes(message, units, filled, state);
  }

  #pourBytes(bytes: CallerBytes, length: number, filled: number, state: number): number {
    let at = filled;
    let taken = 0;
    while (at + length - taken > INPUT_SIZE) {
      copyPiece(this.input.bytes, at, bytes, taken, taken + INPUT_SIZE - at);
      this.#mark(INPUT_SIZE);
      this.absorb(state, INPUT_SIZE);
      taken += INPUT_SIZE - at;
      at = 0;
    }
    copyPiece(this.input.bytes, at, bytes, taken, length);
    this.#mark(at + length - taken);
    return at + length - taken;
  }

  #pourText(text: string, filled: number, state: number): number {
    for (let at = filled, rest = text; ; at = 0) {
      const { read, written } = this.#encode(rest, at);
      at += written;
      this.#mark(at);
      if (read === rest.length) return at;
      this.absorb(state, at);
      rest = rest.slice(read);
    }
  }

  /** Writes as much of a text as fits. */
  #encode(text: string, at: number): { read: number; written: number } {
    return encoder.encodeInto(text, at === 0 ? this.input.bytes : this.input.bytes.subarray(at));
  }

  /** Records that INPUT is written to up to `end`. */
  #mark(end: number): void {
    if (end > this.#written) this.#written = end;
  }

  /** Zeroes everything that was written to INPUT. */
  wipeInput(): void {
    this.input.wipe(this.#written);
    this.#written = 0;
  }

  // ---- output ----

  /** Returns a view of the first `length` bytes of OUTPUT, to be copied at once. Caches short views, and one long. */
  outputOf(length: number): Uint8Array<ArrayBuffer> {
    const kept = length > CACHED_OUTPUT ? CACHED_OUTPUT + 1 : length;
    if (this.#outputs[kept]?.length !== length) this.#outputs[kept] = this.output.bytes.subarray(0, length);
    return this.#outputs[kept] as Uint8Array<ArrayBuffer>;
  }

  /** Zeroes a digest of `length` bytes, and the rest of the chaining value if the digest is truncated. */
  wipeOutput(length: number): void {
    this.output.wipe(Math.min(Math.max(length, CACHED_OUTPUT), OUTPUT_SIZE));
  }

  /** Returns a copy of the resident's state. */
  copyState(): Uint8Array<ArrayBuffer> {
    return this.state.bytes.slice(0, sizeOf(this.state));
  }

  /** Zeroes the one-shot state. */
  wipeOneshot(): void {
    this.oneshot.wipe(sizeOf(this.oneshot));
  }
}

/** The size of a state in bytes. */
export function sizeOf(state: Area): number {
  return state.view.getUint32(0, true);
}
