// Saves a hasher's state as bytes that any build on any machine can restore (format: docs/states.md). Each algorithm's
// StateForm defines which states are valid.
import { requireBytes } from "../input/bytes.js";
import { copyBytes, lengthOf, pooledCopy, pooledSecret } from "../input/caller-bytes.js";
import type { Identity } from "./hasher.js";
import type { HasherState } from "./hasher-state.js";
import { type KernelModule, type Parameters, stateSizeOf } from "./kernel.js";
import { Area, BUFFERED_AT, HEAD_LENGTH, type Head, PARAMETERS_SIZE, readHead, STATE, STATE_SIZE } from "./memory.js";
import {
  CHECKSUM_LENGTH,
  checkFrame,
  digestLengthOf,
  HEADER_LENGTH,
  parametersLengthOf,
  seal,
  writeHeader,
} from "./saved-frame.js";
import { requireNumber, requireSame, requireZeros } from "./saved-state-checks.js";

/** The layout of an algorithm's state, and its checks. Offsets and lengths are in bytes. */
export interface StateForm {
  /** The offset of the block buffer in a state. */
  readonly bufferOffset: number;
  readonly bufferLength: number;
  /** Rejects parameters that the algorithm never writes for a digest of this length. */
  checkParameters(parameters: Uint8Array, digestLength: number, call: string): void;
  /** How many bytes of the parameters are saved even if they are zeros: how many a key ends with must not show. */
  keptParameters(parameters: Uint8Array): number;
  /** Whether states can be longer than a fresh one. */
  readonly grows: boolean;
  /** Rejects a state that no message can lead to from the fresh state, which is at the start of `fresh`. */
  checkState(state: Uint8Array, head: Head, fresh: Uint8Array, call: string): void;
}

/** The parameters of a restored hasher, and its state in the kernel's format. */
interface Restored {
  readonly parameters: Parameters;
  readonly state: Uint8Array<ArrayBuffer>;
}

// Where states are put together and taken apart. A new array for each state would take longer than most of the checks.
const FRAME_LENGTH = HEADER_LENGTH + CHECKSUM_LENGTH;
const SCRATCH_SIZE = FRAME_LENGTH + PARAMETERS_SIZE + STATE_SIZE + 4;
const scratch = /* @__PURE__ */ new Area(/* @__PURE__ */ new ArrayBuffer(SCRATCH_SIZE), 0, SCRATCH_SIZE);

/** Serialises a hasher's state. */
export function writeState(name: string, form: StateForm, state: HasherState): Uint8Array<ArrayBuffer> {
  const { bytes, digestLength } = state.parameters;
  const kernel = state.begin();
  const size = stateSizeOf(kernel.state);
  const inUse = Math.max(lengthInUse(bytes), form.keptParameters(bytes));
  try {
    const at = writeHeader(scratch, name, digestLength, bytes, inUse, size);
    scratch.bytes.set(kernel.state.bytes.subarray(0, size), at);
    state.end(kernel, 0);
    wipeUnused(form, at);
    return scratch.bytes.slice(0, seal(scratch, at + size));
  } finally {
    scratch.wipe(FRAME_LENGTH + inUse + size);
  }
}

/** Zeroes what earlier blocks left in the block buffer of the state at an offset. */
function wipeUnused({ bufferOffset, bufferLength }: StateForm, at: number): void {
  const buffer = at + bufferOffset;
  const buffered = scratch.view.getUint32(at + BUFFERED_AT, true);
  for (let i = buffered; i < bufferLength; i++) scratch.bytes[buffer + i] = 0;
}

/** What errors name. */
const CALL = "restore";

/** Parses what `writeState` returned and rejects everything else, so that no unchecked byte reaches a kernel. */
export function readState(of: Identity, form: StateForm, saved: unknown): Restored {
  const { name, parametersLength } = of;
  requireBytes(CALL, "state", saved);
  const size = lengthOf(saved);
  requireNumber(CALL, "bytes", size, FRAME_LENGTH + HEAD_LENGTH, FRAME_LENGTH + parametersLength + STATE_SIZE);
  try {
    // Copied, since shared memory can change between check and use.
    copyBytes(scratch.bytes, 0, saved, size);
    checkFrame(CALL, scratch, size, name, 0, parametersLength);
    return parseState(of, form, HEADER_LENGTH + parametersLengthOf(scratch), size - CHECKSUM_LENGTH);
  } finally {
    scratch.wipe(size);
  }
}

/** @param at the offset of the kernel state, which ends at `end` */
function parseState(of: Identity, form: StateForm, at: number, end: number): Restored {
  const bytes = pooledSecret(of.parametersLength);
  for (let i = HEADER_LENGTH; i < at; i++) bytes[i - HEADER_LENGTH] = scratch.bytes[i] as number;
  const length = at - HEADER_LENGTH;
  // Before 1.0, a key was saved without the zeros at its end.
  if (length > 0 && bytes[length - 1] === 0 && length !== form.keptParameters(bytes)) {
    requireNumber(CALL, "parameter bytes, without zeros at their end,", length, lengthInUse(bytes));
  }
  const digestLength = digestLengthOf(scratch);
  requireNumber(CALL, "digest length", digestLength, 0, Number.MAX_SAFE_INTEGER);
  form.checkParameters(bytes, digestLength, CALL);
  const state = pooledCopy(scratch.bytes.subarray(at, end));
  checkState(of, form, bytes, state, readHead(scratch.bytes, at));
  return { parameters: { bytes, digestLength, secret: true }, state };
}

function checkState(
  { module }: Identity,
  form: StateForm,
  parameters: Uint8Array,
  state: Uint8Array,
  head: Head,
): void {
  const fresh = freshState(module, parameters);
  try {
    checkBesideFresh(form, state, head, fresh);
  } finally {
    fresh.fill(0);
  }
}

function freshState(module: KernelModule, parameters: Uint8Array): Uint8Array {
  return module.run((kernel) => {
    kernel.load(parameters, true);
    kernel.exports.init(STATE);
    const fresh = pooledCopy(kernel.state.first(stateSizeOf(kernel.state)));
    kernel.wipeState();
    return fresh;
  });
}

function checkBesideFresh(form: StateForm, state: Uint8Array, head: Head, fresh: Uint8Array): void {
  const { size, buffered, prefix, flags, count } = head;
  const freshHead = readHead(fresh);
  const { bufferOffset, bufferLength, grows } = form;
  requireNumber(CALL, "kernel state bytes", state.length, freshHead.size, grows ? STATE_SIZE : freshHead.size);
  requireNumber(CALL, "size", size, state.length);
  requireNumber(CALL, "prefix length", prefix, freshHead.prefix);
  requireNumber(CALL, "flags", flags, freshHead.flags);
  requireNumber(CALL, "buffered length", buffered, 0, bufferLength);
  if (count === 0n) {
    const what = "the fresh state of its parameters, at byte count 0";
    requireSame(CALL, what, state, fresh, 0, bufferOffset + freshHead.buffered);
    requireSame(CALL, what, state, fresh, bufferOffset + bufferLength, freshHead.size);
  }
  form.checkState(state, head, fresh, CALL);
  requireZeros(CALL, "bytes after the buffered ones", state, bufferOffset + buffered, bufferOffset + bufferLength);
}

// Missing parameters count as zeros, so that a later release with more parameters can read this state.
function lengthInUse(parameters: Uint8Array): number {
  let length = parameters.length;
  while (length > 0 && parameters[length - 1] === 0) length--;
  return length;
}
