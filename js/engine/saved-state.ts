// Saves a hasher's state as bytes that any build on any machine can restore (format: docs/states.md). Each algorithm's
// StateForm defines which states are valid.
import { requireBytes } from "../input/bytes.js";
import { lengthOf } from "../input/views.js";
import type { Resumable } from "./algorithm.js";
import { type Parameters, sizeOf } from "./kernel.js";
import { BUFFERED_AT, HEAD_LENGTH, ONESHOT, readHead, STATE_SIZE, viewOf } from "./memory.js";
import {
  CHECKSUM_LENGTH,
  checkFrame,
  DIGEST_LENGTH_AT,
  HEADER_LENGTH,
  PARAMETERS_LENGTH_AT,
  writeFrame,
} from "./saved-frame.js";
import { requireNumber, requireSame, requireZerosAt } from "./saved-state-checks.js";

/** The layout of an algorithm's state, and its checks. Offsets and lengths are in bytes. */
export interface StateForm {
  /** The offset of the block buffer in a state. */
  readonly bufferOffset: number;
  readonly bufferLength: number;
  /** Rejects parameters that the algorithm never writes for a digest of this length. */
  checkParameters(parameters: Uint8Array, digestLength: number, name: string): void;
  /** Rejects a state that no message can lead to from the fresh state, which is never longer. */
  checkState(state: Uint8Array, fresh: Uint8Array, name: string): void;
}

/** The algorithm of a saved state. */
export interface Stateful extends Readonly<Resumable["description"]> {
  readonly form: StateForm;
  /** What the name in a saved state must be, for an error. */
  readonly nameWanted: string;
}

/** The parameters of a restored hasher, and its state in the kernel's format. */
export interface Restored {
  readonly parameters: Parameters;
  readonly state: Uint8Array<ArrayBuffer>;
}

/** Serialises a kernel's state. Also zeroes what earlier blocks left in the buffer of `state`. */
export function writeState(
  name: string,
  form: StateForm,
  parameters: Parameters,
  state: Uint8Array,
): Uint8Array<ArrayBuffer> {
  wipeUnused(form, state);
  const inUse = lengthInUse(parameters.bytes);
  return writeFrame(name, parameters.digestLength, parameters.bytes, inUse, state);
}

/** Parses what `writeState` returned and rejects everything else, so that no unchecked byte reaches a kernel. */
export function readState(of: Stateful, saved: unknown): Restored {
  requireBytes(of.name, "state", saved);
  const frame = HEADER_LENGTH + CHECKSUM_LENGTH;
  requireNumber(of.name, "bytes", lengthOf(saved), frame + HEAD_LENGTH, frame + of.parametersLength + STATE_SIZE);
  // Copied, since shared memory can change between check and use.
  const copy = new Uint8Array(saved);
  try {
    checkFrame(of.name, of.nameWanted, 0, of.parametersLength, copy);
    return takeApart(of, copy);
  } finally {
    copy.fill(0);
  }
}

function takeApart(of: Stateful, saved: Uint8Array<ArrayBuffer>): Restored {
  const { name } = of;
  const view = viewOf(saved);
  const length = view.getUint32(PARAMETERS_LENGTH_AT, true);
  const digestLength = Number(view.getBigUint64(DIGEST_LENGTH_AT, true));
  const bytes = new Uint8Array(of.parametersLength);
  const state = saved.slice(HEADER_LENGTH + length, -CHECKSUM_LENGTH);
  for (let i = 0; i < length; i++) bytes[i] = saved[HEADER_LENGTH + i] as number;
  requireNumber(name, "parameter bytes, without zeros at their end,", length, lengthInUse(bytes));
  requireNumber(name, "digest length", digestLength, 0, Number.MAX_SAFE_INTEGER);
  of.form.checkParameters(bytes, digestLength, name);
  checkState(of, bytes, state);
  return { parameters: { bytes, digestLength, secret: true }, state };
}

function checkState(of: Stateful, parameters: Uint8Array, state: Uint8Array): void {
  const { name } = of;
  const fresh = freshState(of, parameters);
  const { flags, prefix } = readHead(fresh);
  requireNumber(name, "kernel state bytes", state.length, fresh.length, STATE_SIZE);
  const head = readHead(state);
  requireNumber(name, "size", head.size, state.length);
  requireNumber(name, "prefix length", head.prefix, prefix);
  requireNumber(name, "flags", head.flags, flags);
  requireNumber(name, "buffered length", head.buffered, 0, of.form.bufferLength);
  if (head.count === 0n) requireSame(name, "the fresh state of its parameters, at byte count 0", state, fresh);
  of.form.checkState(state, fresh, name);
  const { bufferOffset, bufferLength } = of.form;
  const unused = bufferOffset + head.buffered;
  requireZerosAt(name, "bytes after the buffered ones", state, unused, bufferOffset + bufferLength);
}

/** Returns the initial state for checked parameters. */
function freshState(of: Stateful, parameters: Uint8Array): Uint8Array {
  const kernel = of.module.open();
  kernel.load(parameters);
  kernel.exports.init(ONESHOT);
  kernel.unload();
  const fresh = kernel.oneshot.bytes.slice(0, sizeOf(kernel.oneshot));
  kernel.wipeOneshot();
  kernel.close();
  wipeUnused(of.form, fresh);
  return fresh;
}

/** Zeroes the unused part of the block buffer. */
function wipeUnused({ bufferOffset, bufferLength }: StateForm, state: Uint8Array): void {
  const buffered = viewOf(state).getUint32(BUFFERED_AT, true);
  state.fill(0, bufferOffset + buffered, bufferOffset + bufferLength);
}

// Missing parameters count as zeros, so that a later release with more parameters can read this state.
function lengthInUse(parameters: Uint8Array): number {
  let length = parameters.length;
  while (length > 0 && parameters[length - 1] === 0) length--;
  return length;
}
