// BLAKE, the SHA-3 finalist, in its final version: BLAKE-224 and -256 with 32-bit words, BLAKE-384 and -512 with
// 64-bit.
import { baseline as baseline256, simd128 as simd256 } from "#kernels/blake256";
import { baseline as baseline512, simd128 as simd512 } from "#kernels/blake512";
import { type Algorithm, defineAlgorithm } from "../engine/algorithm.js";
import type { Hasher } from "../engine/hasher.js";
import { type Kernels, kernelOf } from "../engine/kernel.js";
import type { Input } from "../input/bytes.js";
import { copyBytes } from "../input/caller-bytes.js";
import { type NotIterable, optionalBytes, optionLength, requireKnown, unknownOption } from "../input/options.js";
import { BLAKE224, BLAKE256, BLAKE384, BLAKE512, type Blake1Variant, unsalted } from "./blake1-variants.js";

const kernels256 = /* @__PURE__ */ kernelOf({ baseline: baseline256, simd128: simd256 });
const kernels512 = /* @__PURE__ */ kernelOf({ baseline: baseline512, simd128: simd512 });

/** The options of BLAKE (BLAKE paper, section 2). */
export interface Blake1Options extends NotIterable {
  /**
   * Exactly 16 bytes for BLAKE-224 and -256, 32 for BLAKE-384 and -512; zeros by default. A random value makes digests
   * of equal messages differ; it need not be secret.
   */
  readonly salt?: Input | undefined;
}

const OPTIONS: readonly string[] = ["salt"];

function defineBlake1<Name extends string>(
  kernels: Kernels,
  variant: Blake1Variant<Name>,
): Algorithm<Blake1Options, Hasher, Name> {
  const { name, word, digestLength } = variant;
  const saltLength = 4 * word;
  const bytes = unsalted(variant);
  const plain = { bytes, digestLength, secret: false };
  return defineAlgorithm<Blake1Options, Name>({
    name,
    kernels,
    digestLength,
    blockLength: 16 * word,
    parametersLength: bytes.length,
    parameters(options, call, target) {
      requireKnown(call, options, OPTIONS);
      // One that is not enumerable, too: without it, the hash would be another one.
      if ("key" in options) throw unknownOption(call, "key", OPTIONS);
      const salt = optionalBytes(call, "salt", options.salt);
      if (!salt) return plain;
      optionLength(call, "salt", salt, saltLength, saltLength);
      target.set(bytes);
      copyBytes(target, 8 * word, salt, saltLength);
      // There is no key: some may have a secret salt in place of one.
      return { bytes: target, digestLength, secret: true };
    },
  });
}

/**
 * Hashes `input` with BLAKE-224 and returns 28 bytes; there is an optional `salt` (BLAKE paper, section 2.3).
 *
 * @example
 * toHex(blake224("hello"));
 */
export const blake224: Algorithm<Blake1Options, Hasher, "blake224"> = /* @__PURE__ */ defineBlake1(
  kernels256,
  BLAKE224,
);

/**
 * Hashes `input` with BLAKE-256 and returns 32 bytes; there is an optional `salt` (BLAKE paper, section 2.1).
 *
 * @example
 * toHex(blake256("hello"));
 * blake256(message, { salt: crypto.getRandomValues(new Uint8Array(16)) });
 */
export const blake256: Algorithm<Blake1Options, Hasher, "blake256"> = /* @__PURE__ */ defineBlake1(
  kernels256,
  BLAKE256,
);

/**
 * Hashes `input` with BLAKE-384 and returns 48 bytes; there is an optional `salt` (BLAKE paper, section 2.4).
 *
 * @example
 * toHex(blake384("hello"));
 */
export const blake384: Algorithm<Blake1Options, Hasher, "blake384"> = /* @__PURE__ */ defineBlake1(
  kernels512,
  BLAKE384,
);

/**
 * Hashes `input` with BLAKE-512 and returns 64 bytes; there is an optional `salt` (BLAKE paper, section 2.2).
 *
 * @example
 * toHex(blake512("hello"));
 * blake512(message, { salt: crypto.getRandomValues(new Uint8Array(32)) });
 */
export const blake512: Algorithm<Blake1Options, Hasher, "blake512"> = /* @__PURE__ */ defineBlake1(
  kernels512,
  BLAKE512,
);
