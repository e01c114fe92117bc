import { type Algorithm, defineAlgorithm } from "../engine/algorithm.js";
import { newParameters, type Parameters } from "../engine/kernel.js";
import { xofOutput } from "../engine/output.js";
import { ExtendableHasher, type ExtendableIdentity } from "../engine/xof.js";
import { integer, MAX_UINT64, requireKnown } from "../input/options.js";
import { module } from "./blake3-kernel.js";
import { hashChunks } from "./blake3-many.js";
import { type Blake3Mode, KEY_LENGTH, MODE_LENGTH, requireGiven, writeMode } from "./blake3-mode.js";

/** The options of BLAKE3: its mode (BLAKE3 paper, section 2.3) and output length (section 2.6). */
export interface Blake3Options extends Blake3Mode {
  /**
   * Digest length in bytes: 0 to 2^53 - 1, limited by memory; 32 by default. A shorter digest is a prefix of a longer
   * one.
   */
  readonly length?: number | undefined;
}

const OPTIONS: readonly string[] = ["length", "key", "context"];

/** Parameters without a key or a context, by the lengths of short digests. */
const plain: Parameters[] = [];
const SHORT = 64;

function parametersOf(options: Blake3Options, call: string, target?: Parameters): Parameters {
  requireKnown(call, options, OPTIONS);
  const { length, key, context } = options;
  requireGiven(call, options, key, context);
  const digestLength = integer(call, "length", length, 0, Number.MAX_SAFE_INTEGER, KEY_LENGTH);
  const staying = key === undefined && context === undefined && digestLength <= SHORT;
  if (staying && plain[digestLength]) return plain[digestLength];
  const own = staying ? { ...newParameters(MODE_LENGTH), secret: false } : (target ?? newParameters(MODE_LENGTH));
  writeMode(call, module, key, context, own.bytes);
  own.digestLength = digestLength;
  if (staying) plain[digestLength] = own;
  return own;
}

/**
 * BLAKE3 (BLAKE3 paper, section 2): the hash, keyed hash and key derivation modes, with an extendable output.
 *
 * @example
 * toHex(blake3("hello"));
 * blake3(message, { key });
 * blake3(material, { context: "example.com 2026-11-21 session keys", length: 64 });
 */
export const blake3: Algorithm<Blake3Options, ExtendableHasher, "blake3"> = /* @__PURE__ */ defineAlgorithm<
  Blake3Options,
  "blake3",
  ExtendableHasher,
  ExtendableIdentity
>(
  {
    name: "blake3",
    module,
    digestLength: KEY_LENGTH,
    blockLength: 64,
    countBits: 64,
    parametersLength: MODE_LENGTH,
    parametersOf,
    hashBatch: hashChunks,
    xofOutput,
    maxOutputLength: () => MAX_UINT64,
  },
  ExtendableHasher,
);
