// The saved form of a collector (docs/states.md): the parameters, one bit per part, then the values of the parts that
// are set.
import { KEY_LENGTH, MODE_LENGTH, MODES } from "../algorithms/blake3-mode.js";
import {
  CHECKSUM_LENGTH,
  checkFrame,
  digestLengthOf,
  frameOf,
  HEADER_LENGTH,
  seal,
  writeHeader,
} from "../engine/saved-frame.js";
import { refusal, requireNumber } from "../engine/saved-state-checks.js";
import { requireBytes } from "../input/bytes.js";
import { copyOf, secretBytes } from "../input/caller-bytes.js";
import { CHUNK, VALUE } from "../tree/geometry.js";

const NAME = "subtrees";
// The parameters: the mode, padded; offset, length, length of a part and of a group.
const PARAMETERS_LENGTH = 72;
const NUMBERS_AT = 40;
const LEAST = HEADER_LENGTH + PARAMETERS_LENGTH + 1 + CHECKSUM_LENGTH;

/** The parameters of a collector. */
interface SavedShape {
  readonly mode: Uint8Array;
  readonly offset: number;
  readonly length: number;
  readonly partLength: number;
  readonly group: number | undefined;
}

/** Returns the saved form. `values` begin with the bits. */
export function toSaved(shape: SavedShape, values: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const { mode, offset, length, partLength, group = 0 } = shape;
  const size = values.reduce((sum, part) => sum + part.length, 0);
  const frame = frameOf(secretBytes(HEADER_LENGTH + PARAMETERS_LENGTH + size + CHECKSUM_LENGTH));
  const parameters = secretBytes(PARAMETERS_LENGTH);
  const { view } = frameOf(parameters);
  try {
    parameters.set(mode);
    for (const [i, number] of [offset, length, partLength, group].entries()) {
      view.setBigUint64(NUMBERS_AT + 8 * i, BigInt(number), true);
    }
    let at = writeHeader(frame, NAME, VALUE, parameters, PARAMETERS_LENGTH, size);
    for (const part of values) {
      frame.bytes.set(part, at);
      at += part.length;
    }
    seal(frame, at);
    return frame.bytes;
  } finally {
    parameters.fill(0);
  }
}

/**
 * Passes what was saved to `use`, and wipes the copy of it. The bits are at least as many as there are parts.
 *
 * @throws TypeError for a value that is not a Uint8Array; RangeError for bytes that are not a saved collector
 */
export function readSaved<T>(call: string, state: Uint8Array, use: (shape: SavedShape, values: Uint8Array) => T): T {
  requireBytes(call, "state", state);
  // Copied, since shared memory can change between check and use.
  const frame = frameOf(copyOf(state));
  const { bytes } = frame;
  try {
    requireNumber(call, "bytes", bytes.length, LEAST, Number.MAX_SAFE_INTEGER);
    checkFrame(call, frame, bytes.length, NAME, PARAMETERS_LENGTH, PARAMETERS_LENGTH);
    requireNumber(call, "digest length", digestLengthOf(frame), VALUE);
    const shape = shapeOf(call, bytes.subarray(HEADER_LENGTH, HEADER_LENGTH + PARAMETERS_LENGTH));
    const values = bytes.subarray(HEADER_LENGTH + PARAMETERS_LENGTH, -CHECKSUM_LENGTH);
    // Before anything is allocated by these numbers.
    const bits = Math.ceil(shape.length / Math.max(shape.partLength, CHUNK) / 8);
    requireNumber(call, "bytes", values.length, bits, Number.MAX_SAFE_INTEGER);
    return use(shape, values);
  } finally {
    bytes.fill(0);
  }
}

function shapeOf(call: string, parameters: Uint8Array<ArrayBuffer>): SavedShape {
  const { view } = frameOf(parameters);
  const mode = view.getUint32(KEY_LENGTH, true);
  if (!MODES.includes(mode)) throw refusal(call, `flags of ${MODES.join(", ")}`, mode);
  const numbers = [0, 1, 2, 3].map((i) => Number(view.getBigUint64(NUMBERS_AT + 8 * i, true)));
  const [offset, length, partLength, group] = numbers as [number, number, number, number];
  return { mode: parameters.subarray(0, MODE_LENGTH), offset, length, partLength, group: group || undefined };
}
