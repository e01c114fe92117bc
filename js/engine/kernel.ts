// A kernel: one instance of a compiled module, and the use of its memory. This file does not depend on the algorithm;
// wasm/memory.h documents the exports.
import type { Message } from "../input/bytes.js";
import { pooledSecret } from "../input/caller-bytes.js";
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

/** Options that were read and checked. Writing them runs no user code. */
export interface Checked {
  /** In bytes. */
  readonly digestLength: number;
  /** Whether there is a key or a context among them. */
  readonly secret: boolean;
  /** Tells it from {@link Parameters}. */
  readonly bytes: undefined;
  /**
   * Writes the parameters that `init` reads.
   *
   * @param target zeros, as many as there are parameters
   * @param kernel given if the target is its PARAMETERS: a call has begun in it
   */
  write(target: Uint8Array<ArrayBuffer>, kernel?: Kernel): void;
}

/** The bytes that `init` reads, and the digest length. */
export interface Parameters {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** In bytes. */
  readonly digestLength: number;
  /** Whether the bytes belong to one hasher, may hold a key, and must be wiped after use. */
  readonly secret: boolean;
}

/** Returns the parameters of one call or hasher. */
export function written(options: Checked, length: number): Parameters {
  const { digestLength, secret } = options;
  const bytes = pooledSecret(length);
  options.write(bytes);
  return { bytes, digestLength, secret };
}

/** Zeroes parameters that may hold a key. */
export function wipeParameters({ bytes, secret }: Parameters): void {
  if (secret) bytes.fill(0);
}

/** A hashing kernel. Between calls, its memory holds public parameters, and in INPUT maybe bytes of an update. */
export class Kernel implements Instance {
  readonly exports: KernelExports;
  /** A copy of the export, since one property access less makes short messages faster on Bun. */
  readonly hash: KernelExports["hash"];
  readonly parameters: Area;
  readonly state: Area;
  readonly root: Area;
  readonly output: Area;
  readonly input: InputArea;
  /** Encodes OUTPUT as text. */
  readonly text: Encoder;
  busy = false;
  readonly #memory: Uint8Array<ArrayBuffer>;
  /** What PARAMETERS holds: an array of public bytes, `parameters.bytes` if they are one call's, undefined for zeros. */
  #loaded: Uint8Array | undefined;
  #loadedLength = 0;

  constructor(module: Compiled, tune: Tune | undefined) {
    const exports = instantiate(module) as KernelExports;
    const buffer = exports.memory.buffer as ArrayBuffer;
    this.exports = exports;
    this.hash = exports.hash;
    this.#memory = new Uint8Array(buffer);
    this.parameters = new Area(buffer, PARAMETERS, PARAMETERS_SIZE);
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

  /** Ends a call: zeroes parameters of its own, and INPUT. */
  end(): void {
    this.wipeInput();
    this.pause();
  }

  /** Ends an update, and leaves its bytes in INPUT: to zero them after each would take 5 % of its time. */
  pause(): void {
    if (this.#loaded === this.parameters.bytes) this.#clearParameters();
    this.busy = false;
  }

  /** Zeroes what updates have left in INPUT. */
  wipeInput(): void {
    if (this.input.written > 0) this.input.wipeWritten();
  }

  /** Loads the bytes of parameters. Later calls may reuse them unless they are secret. */
  load(bytes: Uint8Array, secret: boolean): void {
    if (this.#loaded === bytes) return;
    if (this.#loadedLength > bytes.length) this.#clearParameters();
    this.#loaded = secret ? this.parameters.bytes : bytes;
    this.#loadedLength = bytes.length;
    this.parameters.bytes.set(bytes);
  }

  /** Writes options to PARAMETERS, for one call. */
  write(options: Checked, length: number): void {
    this.#clearParameters();
    this.#loaded = this.parameters.bytes;
    this.#loadedLength = length;
    options.write(this.parameters.first(length), this);
  }

  #clearParameters(): void {
    this.parameters.wipe(this.#loadedLength);
    this.#loaded = undefined;
    this.#loadedLength = 0;
  }

  /** Hashes a message with the loaded parameters: writes `length` bytes of its digest to OUTPUT. */
  hashMessage(message: Message, units: number, length: number): void {
    const end = this.input.write(message, units, 0);
    if (end >= 0) this.hash(end, length);
    else this.#hashLong(message, units, length);
  }

  #hashLong(message: Message, units: number, length: number): void {
    this.absorb(message, units);
    this.exports.finalize(STATE, length);
    this.wipeState();
  }

  /** Hashes a message of any length with the loaded parameters into STATE. */
  absorb(message: Message, units: number): void {
    this.exports.init(STATE);
    this.input.mark(INPUT_SIZE);
    this.input.update(this.input.writeAll(message, units, 0));
  }

  /** Zeroes the state. */
  wipeState(): void {
    this.state.wipe(stateSizeOf(this.state));
  }

  /** Zeroes a digest of `length` bytes, and the rest of the chaining value if the digest is truncated. */
  wipeOutput(length: number): void {
    this.output.wipe(Math.min(Math.max(length, SHORT_VIEW), OUTPUT_SIZE));
  }

  retire(): void {
    this.#memory.fill(0);
  }
}

/** The size of a state in bytes. */
export function stateSizeOf(state: Area): number {
  return state.view.getUint32(0, true);
}

/** An algorithm's name, for errors, and its kernel. */
export interface AlgorithmKernel {
  readonly name: string;
  readonly module: KernelModule;
}

/** Tells a new kernel which shape to choose, in builds that have several. */
type Tune = (memory: Uint8Array, exports: KernelExports) => void;

/** The kernel of an algorithm, in the chosen one of its builds. */
export type KernelModule = Lifecycle<Kernel>;

/** Returns the kernel of two builds. The chosen one is compiled at first use. */
export function kernelOf(builds: Builds, tune?: Tune): KernelModule {
  return new Lifecycle((self) => {
    backendListeners.add(self);
    return new Kernel(chosenBuild(builds), tune);
  });
}
