// `blake-simd/node`: the API of node:crypto, and hashes of files.
export type { Algorithm } from "./engine/algorithm.js";
export type { Input } from "./input/bytes.js";
export { createHash, createHmac } from "./node/create.js";
export type { Hash } from "./node/hash.js";
export { hashFile, hashFileSync } from "./node/hash-file.js";
export { hashThrough, type OnDigest } from "./node/hash-through.js";
export { getHashes, type HashName, type HashOptions, type HashOptionsOf } from "./node/options.js";
export { verifyFile } from "./node/verify-file.js";
export type { DigestOfOptions } from "./streams/digest-of.js";
export { type Expected, IntegrityError } from "./streams/expected.js";
