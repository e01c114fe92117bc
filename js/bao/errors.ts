// What is wrong with bytes that came from outside.
import { IntegrityError as StreamIntegrityError } from "../streams/streams.js";

/**
 * What a verified stream met:
 * - `"bytes"`: the content is not the one that the root hash stands for;
 * - `"node"`: an inner node of the tree is not;
 * - `"truncated"`: the bytes end too early;
 * - `"trailing"`: more bytes follow than there can be;
 * - `"length"`: the header claims a length of 2^53 bytes or more, or another one than is known.
 */
export type IntegrityReason = "bytes" | "node" | "truncated" | "trailing" | "length";

/**
 * Bytes are not those that the root hash stands for. Every byte that was given before the error is right and stays right:
 * that is the difference from `VerifyStream`, which can judge only at the end.
 *
 * The error holds neither a hash nor a length that has not been verified. It is also an instance of the class of the same
 * name of `blake-simd/streams`.
 */
export class IntegrityError extends StreamIntegrityError {
  /** Where in the content, in bytes from its beginning, that begins which could not be verified. */
  readonly offset: number;
  /** What could not be verified. */
  readonly reason: IntegrityReason;

  /** @internal */
  constructor(name: string, reason: IntegrityReason, offset: number) {
    super(`${name}: ${MESSAGES[reason](offset)}`);
    this.offset = offset;
    this.reason = reason;
  }
}

const MESSAGES: Record<IntegrityReason, (offset: number) => string> = {
  bytes: (offset) =>
    `the content from byte ${offset} on must be the one that the root hash stands for, got other bytes`,
  node: (offset) =>
    `the node of the tree over byte ${offset} must be the one that the root hash stands for, got another`,
  truncated: (offset) =>
    `the bytes must go on until the range is complete, got their end at byte ${offset} of the content`,
  trailing: (offset) => `the bytes must end where the range does, got more after byte ${offset} of the content`,
  length: () => "the header must hold the content's length, below 2^53 bytes, got another",
};
