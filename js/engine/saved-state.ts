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
import { refusal, requireNumber, requireZeros } from "./saved-state-checks.js";

/**
 * The layout of an algorithm's state, and the lengths and counts that it can have. Offsets and lengths are in bytes.
 */
export interface StateForm {
  /** The offset of the block buffer in a state. */
  readonly bufferOffset: number;
  readonly bufferLength: number;
  /** What the flags can be. */
  readonly flags: readonly number[];
  /** Whether states can be longer than a fresh one. */
  readonly grows: boolean;
  /** Whether digests of these parameters can have this length. */
  allowsDigest(length: number, parameters: Uint8Array): boolean;
  /** How many bytes of the parameters are saved even if they are zeros: the zeros at the end of a key must not show. */
  keptParameters(parameters: Uint8Array): number;
  /** Rejects a state whose lengths do not follow from its byte count. */
  checkLengths(state: Uint8Array, head: Head, call: string): void;
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

/** The call that errors name. */
const RESTORE = "restore";

/** Parses what `writeState` returned and rejects everything else, so that no unchecked byte reaches a kernel. */
export function readState(of: Identity, form: StateForm, saved: unknown): Restored {
  const { name, parametersLength } = of;
  requireBytes(RESTORE, "state", saved);
  const size = lengthOf(saved);
  requireNumber(RESTORE, "bytes", size, FRAME_LENGTH + HEAD_LENGTH, FRAME_LENGTH + parametersLength + STATE_SIZE);
  try {
    // Copied, since shared memory can change between check and use.
    copyBytes(scratch.bytes, 0, saved, size);
    checkFrame(RESTORE, scratch, size, name, 0, parametersLength);
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
    requireNumber(RESTORE, "parameter bytes, without zeros at their end,", length, lengthInUse(bytes));
  }
  const digestLength = digestLengthOf(scratch);
  requireNumber(RESTORE, "digest length", digestLength, 0, Number.MAX_SAFE_INTEGER);
  if (!form.allowsDigest(digestLength, bytes)) throw refusal(RESTORE, "its parameters' digest length", digestLength);
  const state = pooledCopy(scratch.bytes.subarray(at, end));
  checkState(form, state, readHead(scratch.bytes, at), freshHead(of.module, bytes));
  return { parameters: { bytes, digestLength, secret: true }, state };
}

/** Returns the head of the state before any message. */
function freshHead(module: KernelModule, parameters: Uint8Array): Head {
  return module.run((kernel) => {
    kernel.load(parameters, true);
    kernel.exports.init(STATE);
    const head = readHead(kernel.state.bytes);
    kernel.wipeState();
    return head;
  });
}

/** The longest message that is restored: far less than any algorithm can count, and more than anyone hashes. */
const MAX_COUNT = 1n << 60n;

/** Rejects lengths and counts on which memory depends. Chaining values and buffered bytes can be anything. */
function checkState(form: StateForm, state: Uint8Array, head: Head, fresh: Head): void {
  const { size, buffered, prefix, flags, count } = head;
  const { bufferOffset, bufferLength } = form;
  if (!form.flags.includes(fresh.flags)) throw refusal(RESTORE, `flags of ${form.flags.join(", ")}`, fresh.flags);
  requireNumber(RESTORE, "kernel state bytes", state.length, fresh.size, form.grows ? STATE_SIZE : fresh.size);
  requireNumber(RESTORE, "size", size, state.length);
  requireNumber(RESTORE, "prefix length", prefix, fresh.prefix);
  requireNumber(RESTORE, "flags", flags, fresh.flags);
  requireNumber(RESTORE, "buffered length", buffered, 0, bufferLength);
  if (count > MAX_COUNT) throw refusal(RESTORE, `byte count from 0 to ${MAX_COUNT}`, count);
  form.checkLengths(state, head, RESTORE);
  requireZeros(RESTORE, "bytes after the buffered ones", state, bufferOffset + buffered, bufferOffset + bufferLength);
}

// Missing parameters count as zeros, so that a later release with more parameters can read this state.
function lengthInUse(parameters: Uint8Array): number {
  let length = parameters.length;
  while (length > 0 && parameters[length - 1] === 0) length--;
  return length;
}
