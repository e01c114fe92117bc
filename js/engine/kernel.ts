// A kernel: one instance of a compiled module, and the use of its memory. This file does not depend on the algorithm;
// wasm/memory.h documents the exports.
import type { Bytes, Message } from "../input/bytes.js";
import { type Encoder, encoderOf } from "../input/text.js";
import { backendListeners } from "./backend.js";
import { type Builds, type Compiled, chosenBuild, instantiate } from "./compile.js";
import { InputArea } from "./input-area.js";
import { type Instance, Lifecycle } from "./lifecycle.js";
import {
  Area,
  INPUT_SIZE,
  OUTPUT,
  OUTPUT_SIZE,
  PARAMETERS,
  PARAMETERS_SIZE,
  ROOT,
  ROOT_SIZE,
  SHORT_VIEW,
  STATE,
  STATE_SIZE,
  VALUE,
} from "./memory.js";

/**
 * The ABI. Every module has the same exports, except that `root` and `squeeze` need an extendable output, and `many` a
 * build that hashes several messages in parallel.
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
  many?(count: number): void;
  /** Only in builds that choose among shapes: see `tune`. */
  chain?(turns: number, ofVectors: number): number;
}

/** What options become: the bytes that `init` reads, and the digest length. */
export interface Parameters {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** In bytes. */
  readonly digestLength: number;
  /** Whether the bytes belong to one call or hasher, may hold a key, and must be wiped after use. */
  readonly secret: boolean;
}

/** Zeroes parameters that may hold a key. */
export function wipeParameters({ bytes, secret }: Parameters): void {
  if (secret) bytes.fill(0);
}

/** A hashing kernel. Between calls, its memory holds public parameters, and in INPUT maybe bytes of an update. */
export class Kernel implements Instance {
  readonly exports: KernelExports;
  readonly state: Area;
  readonly root: Area;
  readonly output: Area;
  readonly input: InputArea;
  /** Encodes OUTPUT as text. */
  readonly text: Encoder;
  busy = false;
  /** A copy of the export, since one property access less makes short messages faster on Bun. */
  readonly #hash: KernelExports["hash"];
  readonly #memory: Uint8Array<ArrayBuffer>;
  readonly #parameters: Area;
  /** What PARAMETERS holds: an array of public bytes, or undefined for zeros or one call's own. */
  #loaded: Uint8Array | undefined;
  #loadedLength = 0;
  /** How many bytes of OUTPUT a call has written, and whether it has written ROOT. */
  #written = 0;
  #hasRoot = false;

  constructor(module: Compiled, tune: Tune | undefined) {
    const exports = instantiate(module) as KernelExports;
    const buffer = exports.memory.buffer as ArrayBuffer;
    this.exports = exports;
    this.#hash = exports.hash;
    this.#memory = new Uint8Array(buffer);
    this.#parameters = new Area(buffer, PARAMETERS, PARAMETERS_SIZE);
    this.state = new Area(buffer, STATE, STATE_SIZE);
    this.root = new Area(buffer, ROOT, ROOT_SIZE);
    this.output = new Area(buffer, OUTPUT, OUTPUT_SIZE);
    this.text = encoderOf(this.output.bytes);
    this.input = new InputArea(buffer, exports.update);
    tune?.(this.#memory, exports);
  }

  begin(): this {
    this.busy = true;
    return this;
  }

  /** Ends a call: zeroes all that it has written but public parameters. */
  end(): void {
    this.wipeInput();
    this.endUpdate();
  }

  /** Zeroes what updates have left in INPUT. */
  wipeInput(): void {
    if (this.input.written > 0) this.input.wipeWritten();
  }

  /** Ends an update, and leaves its bytes in INPUT: to zero them after each would take 5 % of its time. */
  endUpdate(): void {
    // All of a short digest's chaining value, too.
    this.output.wipe(Math.max(this.#written, SHORT_VIEW));
    this.#written = 0;
    this.state.wipe(stateSizeOf(this.state));
    if (this.#hasRoot) this.root.wipe(ROOT_SIZE);
    this.#hasRoot = false;
    if (this.#loaded === undefined && this.#loadedLength > 0) this.#clearParameters();
    this.busy = false;
  }

  /** Loads parameters. Later calls may reuse them unless they are secret. */
  load({ bytes, secret }: Parameters): void {
    if (this.#loaded === bytes) return;
    if (this.#loadedLength > bytes.length) this.#clearParameters();
    this.#loaded = secret ? undefined : bytes;
    this.#loadedLength = bytes.length;
    this.#parameters.bytes.set(bytes);
  }

  #clearParameters(): void {
    this.#parameters.wipe(this.#loadedLength);
    this.#loaded = undefined;
    this.#loadedLength = 0;
  }

  /** Hashes a message with the loaded parameters: writes `length` bytes of its digest to OUTPUT. */
  hashMessage(message: Message, units: number, length: number): void {
    const end = this.input.write(message, units, 0);
    if (end >= 0) this.hashInput(end, length);
    else this.#hashLong(message, units, length);
  }

  #hashLong(message: Message, units: number, length: number): void {
    this.absorb(message, units);
    this.finalize(length);
  }

  /** Hashes the first `end` bytes of INPUT. The call zeroes them when it ends. */
  hashInput(end: number, length: number): void {
    if (length > this.#written) this.#written = length;
    this.#hash(end, length);
  }

  /** Hashes a message of any length with the loaded parameters into STATE. */
  absorb(message: Message, units: number): void {
    this.exports.init(STATE);
    this.input.willWrite(INPUT_SIZE);
    this.input.update(this.input.writeAll(message, units, 0));
  }

  /** Writes the digest of the message in STATE to OUTPUT. */
  finalize(length: number): void {
    if (length > this.#written) this.#written = length;
    this.exports.finalize(STATE, length);
  }

  /** Writes the root node of the message in STATE to ROOT. */
  makeRoot(): void {
    this.#hasRoot = true;
    this.exports.root(STATE);
  }

  loadRoot(root: Uint8Array): void {
    this.#hasRoot = true;
    this.root.bytes.set(root);
  }

  /** Writes the root's output from a position of 64 bits on, as much as there is room for, to OUTPUT. */
  squeeze(low: number, high: number, length: number): void {
    this.#written = Math.max(this.#written, length);
    this.exports.squeeze(low, high, length);
  }

  /** Hashes messages in INPUT, whose lengths are in JOBS, to digests in OUTPUT. */
  many(count: number): void {
    this.#written = Math.max(this.#written, count * VALUE);
    this.exports.many?.(count);
  }

  retire(): void {
    this.#memory.fill(0);
  }
}

/** The size of a state in bytes. */
export function stateSizeOf(state: Area): number {
  return state.view.getUint32(0, true);
}

/** One algorithm: all that the engine knows of it. */
export interface AlgorithmRecord<Options extends object = never, Name extends string = string> {
  readonly name: Name;
  readonly kernels: Kernels;
  /** The default digest length, in bytes. */
  readonly digestLength: number;
  /** In bytes. */
  readonly blockLength: number;
  /** How many bytes the kernel's `init` reads. */
  readonly parametersLength: number;
  /**
   * Reads and checks options, then writes parameters to `bytes`, zeros: no code of the caller's runs in between. Or returns
   * public ones that it has at hand. Errors name the call.
   */
  parameters(options: Options, call: string, bytes: Bytes): Parameters;
  /** Hashes messages in the lanes of a kernel; undefined if that is never faster. */
  readonly inLanes?: InLanes | undefined;
  /** Returns the length of the extendable output under some parameters; undefined if there is none. */
  readonly maxOutputLength?: (parameters: Uint8Array) => bigint;
}

/**
 * Writes digests of messages whose lengths are `units` to `digests`; `kernel` has loaded the parameters. Messages that
 * are left without a digest are hashed one by one.
 */
export type InLanes = (
  kernel: Kernel,
  messages: readonly Message[],
  units: readonly number[],
  parameters: Parameters,
  digests: (Bytes | undefined)[],
) => void;

/** Tells a new kernel which shape to choose, in builds that have several. */
type Tune = (memory: Uint8Array, exports: KernelExports) => void;

/** Makes and holds the one instance of a kernel, which is compiled at first use. */
export type Kernels = Lifecycle<Kernel>;

/** Returns the kernel of two builds. The chosen one is compiled at first use. */
export function kernelOf(builds: Builds, tune?: Tune): Kernels {
  return new Lifecycle((self) => {
    backendListeners.add(self);
    return new Kernel(chosenBuild(builds), tune);
  });
}
