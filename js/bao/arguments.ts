// Checks of what a caller gives. Each error names the function, the argument, what it may be, and what came.
import { encoder, type Input, toMessage } from "../input/bytes.js";
import { outOfRange, wrongKind } from "../input/errors.js";
import { integer, requireKnown } from "../input/options.js";
import { fromHex } from "../input/text.js";
import { viewBytes } from "../input/views.js";
import { CHUNK, VALUE } from "./tree.js";

/** The formats of encodings: of the `bao` program, and of iroh and `bao-tree`. */
export type BaoFormat = "bao" | "iroh";

const MAX_GROUP = 2 ** 20;
/** iroh's groups. */
export const DEFAULT_GROUP = 16384;

/** @throws TypeError for what is no object of options; TypeError for an option out of `known` */
export function requireOptions(name: string, options: unknown, known: readonly string[]): void {
  requireKnown(name, options as object, known);
}

/** Bytes in a group. */
export function toGroup(name: string, group: number | undefined, fallback = DEFAULT_GROUP): number {
  if (group === undefined) return fallback;
  if (typeof group !== "number") throw wrongKind(name, "group", "a number", group);
  if (group >= CHUNK && group <= MAX_GROUP && Number.isInteger(Math.log2(group))) return group;
  throw outOfRange(name, `group must be a power of 2 from ${CHUNK} to ${MAX_GROUP}`, group);
}

/** A length or a place in bytes. */
export function toPosition(name: string, option: string, value: number | undefined, fallback?: number): number {
  return integer(name, option, value, 0, Number.MAX_SAFE_INTEGER, fallback);
}

export function toFormat<F extends string>(name: string, format: unknown, formats: readonly F[], fallback: F): F {
  if (format === undefined) return fallback;
  if (formats.includes(format as F)) return format as F;
  const wanted = `one of ${formats.map((each) => JSON.stringify(each)).join(", ")}`;
  if (typeof format === "string")
    throw new TypeError(`${name}: format must be ${wanted}, got ${JSON.stringify(format)}`);
  throw wrongKind(name, "format", wanted, format);
}

/** A root hash as bytes of our own, of bytes or of hexadecimal text. */
export function toRoot(name: string, root: Input): Uint8Array<ArrayBuffer> {
  if (typeof root !== "string") {
    const bytes = toBytes(name, "root", root);
    if (bytes.length === VALUE) return new Uint8Array(bytes);
    throw outOfRange(name, `root must have ${VALUE} bytes`, bytes.length);
  }
  if (/^[0-9a-f]{64}$/i.test(root)) return fromHex(root);
  throw outOfRange(name, `root must be ${2 * VALUE} hexadecimal digits`, `a string of length ${root.length}`);
}

/** The bytes of a chunk or argument, as a view whose members are the language's own. */
export function toBytes(name: string, argument: string, value: unknown): Uint8Array {
  if (typeof value === "string")
    throw wrongKind(name, argument, "an ArrayBuffer, a SharedArrayBuffer or a view", value);
  return viewBytes(toMessage(name, argument, value as Input) as Uint8Array);
}

/** The same of bytes or text. */
export function toContent(name: string, argument: string, value: Input): Uint8Array {
  const message = toMessage(name, argument, value);
  return typeof message === "string" ? encoder.encode(message) : viewBytes(message);
}
