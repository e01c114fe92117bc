// Everything that `blake-simd/streams` exports.

export type { ResponseOptions } from "../sources/streams.js";
export type { Chunk } from "./chunks.js";
export { type DigestOfOptions, digestOf, type Source } from "./digest-of.js";
export { type Expected, IntegrityError } from "./expected.js";
export { DigestStream, HashStream } from "./hash-streams.js";
export { verified } from "./verified.js";
export { VerifyStream } from "./verify-stream.js";
