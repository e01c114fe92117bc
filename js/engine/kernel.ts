// A kernel: one instance of a compiled module, and the use of its memory. This file does not depend on the algorithm;
// wasm/memory.h documents the exports.
import type { Message } from "../input/bytes.js";
import { type Compiled, instantiate } from "./compile.js";
import { InputArea } from "./input-area.js";
import {
  Area,
  COUNT_AT,
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

// Every limit is 2^61 bytes, 2^64 or a multiple of it: less than 2^48 below it, bits 32 to 63 of the count are at least these.
const NEAR_LIMIT = 0x1fff_0000;

// Views of the output area are cached for digests of up to this many bytes.
const CACHED_OUTPUT = 64;

/**
 * The ABI. Every module has the same exports, except that `root` and `squeeze` need an extendable output, `chain` and
 * `join` a tree, `many` a build that hashes several messages in parallel, and `lanes` one of BLAKE2s.
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

/** Whose state a kernel can hold: a hasher. */
export interface StateOwner {
  readonly parameters: Parameters;
  /** The state while it is not in the kernel. If it is in neither place, it was lost. */
  saved: Uint8Array | undefined;
}

/**
 * One instance of a module, with its memory.
 *
 * A call that computes begins by making the kernel busy, and ends by `end`. In between, its memory is inconsistent and the
 * C stack in use. A call that an exception ends (stack overflow, a trap, the timeout of a vm) leaves the kernel busy, and
 * KernelModule then replaces it with a new one. No user code runs while a kernel is busy.
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
  readonly input: InputArea;
  /** Whether a call has begun and not ended: it is in progress, or an exception has ended it. */
  busy = false;
  /** The hasher whose state is in STATE; undefined while a call of its own changes it, which loses it if interrupted. */
  owner: StateOwner | undefined;
  /** The number of bytes at the start of INPUT that are not hashed into the owner's state yet. */
  pending = 0;
  /** Whether one update, which has less than 2^48 bytes, may exceed what the owner's algorithm can count. */
  isNearLimit = false;
  /** The area that holds the owner's whole state: ONESHOT has a copy while the pending bytes are hashed for another call. */
  #stateArea: Area;
  readonly #memory: Uint8Array<ArrayBuffer>;
  readonly #outputs: Uint8Array<ArrayBuffer>[] = [];
  /** What is in PARAMETERS: plain parameters, `parameters.bytes` for those of one call alone, or zeros if undefined. */
  #loaded: Uint8Array | undefined;

  constructor(module: Compiled) {
    const exports = instantiate(module) as KernelExports;
    const buffer = exports.memory.buffer as ArrayBuffer;
    this.exports = exports;
    this.hash = exports.hash;
    this.#memory = new Uint8Array(buffer);
    this.parameters = new Area(buffer, PARAMETERS, PARAMETERS_SIZE);
    this.state = this.#stateArea = new Area(buffer, STATE, STATE_SIZE);
    this.oneshot = new Area(buffer, ONESHOT, STATE_SIZE);
    this.root = new Area(buffer, ROOT, ROOT_SIZE);
    this.output = new Area(buffer, OUTPUT, OUTPUT_SIZE);
    this.input = new InputArea(buffer, exports.update);
  }

  /** Ends a call: the memory is consistent again, and parameters of the call's own are zeroed. */
  end(): void {
    if (this.#loaded === this.parameters.bytes) this.#clearParameters();
    this.busy = false;
  }

  // ---- parameters ----

  /** Loads parameters. Later calls may reuse them unless they are secret. */
  load({ bytes, secret }: Parameters): void {
    if (this.#loaded === bytes) return;
    this.ownParameters().bytes.set(bytes);
    if (!secret) this.#loaded = bytes;
  }

  /** Returns zeroed memory for parameters of this call alone. */
  ownParameters(): Area {
    this.#clearParameters();
    this.#loaded = this.parameters.bytes;
    return this.parameters;
  }

  #clearParameters(): void {
    if (this.#loaded) this.parameters.wipe(PARAMETERS_SIZE);
    this.#loaded = undefined;
  }

  // ---- the state of the owner ----

  /** Moves the owner's state out and another hasher's in. An empty state stands for a fresh one. */
  loadState(owner: StateOwner, saved: Uint8Array): void {
    this.busy = true;
    this.saveState();
    if (saved.length > 0) {
      this.state.bytes.set(saved);
    } else {
      this.load(owner.parameters);
      this.exports.init(STATE);
    }
    this.#noteCount();
    this.owner = owner;
    // May hold a key, like all states.
    saved.fill(0);
    owner.saved = undefined;
    this.end();
  }

  /** Moves the owner's state out and zeroes its memory. */
  saveState(): void {
    const { owner } = this;
    if (!owner) return;
    this.flushForOthers();
    owner.saved = this.copyState();
    this.clearState(owner);
  }

  /** Forgets the owner and zeroes its state, pending input and output. */
  clearState({ parameters }: StateOwner): void {
    this.owner = undefined;
    this.pending = 0;
    this.state.wipe(sizeOf(this.state));
    this.input.wipeWritten();
    this.wipeOutput(parameters.digestLength);
  }

  /** Takes over the state of a kernel that an interrupted call left busy and that is no longer used. */
  takeOverState(from: Kernel): void {
    const { owner, pending, input } = from;
    if (!owner) return;
    this.state.bytes.set(from.#stateArea.bytes);
    this.input.mark(pending);
    this.input.bytes.set(input.bytes.subarray(0, pending));
    this.pending = pending;
    this.#noteCount();
    this.owner = owner;
    // A copy that the interrupted call may have stored.
    owner.saved?.fill(0);
    owner.saved = undefined;
  }

  /** Zeroes all memory of a kernel that is no longer used. */
  wipe(): void {
    this.#memory.fill(0);
  }

  /** Appends to the owner's message. */
  update(message: Message, units: number): void {
    this.input.mark(this.pending + units);
    const end = this.input.write(message, units, this.pending);
    if (end >= 0) {
      this.pending = end;
      return;
    }
    const { owner } = this;
    this.busy = true;
    this.owner = undefined;
    this.pending = this.input.writeAll(message, units, this.pending, STATE);
    this.owner = owner;
    this.#noteCount();
    this.busy = false;
  }

  /** Returns the offset in INPUT for the next few bytes of the owner's message, which count once `pending` includes them. */
  reserve(length: number): number {
    if (this.pending > INPUT_SIZE - length) {
      this.busy = true;
      this.flush();
      this.busy = false;
    }
    this.input.mark(this.pending + length);
    return this.pending;
  }

  /** Hashes the pending bytes in a call of the owner's. */
  flush(): void {
    if (this.pending === 0) return;
    const { owner } = this;
    this.owner = undefined;
    this.input.update(STATE, this.pending);
    this.pending = 0;
    this.owner = owner;
    this.#noteCount();
  }

  /** After the state has changed: reading its count in every update takes a quarter of a short one. */
  #noteCount(): void {
    this.isNearLimit = this.state.view.getUint32(COUNT_AT + 4, true) >= NEAR_LIMIT;
  }

  /** Hashes the pending bytes for another call, which needs INPUT. An interruption does not cost the owner its state. */
  flushForOthers(): void {
    if (this.pending === 0) return;
    const size = sizeOf(this.state);
    this.#memory.copyWithin(ONESHOT, STATE, STATE + size);
    this.#stateArea = this.oneshot;
    this.input.update(STATE, this.pending);
    this.pending = 0;
    this.#stateArea = this.state;
    this.#noteCount();
    this.oneshot.bytes.fill(0, 0, size);
  }

  /** Hashes a message with the loaded parameters, and wipes it. Returns false if it does not fit into INPUT. */
  hashInput(message: Message, units: number, length: number): boolean {
    const end = this.input.write(message, units, 0);
    if (end < 0) return false;
    this.hash(end, length);
    return true;
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

  /** Returns a copy of the owner's state. */
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
