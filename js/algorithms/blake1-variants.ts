// The four variants of BLAKE, and the kernel parameters of each.
import { fromHex } from "../input/text.js";

/** The word size in bytes determines every size of BLAKE except the digest length. */
export interface Blake1Variant<Name extends string = string> {
  readonly name: Name;
  readonly word: 4 | 8;
  /** In bytes. */
  readonly digestLength: number;
  /** In hexadecimal, as the BLAKE paper prints it. */
  readonly initialValue: string;
}

/** BLAKE paper, section 2.3. */
export const BLAKE224: Blake1Variant<"blake224"> = {
  name: "blake224",
  word: 4,
  digestLength: 28,
  initialValue: "c1059ed8367cd5073070dd17f70e5939ffc00b316858151164f98fa7befa4fa4",
};

/** BLAKE paper, section 2.1. */
export const BLAKE256: Blake1Variant<"blake256"> = {
  name: "blake256",
  word: 4,
  digestLength: 32,
  initialValue: "6a09e667bb67ae853c6ef372a54ff53a510e527f9b05688c1f83d9ab5be0cd19",
};

/** BLAKE paper, section 2.4. */
export const BLAKE384: Blake1Variant<"blake384"> = {
  name: "blake384",
  word: 8,
  digestLength: 48,
  initialValue:
    "cbbb9d5dc1059ed8629a292a367cd5079159015a3070dd17152fecd8f70e5939" +
    "67332667ffc00b318eb44a8768581511db0c2e0d64f98fa747b5481dbefa4fa4",
};

/** BLAKE paper, section 2.2. */
export const BLAKE512: Blake1Variant<"blake512"> = {
  name: "blake512",
  word: 8,
  digestLength: 64,
  initialValue:
    "6a09e667f3bcc908bb67ae8584caa73b3c6ef372fe94f82ba54ff53a5f1d36f1" +
    "510e527fade682d19b05688c2b3e6c1f1f83d9abfb41bd6b5be0cd19137e2179",
};

/**
 * Returns the parameters without salt: initial value, zeros, and the last padding bit, which is 0 for the shorter
 * digest of each word size (wasm/blake1/message.h).
 */
export function unsalted({ word, digestLength, initialValue }: Blake1Variant): Uint8Array<ArrayBuffer> {
  const parameters = new Uint8Array(13 * word);
  parameters.set(fromHex(initialValue));
  parameters[12 * word] = digestLength === 8 * word ? 1 : 0;
  return parameters;
}
