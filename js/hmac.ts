// `blake-simd/hmac`: HMAC and HKDF over any algorithm of this package.
export type { Algorithm } from "./engine/algorithm.js";
export type { Hasher } from "./engine/hasher.js";
export { type HkdfFunction, type HkdfOptions, hkdf } from "./hmac/hkdf.js";
export { type Hmac, type HmacFunction, hmac } from "./hmac/hmac.js";
export { type NobleHash, type NobleHasher, nobleHash } from "./hmac/noble.js";
export type { ByteInput, Input } from "./input/bytes.js";
export type { Encoding } from "./input/text.js";
