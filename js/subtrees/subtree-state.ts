// The state of one subtree, with its mode and offset.
import { module } from "../algorithms/blake3-kernel.js";
import { type Blake3Mode, KEY_LENGTH, MODE_LENGTH, modeBytes } from "../algorithms/blake3-mode.js";
import { HasherState } from "../engine/hasher-state.js";
import { viewOf } from "../engine/memory.js";
import { asBytes, pooledSecret } from "../input/views.js";
import { CHUNK, VALUE } from "../tree/geometry.js";
import { takeChain } from "./parents.js";

// The kernel's parameters: mode, padding, the number of the first chunk (wasm/blake3/blake3.c).
const PARAMETERS_LENGTH = 48;
const ORIGIN_AT = 40;

export class SubtreeState {
  readonly #parameters: Uint8Array<ArrayBuffer>;
  readonly #state: HasherState;

  constructor(call: string, mode: Blake3Mode, offset: bigint) {
    const parameters = pooledSecret(PARAMETERS_LENGTH);
    const bytes = modeBytes(call, module, mode);
    parameters.set(bytes);
    bytes.fill(0);
    this.#parameters = parameters;
    this.#setOffset(offset);
    const owner = { name: "blake3", module };
    this.#state = new HasherState(owner, { bytes: parameters, digestLength: KEY_LENGTH, secret: true });
  }

  #setOffset(offset: bigint): void {
    viewOf(this.#parameters).setBigUint64(ORIGIN_AT, offset / BigInt(CHUNK), true);
  }

  /** The mode, as `modeBytes` returns it. */
  get mode(): Uint8Array {
    return this.#parameters.subarray(0, MODE_LENGTH);
  }

  /** The number of bytes so far. */
  get length(): bigint {
    return this.#state.count();
  }

  update(bytes: Uint8Array): void {
    this.#state.update(asBytes(bytes), bytes.length);
  }

  /** Returns the chaining value of the bytes so far, of which there must be at least one. */
  chainingValue(): Uint8Array<ArrayBuffer> {
    const kernel = this.#state.begin();
    const value = takeChain(kernel);
    this.#state.end(kernel, VALUE);
    return value;
  }

  /** Begins another subtree in the same mode: a secret state's parameters are loaded anew for each. */
  restart(offset: bigint): void {
    this.#state.clear();
    this.#setOffset(offset);
  }

  /** Wipes the state and the key. */
  clear(): void {
    this.#state.clear();
    this.#parameters.fill(0);
  }
}
