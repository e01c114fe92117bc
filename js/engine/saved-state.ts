// Saves a hasher's state as bytes that any build on any machine can restore (format: docs/states.md). Each algorithm's
// StateForm defines which states are valid.
import { requireBytes } from "../input/bytes.js";
import { fromCodes } from "../input/text.js";
import { lengthOf } from "../input/views.js";
import type { Resumable } from "./algorithm.js";
import { type Parameters, sizeOf } from "./kernel.js";
import { BUFFERED_AT, HEAD_LENGTH, ONESHOT, readHead, STATE_SIZE, viewOf } from "./memory.js";
import { requireNumber, requireSame, requireSameAt, requireZerosAt } from "./saved-state-checks.js";

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
export interface Stateful extends Pick<Resumable, "name" | "module" | "parametersLength"> {
  readonly form: StateForm;
  /** What the name in a saved state must be, for an error. */
  readonly nameWanted: string;
}

/** The parameters of a restored hasher, and its state in the kernel's format. */
export interface Restored {
  readonly parameters: Parameters;
  readonly state: Uint8Array<ArrayBuffer>;
}

// The layout of a saved state, which begins with BLAKEST, the version and the algorithm's name.
const VERSION = 1;
const VERSION_AT = 7;
const NAME_AT = 8;
const DIGEST_LENGTH_AT = 16;
const PARAMETERS_LENGTH_AT = 24;
const STATE_LENGTH_AT = 28;
const HEADER_LENGTH = 32;
const CHECKSUM_LENGTH = 4;

/** Serialises a kernel's state. Also zeroes what earlier blocks left in the buffer of `state`. */
export function writeState(
  name: string,
  form: StateForm,
  parameters: Parameters,
  state: Uint8Array,
): Uint8Array<ArrayBuffer> {
  wipeUnused(form, state);
  const inUse = lengthInUse(parameters.bytes);
  const split = HEADER_LENGTH + inUse;
  const end = split + state.length;
  const saved = new Uint8Array(end + CHECKSUM_LENGTH);
  const view = viewOf(saved);
  saved.set(beginning(name));
  view.setBigUint64(DIGEST_LENGTH_AT, BigInt(parameters.digestLength), true);
  view.setUint32(PARAMETERS_LENGTH_AT, inUse, true);
  view.setUint32(STATE_LENGTH_AT, state.length, true);
  for (let i = 0; i < inUse; i++) saved[HEADER_LENGTH + i] = parameters.bytes[i] as number;
  saved.set(state, split);
  view.setUint32(end, crc32(saved, end), true);
  return saved;
}

/** Returns the magic bytes, the version, and the name padded with zeros. */
function beginning(name: string): Uint8Array {
  const bytes =
    beginnings.get(name) ??
    fromCodes(`BLAKEST${String.fromCharCode(VERSION)}${name.padEnd(DIGEST_LENGTH_AT - NAME_AT, "\0")}`);
  beginnings.set(name, bytes);
  return bytes;
}

const beginnings = /* @__PURE__ */ new Map<string, Uint8Array>();

/** Parses what `writeState` returned and rejects everything else, so that no unchecked byte reaches a kernel. */
export function readState(of: Stateful, saved: unknown): Restored {
  requireBytes(of.name, "state", saved);
  const frame = HEADER_LENGTH + CHECKSUM_LENGTH;
  requireNumber(of.name, "bytes", lengthOf(saved), frame + HEAD_LENGTH, frame + of.parametersLength + STATE_SIZE);
  // Copied, since shared memory can change between check and use.
  const copy = new Uint8Array(saved);
  try {
    checkFrame(of, copy);
    return takeApart(of, copy);
  } finally {
    copy.fill(0);
  }
}

/** Checks the header and the checksum, before the bytes in between are parsed. */
function checkFrame(of: Stateful, saved: Uint8Array): void {
  const { name } = of;
  const view = viewOf(saved);
  const end = saved.length - CHECKSUM_LENGTH;
  const wanted = beginning(name);
  requireSameAt(name, "the magic bytes of a saved state", saved, wanted, 0, VERSION_AT);
  requireNumber(name, "version", saved[VERSION_AT] as number, VERSION);
  requireSameAt(name, of.nameWanted, saved, wanted, NAME_AT, DIGEST_LENGTH_AT);
  const parametersLength = view.getUint32(PARAMETERS_LENGTH_AT, true);
  requireNumber(name, "parameter bytes", parametersLength, 0, of.parametersLength);
  requireNumber(
    name,
    "kernel state bytes",
    view.getUint32(STATE_LENGTH_AT, true),
    end - HEADER_LENGTH - parametersLength,
  );
  requireNumber(name, "checksum", view.getUint32(end, true), crc32(saved, end));
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

/**
 * CRC-32 of the first `length` bytes, as in gzip and PNG. A state may hold a key, so neither table lookups nor branches depend on its bits. The eight
 * masks of a byte are independent of each other.
 */
function crc32(bytes: Uint8Array, length: number): number {
  let crc = -1;
  for (let i = 0; i < length; i++) {
    const x = crc ^ (bytes[i] as number);
    crc =
      (crc >>> 8) ^
      (((x << 31) >> 31) & 0x77073096) ^
      (((x << 30) >> 31) & 0xee0e612c) ^
      (((x << 29) >> 31) & 0x076dc419) ^
      (((x << 28) >> 31) & 0x0edb8832) ^
      (((x << 27) >> 31) & 0x1db71064) ^
      (((x << 26) >> 31) & 0x3b6e20c8) ^
      (((x << 25) >> 31) & 0x76dc4190) ^
      (((x << 24) >> 31) & 0xedb88320);
  }
  return ~crc >>> 0;
}
