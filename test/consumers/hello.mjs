// What every consumer computes.
import { blake2b, blake3, toHex } from "blake-simd";

export function digests() {
  return { blake3: toHex(blake3("hello")), blake2b: toHex(blake2b("hello")) };
}
