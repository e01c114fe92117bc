// The error for bytes from outside that do not match a root hash.
import { IntegrityError as StreamIntegrityError } from "../streams/expected.js";

/**
 * Why verification failed:
 * - `"bytes"`: content does not match the root hash;
 * - `"node"`: an inner node of the tree does not match it;
 * - `"truncated"`: the bytes end too early;
 * - `"trailing"`: there are too many bytes;
 * - `"length"`: the header claims a length of 2^53 bytes or more, or a different one from the known length.
 */
export type IntegrityReason = "bytes" | "node" | "truncated" | "trailing" | "length";

/**
 * Bytes do not match the root hash. All output before the error is correct, unlike that of a `VerifyStream`, which
 * compares the digest only at the end.
 *
 * The error contains no hash and no unverified length. It is also an instance of the class of the same name in
 * `blake-simd/streams`.
 */
export class IntegrityError extends StreamIntegrityError {
  /** The offset in the content, in bytes, at which verification failed. */
  readonly offset: number;
  /** Why verification failed. */
  readonly reason: IntegrityReason;

  /**
   * @internal
   * @param group bytes in a group, if the bytes may also be right in groups of another length
   */
  constructor(name: string, reason: IntegrityReason, offset: number, group?: number) {
    const unless = group === undefined ? "" : `, or its groups are not of ${group} bytes`;
    super(`${name}: ${MESSAGES[reason](offset)}${unless}`);
    this.offset = offset;
    this.reason = reason;
  }
}

const MESSAGES: Record<IntegrityReason, (offset: number) => string> = {
  bytes: (offset) => `content from byte ${offset} does not match the root hash`,
  node: (offset) => `the node of the tree over byte ${offset} does not match the root hash`,
  truncated: (offset) => `input ended early, at byte ${offset} of the content`,
  trailing: (offset) => `input goes on after byte ${offset} of the content, where it must end`,
  length: () => "the header must hold the content's length, below 2^53 bytes, got another",
};
