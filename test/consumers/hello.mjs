// What every consumer computes.
import { blake2b, blake3, toHex } from "blake-simd";

export function digests() {
  return { blake3: toHex(blake3("hello")), blake2b: toHex(blake2b("hello")) };
}

/** The digests, or the message of the error that came in their place. */
export function attempt() {
  try {
    return digests();
  } catch (error) {
    return { error: error.message };
  }
}
