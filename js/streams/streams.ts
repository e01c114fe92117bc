// Everything that `blake-simd/streams` exports.

export type { Chunk } from "../sources/chunks.js";
export type { Source } from "../sources/open.js";
export type { ResponseOptions } from "../sources/streams.js";
export { type DigestOfOptions, digestOf } from "./digest-of.js";
export { type Expected, IntegrityError } from "./expected.js";
export { DigestStream, HashStream } from "./hash-streams.js";
export { verified } from "./verified.js";
export { VerifyStream } from "./verify-stream.js";
