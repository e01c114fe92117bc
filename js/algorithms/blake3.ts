import { type Algorithm, defineAlgorithm } from "../engine/algorithm.js";
import type { Parameters } from "../engine/kernel.js";
import { ExtendableHasher } from "../engine/xof.js";
import type { Bytes } from "../input/bytes.js";
import { integer, MAX_UINT64, requireKnown } from "../input/options.js";
import { kernels } from "./blake3-kernel.js";
import { type Blake3Mode, KEY_LENGTH, MODE_LENGTH, requireGiven, writeMode } from "./blake3-mode.js";
import { sideBySide } from "./side-by-side.js";

/** The options of BLAKE3: its mode (BLAKE3 paper, section 2.3) and output length (section 2.6). */
export type Blake3Options = Blake3Mode & {
  /**
   * Digest length in bytes: 0 to 2^53 - 1, limited by memory; 32 by default. A shorter digest is a prefix of a longer
   * one.
   */
  readonly length?: number | undefined;
};

const OPTIONS: readonly string[] = ["length", "key", "context"];

/** The longest message that has lanes. */
const CHUNK = 1024;

/** Parameters without a key or a context, by the lengths of short digests. */
const MOST_CACHED = 64;
const plain = /* @__PURE__ */ new Array<Parameters | undefined>(MOST_CACHED + 1);

function parameters(options: Blake3Options, call: string, bytes: Bytes): Parameters {
  requireKnown(call, options, OPTIONS);
  const { length, key, context } = options;
  requireGiven(call, options, key, context);
  const digestLength = integer(call, "length", length, 0, Number.MAX_SAFE_INTEGER, KEY_LENGTH);
  const isPlain = key === undefined && context === undefined && digestLength <= MOST_CACHED;
  if (isPlain && plain[digestLength]) return plain[digestLength];
  writeMode(call, kernels, key, context, bytes);
  if (!isPlain) return { bytes, digestLength, secret: true };
  plain[digestLength] = { bytes: bytes.slice(), digestLength, secret: false };
  return plain[digestLength];
}

/**
 * Hashes `input` with BLAKE3 and returns 32 bytes, or as many as the option `length` says (BLAKE3 paper, section 2).
 * With a `key` the digest is an authentication code, with a `context` a derived key.
 *
 * @example
 * toHex(blake3("hello"));
 * blake3(message, { key });
 * blake3(material, { context: "example.com 2026-11-21 session keys", length: 64 });
 */
export const blake3: Algorithm<Blake3Options, ExtendableHasher, "blake3"> = /* @__PURE__ */ defineAlgorithm<
  Blake3Options,
  "blake3",
  ExtendableHasher
>(
  {
    name: "blake3",
    kernels,
    digestLength: KEY_LENGTH,
    blockLength: 64,
    parametersLength: MODE_LENGTH,
    parameters,
    inLanes: /* @__PURE__ */ sideBySide(0, CHUNK),
    maxOutputLength: () => MAX_UINT64,
  },
  ExtendableHasher,
);
