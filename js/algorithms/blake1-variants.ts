// The four variants of BLAKE, and the kernel parameters of each.
import { fromBase64 } from "../input/text.js";

/** The word size in bytes determines every size of BLAKE except the digest length. */
export interface Blake1Variant<Name extends string = string> {
  readonly name: Name;
  readonly word: 4 | 8;
  /** In bytes. */
  readonly digestLength: number;
  /** In Base64, for small bundles: the words that the BLAKE paper prints, the most significant byte first. */
  readonly initialValue: string;
}

/** BLAKE paper, section 2.3. */
export const BLAKE224: Blake1Variant<"blake224"> = {
  name: "blake224",
  word: 4,
  digestLength: 28,
  initialValue: "wQWe2DZ81QcwcN0X9w5ZOf/ACzFoWBURZPmPp776T6Q=",
};

/** BLAKE paper, section 2.1. */
export const BLAKE256: Blake1Variant<"blake256"> = {
  name: "blake256",
  word: 4,
  digestLength: 32,
  initialValue: "agnmZ7tnroU8bvNypU/1OlEOUn+bBWiMH4PZq1vgzRk=",
};

/** BLAKE paper, section 2.4. */
export const BLAKE384: Blake1Variant<"blake384"> = {
  name: "blake384",
  word: 8,
  digestLength: 48,
  initialValue: "y7udXcEFnthimikqNnzVB5FZAVowcN0XFS/s2PcOWTlnMyZn/8ALMY60SodoWBUR2wwuDWT5j6dHtUgdvvpPpA==",
};

/** BLAKE paper, section 2.2. */
export const BLAKE512: Blake1Variant<"blake512"> = {
  name: "blake512",
  word: 8,
  digestLength: 64,
  initialValue: "agnmZ/O8yQi7Z66FhMqnOzxu83L+lPgrpU/1Ol8dNvFRDlJ/reaC0ZsFaIwrPmwfH4PZq/tBvWtb4M0ZE34heQ==",
};

/**
 * Returns the parameters without salt: initial value, zeros, and the last padding bit, which is 0 for the shorter
 * digest of each word size (wasm/blake1/message.h).
 */
export function unsalted({ word, digestLength, initialValue }: Blake1Variant): Uint8Array<ArrayBuffer> {
  const parameters = new Uint8Array(13 * word);
  parameters.set(fromBase64(initialValue));
  parameters[12 * word] = digestLength === 8 * word ? 1 : 0;
  return parameters;
}
