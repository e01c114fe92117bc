// Saves a hasher's state as bytes that any build on any machine can restore (format: docs/states.md). Each algorithm's
// StateForm defines which states are valid.
import { requireBytes } from "../input/bytes.js";
import { copyOf, pooledCopy, pooledSecret } from "../input/caller-bytes.js";
import type { HasherState } from "./hasher-state.js";
import { type AlgorithmRecord, type Kernels, type Parameters, stateSizeOf } from "./kernel.js";
import { BUFFERED_AT, HEAD_LENGTH, type Head, readHead, STATE, STATE_SIZE, uint32At } from "./memory.js";
import {
  CHECKSUM_LENGTH,
  checkFrame,
  digestLengthOf,
  type Frame,
  frameOf,
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

const FRAME_LENGTH = HEADER_LENGTH + CHECKSUM_LENGTH;

/** Serialises a hasher's state. */
export function writeState(name: string, form: StateForm, state: HasherState): Uint8Array<ArrayBuffer> {
  const { bytes, digestLength } = state.parameters;
  const inUse = savedParameters(form, bytes);
  const at = HEADER_LENGTH + inUse;
  const [frame, size] = state.use((kernel) => {
    const length = stateSizeOf(kernel.state);
    const saved = frameOf(new Uint8Array(FRAME_LENGTH + inUse + length));
    saved.bytes.set(kernel.state.first(length), at);
    return [saved, length] as const;
  });
  writeHeader(frame, name, digestLength, bytes, inUse, size);
  // What earlier blocks have left in the block buffer.
  const buffer = at + form.bufferOffset;
  frame.bytes.fill(0, buffer + uint32At(frame.bytes, at + BUFFERED_AT), buffer + form.bufferLength);
  seal(frame, at + size);
  return frame.bytes;
}

/** The call that errors name. */
const RESTORE = "restore";

/** Parses what `writeState` returned and rejects everything else, so that no unchecked byte reaches a kernel. */
export function readState(of: AlgorithmRecord, form: StateForm, saved: unknown): Restored {
  const { name, parametersLength } = of;
  requireBytes(RESTORE, "state", saved);
  const size = saved.length;
  requireNumber(RESTORE, "bytes", size, FRAME_LENGTH + HEAD_LENGTH, FRAME_LENGTH + parametersLength + STATE_SIZE);
  // Copied, since shared memory can change between check and use.
  const frame = frameOf(copyOf(saved, size));
  try {
    checkFrame(RESTORE, frame, size, name, 0, parametersLength);
    return parseState(of, form, frame, size - CHECKSUM_LENGTH);
  } finally {
    frame.bytes.fill(0);
  }
}

function parseState(of: AlgorithmRecord, form: StateForm, frame: Frame, end: number): Restored {
  const length = parametersLengthOf(frame);
  const at = HEADER_LENGTH + length;
  requireNumber(RESTORE, "kernel state bytes", end - at, HEAD_LENGTH, STATE_SIZE);
  const bytes = pooledSecret(of.parametersLength);
  bytes.set(frame.bytes.subarray(HEADER_LENGTH, at));
  requireNumber(RESTORE, "parameter bytes", length, savedParameters(form, bytes));
  const digestLength = digestLengthOf(frame);
  requireNumber(RESTORE, "digest length", digestLength, 0, Number.MAX_SAFE_INTEGER);
  if (!form.allowsDigest(digestLength, bytes)) throw refusal(RESTORE, "its parameters' digest length", digestLength);
  const state = pooledCopy(frame.bytes.subarray(at, end));
  const parameters = { bytes, digestLength, secret: true };
  checkState(form, state, readHead(frame.bytes, at), freshHead(of.kernels, parameters));
  return { parameters, state };
}

/** Returns the head of the state before any message. */
function freshHead(kernels: Kernels, parameters: Parameters): Head {
  return kernels.run((kernel) => {
    kernel.load(parameters);
    kernel.exports.init(STATE);
    return readHead(kernel.state.bytes);
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

/**
 * Returns how many bytes of the parameters are saved. Missing ones count as zeros, so that a later release with more
 * parameters can read this state.
 */
function savedParameters(form: StateForm, parameters: Uint8Array): number {
  const kept = form.keptParameters(parameters);
  let length = parameters.length;
  while (length > kept && parameters[length - 1] === 0) length--;
  return length;
}
