// The state of one subtree in the kernel.
import { module } from "../algorithms/blake3-kernel.js";
import { type Blake3Mode, KEY_LENGTH, writeMode } from "../algorithms/blake3-mode.js";
import { HasherState } from "../engine/hasher-state.js";
import { STATE, viewOf } from "../engine/memory.js";
import { CHUNK } from "../tree/geometry.js";
import { takeChain } from "./parents.js";

// The kernel's parameters: mode, padding, the number of the first chunk (wasm/blake3/blake3.c).
const PARAMETERS_LENGTH = 48;
const ORIGIN_AT = 40;

/** Returns a subtree's mode and offset as the kernel reads them. */
export function subtreeParameters(call: string, { key, context }: Blake3Mode, offset: bigint): Uint8Array<ArrayBuffer> {
  writeMode(call, module, key, context);
  const parameters = module.takeParameters(PARAMETERS_LENGTH);
  moveTo(parameters, offset);
  return parameters;
}

/** Changes the offset, for the next subtree in the same mode: a secret state's parameters are loaded anew for each. */
export function moveTo(parameters: Uint8Array<ArrayBuffer>, offset: bigint): void {
  viewOf(parameters).setBigUint64(ORIGIN_AT, offset / BigInt(CHUNK), true);
}

export function subtreeState(parameters: Uint8Array): HasherState {
  return new HasherState({ name: "blake3", module }, { bytes: parameters, digestLength: KEY_LENGTH, secret: true });
}

/** Returns the chaining value of a state, which must have at least one byte. */
export function chainOf(state: HasherState): Uint8Array<ArrayBuffer> {
  const kernel = state.begin();
  const value = takeChain(kernel, STATE);
  kernel.end();
  return value;
}
