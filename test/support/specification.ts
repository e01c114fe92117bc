// The proofs' specification on bytes, in types.
// @ts-expect-error It has no types.
import * as spec from "../oracles/specification.mjs";

/** The key's eight words and the mode's flag. */
export interface Mode {
  readonly key: readonly number[];
  readonly flags: number;
}

export const PLAIN: Mode = spec.modeOf({});
export const keyed = (key: Uint8Array): Mode => spec.modeOf({ key });

/** The chaining value of two neighbours' chaining values. The mode's flags may hold ROOT. */
export function parentValue(mode: Mode, left: Uint8Array, right: Uint8Array): Uint8Array {
  return spec.chainOf(spec.parent(mode, left, right));
}

/** The chaining value of a subtree that begins at the given chunk of its message. */
export function subtreeValue(mode: Mode, bytes: Uint8Array, chunk: bigint): Uint8Array {
  return spec.chainOf(spec.subtree(mode, bytes, chunk));
}
