// `blake-simd`: every algorithm, and helper functions.
export { algorithms } from "./algorithms/all.js";
export { type Blake1Options, blake224, blake256, blake384, blake512 } from "./algorithms/blake1.js";
export type { Blake2ExtendableOptions, Blake2Options, Blake2ParallelOptions } from "./algorithms/blake2.js";
export { blake2b, blake2bp, blake2xb } from "./algorithms/blake2b.js";
export { blake2s, blake2sp, blake2xs } from "./algorithms/blake2s.js";
export { type Blake3Options, blake3 } from "./algorithms/blake3.js";
export type { Algorithm } from "./engine/algorithm.js";
export { type Backend, backend, useBackend } from "./engine/backend.js";
export type { Hasher } from "./engine/hasher.js";
export { useVectorLatency, vectorLatency } from "./engine/vector-latency.js";
export type { ExtendableHasher, Xof } from "./engine/xof.js";
export type { ByteInput, Bytes, Input } from "./input/bytes.js";
export {
  type Encoding,
  equal,
  fromBase64,
  fromBase64url,
  fromHex,
  toBase64,
  toBase64url,
  toHex,
} from "./input/text.js";
