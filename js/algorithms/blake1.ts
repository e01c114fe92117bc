// BLAKE, the SHA-3 finalist, in its final version: BLAKE-224 and -256 on 32-bit words, BLAKE-384 and -512 on 64-bit words.
import { baseline as baseline256, simd128 as simd256 } from "#kernels/blake256";
import { baseline as baseline512, simd128 as simd512 } from "#kernels/blake512";
import { type Algorithm, defineAlgorithm } from "../engine/algorithm.js";
import { KernelModule } from "../engine/kernel-module.js";
import type { Input } from "../input/bytes.js";
import { optionalBytes, requireKnown } from "../input/options.js";
import { fromHex } from "../input/text.js";
import { blake1Form } from "./blake1-state.js";

const module256 = /* @__PURE__ */ new KernelModule({ baseline: baseline256, simd128: simd256 });
const module512 = /* @__PURE__ */ new KernelModule({ baseline: baseline512, simd128: simd512 });

/** The parameter of BLAKE (BLAKE paper, section 2). */
export interface Blake1Options {
  /** Exactly 16 bytes for BLAKE-224 and -256, 32 for BLAKE-384 and -512: randomises the hash. By default zeros. */
  readonly salt?: Input;
}

const OPTIONS: readonly string[] = ["salt"];

/** The word size in bytes fixes every size but the digest's. */
interface Variant {
  readonly name: string;
  readonly module: KernelModule;
  readonly word: 4 | 8;
  readonly digestLength: number;
  /** In hexadecimal, as the paper prints it. */
  readonly initialValue: string;
}

function defineBlake1({ name, module, word, digestLength, initialValue }: Variant): Algorithm<Blake1Options> {
  const saltLength = 4 * word;
  // Initial value, salt, and the last bit of the padding, which tells the short digest from the long (wasm/blake1/message.h).
  const plain = new Uint8Array(13 * word);
  plain.set(fromHex(initialValue));
  plain[12 * word] = digestLength === 8 * word ? 1 : 0;
  return defineAlgorithm<Blake1Options>({
    name,
    module,
    digestLength,
    blockLength: 16 * word,
    parametersLength: plain.length,
    encode(options) {
      requireKnown(name, options, OPTIONS);
      const salt = optionalBytes(name, "salt", options.salt, saltLength, saltLength);
      const target = module.claim();
      target.set(plain);
      if (salt) target.set(salt, 8 * word);
      return digestLength;
    },
    state: blake1Form(word, digestLength, plain),
  });
}

/**
 * BLAKE-224: 28-byte digests, with a salt or without (BLAKE paper, section 2.3).
 *
 * @example
 * toHex(blake224("hello"));
 */
export const blake224: Algorithm<Blake1Options> = /* @__PURE__ */ defineBlake1({
  name: "blake224",
  module: module256,
  word: 4,
  digestLength: 28,
  initialValue: "c1059ed8367cd5073070dd17f70e5939ffc00b316858151164f98fa7befa4fa4",
});

/**
 * BLAKE-256: 32-byte digests, with a salt or without (BLAKE paper, section 2.1).
 *
 * @example
 * toHex(blake256("hello"));
 * blake256(message, { salt: crypto.getRandomValues(new Uint8Array(16)) });
 */
export const blake256: Algorithm<Blake1Options> = /* @__PURE__ */ defineBlake1({
  name: "blake256",
  module: module256,
  word: 4,
  digestLength: 32,
  initialValue: "6a09e667bb67ae853c6ef372a54ff53a510e527f9b05688c1f83d9ab5be0cd19",
});

/**
 * BLAKE-384: 48-byte digests, with a salt or without (BLAKE paper, section 2.4).
 *
 * @example
 * toHex(blake384("hello"));
 */
export const blake384: Algorithm<Blake1Options> = /* @__PURE__ */ defineBlake1({
  name: "blake384",
  module: module512,
  word: 8,
  digestLength: 48,
  initialValue:
    "cbbb9d5dc1059ed8629a292a367cd5079159015a3070dd17152fecd8f70e5939" +
    "67332667ffc00b318eb44a8768581511db0c2e0d64f98fa747b5481dbefa4fa4",
});

/**
 * BLAKE-512: 64-byte digests, with a salt or without (BLAKE paper, section 2.2).
 *
 * @example
 * toHex(blake512("hello"));
 * blake512(message, { salt: crypto.getRandomValues(new Uint8Array(32)) });
 */
export const blake512: Algorithm<Blake1Options> = /* @__PURE__ */ defineBlake1({
  name: "blake512",
  module: module512,
  word: 8,
  digestLength: 64,
  initialValue:
    "6a09e667f3bcc908bb67ae8584caa73b3c6ef372fe94f82ba54ff53a5f1d36f1" +
    "510e527fade682d19b05688c2b3e6c1f1f83d9abfb41bd6b5be0cd19137e2179",
});
