// Checks of arguments. Each error names the function, the argument, the allowed values and the value given.
import { type Input, toView } from "../input/bytes.js";
import { outOfRange, wrongKind } from "../input/errors.js";
import { integer } from "../input/options.js";
import { fromHex } from "../input/text.js";
import { CHUNK, VALUE } from "../tree/geometry.js";

/** The formats of encodings: that of the `bao` program, and that of iroh and `bao-tree`. */
export type BaoFormat = "bao" | "iroh";

export const MAX_GROUP = 2 ** 20;
/** That of iroh. */
const DEFAULT_GROUP = 16384;

/** Returns the length of a group in bytes. */
export function toGroup(name: string, group: number | undefined): number {
  if (group === undefined) return DEFAULT_GROUP;
  if (typeof group !== "number") throw wrongKind(name, "group", "a number", group);
  if (group >= CHUNK && group <= MAX_GROUP && Number.isInteger(Math.log2(group))) return group;
  throw outOfRange(name, `group must be a power of 2 from ${CHUNK} to ${MAX_GROUP}`, group);
}

/** Returns a length or an offset in bytes. */
export function toPosition(name: string, option: string, value: number | undefined, fallback?: number): number {
  return integer(name, option, value, 0, Number.MAX_SAFE_INTEGER, fallback);
}

export function toFormat<F extends string>(name: string, format: unknown, formats: readonly F[], fallback: F): F {
  if (format === undefined) return fallback;
  if (formats.includes(format as F)) return format as F;
  const wanted = `one of ${formats.map((each) => JSON.stringify(each)).join(", ")}`;
  throw wrongKind(name, "format", wanted, format);
}

/** Returns a copy of a root hash that is given as bytes or as hexadecimal text. */
export function toRoot(name: string, root: Input): Uint8Array<ArrayBuffer> {
  if (typeof root !== "string") {
    const bytes = toView(name, "root", root);
    if (bytes.length === VALUE) return new Uint8Array(bytes);
    throw outOfRange(name, `root must have ${VALUE} bytes`, bytes.length);
  }
  if (/^[0-9a-f]{64}$/i.test(root)) return fromHex(root);
  throw outOfRange(name, `root must be ${2 * VALUE} hexadecimal digits`, `a string of length ${root.length}`);
}
