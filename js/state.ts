// A hasher's state as bytes that any build on any machine restores; docs/states.md describes them one by one. What a
// state may hold is each algorithm's own knowledge: its StateForm.
import { fromCodes, requireBytes } from "./bytes.js";
import { type KernelModule, ONESHOT, STATE_SIZE } from "./kernel.js";
import type { Parameters } from "./resident.js";
import { StateCheck } from "./state-check.js";

/** What an algorithm knows of its kernel's state. Offsets and lengths are in bytes. */
export interface StateForm {
  /** Where the blocks that wait for compression lie in a state. */
  readonly bufferOffset: number;
  readonly bufferLength: number;
  /** Refuses parameters that the algorithm does not write for a digest of this length. */
  checkParameters(parameters: Uint8Array, digestLength: number, check: StateCheck): void;
  /** Refuses a state that no message leads to from the fresh state of the same parameters, which is never longer. */
  checkState(state: Uint8Array, fresh: Uint8Array, check: StateCheck): void;
}

/** Whose state it is. */
export interface Stateful {
  readonly name: string;
  readonly module: KernelModule;
  /** Bytes that the kernel's `init` reads. */
  readonly parametersLength: number;
  readonly state: StateForm;
}

/** A restored hasher's parameters, and its state as the kernel keeps it. */
export interface Restored {
  readonly parameters: Parameters;
  readonly state: Uint8Array<ArrayBuffer>;
}

const MAGIC = /* @__PURE__ */ fromCodes("BLAKEST");
const VERSION = 1;
const VERSION_AT = 7;
const NAME_AT = 8;
const NAME_LENGTH = 8;
const DIGEST_LENGTH_AT = 16;
const PARAMETERS_LENGTH_AT = 24;
const STATE_LENGTH_AT = 28;
const HEADER_LENGTH = 32;
const CHECKSUM_LENGTH = 4;

// Where every kernel's state begins with these (wasm/memory.h).
const SIZE_AT = 0;
const BUFFERED_AT = 4;
const PREFIX_AT = 8;
const FLAGS_AT = 12;
const COUNT_AT = 16;
/** Bytes of the head that every kernel's state begins with. */
export const HEAD_LENGTH = 32;

/** What a state's head says. */
export interface Head {
  readonly size: number;
  readonly buffered: number;
  readonly prefix: number;
  readonly flags: number;
  readonly count: bigint;
}

export function readHead(state: Uint8Array): Head {
  const view = viewOf(state);
  return {
    size: view.getUint32(SIZE_AT, true),
    buffered: view.getUint32(BUFFERED_AT, true),
    prefix: view.getUint32(PREFIX_AT, true),
    flags: view.getUint32(FLAGS_AT, true),
    count: (view.getBigUint64(COUNT_AT + 8, true) << 64n) + view.getBigUint64(COUNT_AT, true),
  };
}

/** Writes a kernel's state down. The state's own bytes are changed: what earlier blocks left in its buffer goes. */
export function writeState(of: Stateful, parameters: Parameters, state: Uint8Array): Uint8Array<ArrayBuffer> {
  unused(of.state, state).fill(0);
  const inUse = withoutLastZeros(parameters.bytes);
  const split = HEADER_LENGTH + inUse.length;
  const end = split + state.length;
  const saved = new Uint8Array(end + CHECKSUM_LENGTH);
  const view = viewOf(saved);
  saved.set(MAGIC);
  saved[VERSION_AT] = VERSION;
  saved.set(fromCodes(of.name), NAME_AT);
  view.setBigUint64(DIGEST_LENGTH_AT, BigInt(parameters.digestLength), true);
  view.setUint32(PARAMETERS_LENGTH_AT, inUse.length, true);
  view.setUint32(STATE_LENGTH_AT, state.length, true);
  saved.set(inUse, HEADER_LENGTH);
  saved.set(state, split);
  view.setUint32(end, crc32(saved.subarray(0, end)), true);
  return saved;
}

/** Reads what `writeState` wrote, and refuses everything else: no byte reaches a kernel unchecked. */
export function readState(of: Stateful, saved: unknown): Restored {
  requireBytes(of.name, "state", saved);
  const check = new StateCheck(of.name);
  const frame = HEADER_LENGTH + CHECKSUM_LENGTH;
  check.within("bytes", saved.length, frame + HEAD_LENGTH, frame + of.parametersLength + STATE_SIZE);
  // A copy, since shared memory can change between the checks and the use.
  const copy = new Uint8Array(saved);
  try {
    return takeApart(of, copy, check);
  } finally {
    copy.fill(0);
  }
}

function takeApart(of: Stateful, saved: Uint8Array<ArrayBuffer>, check: StateCheck): Restored {
  checkFrame(of, saved, check);
  const view = viewOf(saved);
  const split = HEADER_LENGTH + view.getUint32(PARAMETERS_LENGTH_AT, true);
  const digestLength = view.getBigUint64(DIGEST_LENGTH_AT, true);
  check.within("digest length", digestLength, 0n, BigInt(Number.MAX_SAFE_INTEGER));
  const bytes = new Uint8Array(of.parametersLength);
  bytes.set(saved.subarray(HEADER_LENGTH, split));
  const state = saved.slice(split, -CHECKSUM_LENGTH);
  const parameters = { bytes, digestLength: Number(digestLength), secret: true };
  of.state.checkParameters(bytes, parameters.digestLength, check);
  checkState(of, bytes, state, check);
  return { parameters, state };
}

/** What the header and the checksum say, before anything is made of the bytes between them. */
function checkFrame(of: Stateful, saved: Uint8Array, check: StateCheck): void {
  const view = viewOf(saved);
  const end = saved.length - CHECKSUM_LENGTH;
  check.same("the magic bytes of a saved state", saved.subarray(0, MAGIC.length), MAGIC);
  check.equal("version", saved[VERSION_AT] as number, VERSION);
  const name = new Uint8Array(NAME_LENGTH);
  name.set(fromCodes(of.name));
  check.same(`the name ${of.name}`, saved.subarray(NAME_AT, NAME_AT + NAME_LENGTH), name);
  const parametersLength = view.getUint32(PARAMETERS_LENGTH_AT, true);
  check.within("parameter bytes", parametersLength, 0, of.parametersLength);
  check.equal("kernel state bytes", view.getUint32(STATE_LENGTH_AT, true), end - HEADER_LENGTH - parametersLength);
  check.equal("checksum", view.getUint32(end, true), crc32(saved.subarray(0, end)));
  const inUse = withoutLastZeros(saved.subarray(HEADER_LENGTH, HEADER_LENGTH + parametersLength));
  check.equal("parameter bytes, without zeros at their end,", parametersLength, inUse.length);
}

function checkState(of: Stateful, parameters: Uint8Array, state: Uint8Array, check: StateCheck): void {
  const fresh = freshState(of, parameters);
  check.within("kernel state bytes", state.length, fresh.length, STATE_SIZE);
  const head = readHead(state);
  check.equal("size", head.size, state.length);
  check.equal("prefix length", head.prefix, readHead(fresh).prefix);
  check.within("buffered length", head.buffered, 0, of.state.bufferLength);
  if (head.count === 0n) check.same("the fresh state of its parameters, at byte count 0", state, fresh);
  of.state.checkState(state, fresh, check);
  check.zero("bytes behind the buffered ones", unused(of.state, state));
}

/** What the kernel makes of parameters that have been checked. */
function freshState(of: Stateful, parameters: Uint8Array): Uint8Array {
  const kernel = of.module.current ?? of.module.load();
  kernel.load(parameters);
  kernel.init(ONESHOT);
  kernel.unload();
  const fresh = kernel.memory.slice(ONESHOT, ONESHOT + kernel.stateSize(ONESHOT));
  kernel.wipeState(ONESHOT);
  unused(of.state, fresh).fill(0);
  return fresh;
}

/** The buffer's bytes that hold nothing of the message. */
function unused(form: StateForm, state: Uint8Array): Uint8Array {
  return state.subarray(form.bufferOffset + readHead(state).buffered, form.bufferOffset + form.bufferLength);
}

// Parameters that are not there are zero, so a release that has more of them still reads these.
function withoutLastZeros(parameters: Uint8Array): Uint8Array {
  let length = parameters.length;
  while (length > 0 && parameters[length - 1] === 0) length--;
  return parameters.subarray(0, length);
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** CRC-32 as in gzip and PNG. A state can hold a key, so no table and no branch follows its bits. */
function crc32(bytes: Uint8Array): number {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
  }
  return ~crc >>> 0;
}
