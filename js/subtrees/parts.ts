// Divides an object into parts that are subtrees of its BLAKE3 tree (BLAKE3 paper, section 2.1).
import { requireArguments } from "../input/errors.js";
import { integer } from "../input/options.js";
import { CHUNK, maxLengthAt } from "../tree/geometry.js";

/** A part of an object: one subtree of its BLAKE3 tree. */
export interface Part {
  /** The offset in the whole object, in bytes. */
  readonly offset: number;
  /** The length in bytes. */
  readonly length: number;
}

const MAX_PART_LENGTH = 2 ** 52;

/** The parts of an object, or of a subtree of it. Lengths and offsets are in bytes. */
export interface PartLayout extends Part {
  readonly partLength: number;
  /** The number of parts. */
  readonly count: number;
}

/**
 * @throws TypeError for a value that is not a number; RangeError for a number out of range, or if it is not one subtree
 */
export function layoutOf(call: string, length: number, partLength: number, offset: number): PartLayout {
  integer(call, "length", length, 1, Number.MAX_SAFE_INTEGER);
  requirePowerOf2(call, "partLength", partLength, MAX_PART_LENGTH);
  integer(call, "offset", offset, 0, Number.MAX_SAFE_INTEGER - length);
  if (offset % CHUNK !== 0) throw new RangeError(`${call}: offset must be a multiple of 1024, got ${offset}`);
  const longest = maxLengthAt(BigInt(offset));
  if (longest !== undefined && BigInt(length) > longest) {
    throw new RangeError(`${call}: length must be at most ${longest} in a subtree at offset ${offset}, got ${length}`);
  }
  return { offset, length, partLength, count: Math.ceil(length / partLength) };
}

/** @throws TypeError for a value that is not a number; RangeError if it is not a power of 2 from 1024 to `max` */
export function requirePowerOf2(call: string, option: string, value: number | undefined, max: number): number {
  const power = integer(call, option, value, CHUNK, max);
  if (Number.isInteger(Math.log2(power))) return power;
  // For S3's parts of 5 MiB, say that 1 MiB divides them.
  const factor = BigInt(power) & -BigInt(power);
  const advice = factor < CHUNK ? "" : `: use ${factor}, which divides it`;
  throw new RangeError(`${call}: ${option} must be a power of 2 from ${CHUNK} to ${max}, got ${power}${advice}`);
}

/** Returns the part with an index. */
export function partAt(layout: PartLayout, index: number): Part {
  return { offset: layout.offset + index * layout.partLength, length: lengthAt(layout, index) };
}

/** Returns the length of the part with an index. */
export function lengthAt({ length, partLength }: PartLayout, index: number): number {
  return Math.min(partLength, length - index * partLength);
}

/**
 * Returns the parts of an object in order, each a subtree: a {@link SubtreeHasher} at its offset computes the chaining
 * value that a {@link SubtreeCollector} merges. The last part may be shorter. If there is only one, use `blake3`
 * instead.
 *
 * @param length the length of the object in bytes: 1 to 2^53 - 1
 * @param partLength the length of a part in bytes: a power of 2 from 1024 to 2^52
 * @param offset the offset in the whole object if only one subtree of it is divided, in bytes; by default 0
 * @returns an iterable that can be iterated any number of times
 * @throws TypeError for a value that is not a number; RangeError for a number out of range, or if the bytes are not one
 *   subtree
 * @example
 * for (const { offset, length } of partsOf(file.size, 2 ** 26)) console.log(offset, length);
 */
export function partsOf(length: number, partLength: number, offset = 0): Iterable<Part> {
  requireArguments("partsOf", arguments.length, 3);
  const layout = layoutOf("partsOf", length, partLength, offset);
  return chosenParts(layout, () => true);
}

/** Returns the parts for whose indices `takes` returns true, which is evaluated in each iteration. */
export function chosenParts(layout: PartLayout, takes: (index: number) => boolean): Iterable<Part> {
  return {
    *[Symbol.iterator]() {
      for (let i = 0; i < layout.count; i++) if (takes(i)) yield partAt(layout, i);
    },
  };
}
