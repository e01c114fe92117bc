// `blake-simd/node`: the API of node:crypto, and hashes of files.
export type { Algorithm } from "./engine/algorithm.js";
export type { Input } from "./input/bytes.js";
export { hashThrough, type OnDigest } from "./node/hash-through.js";
export {
  createHash,
  createHmac,
  getHashes,
  type Hash,
  type HashFileOptions,
  type HashFileOptionsOf,
  type HashName,
  type HashOptions,
  type HashOptionsOf,
  hashFile,
} from "./node/node.js";
export type { DigestOfOptions } from "./streams/digest-of.js";
