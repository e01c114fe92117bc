// Everything that `blake-simd/streams` exports.

export type { Chunk } from "./chunks.js";
export { type DigestOfOptions, digestOf } from "./digest-of.js";
export { DigestStream, HashStream } from "./hash-streams.js";
export type { ResponseOptions, Source } from "./sources.js";
export { verified } from "./verified.js";
export { IntegrityError, VerifyStream } from "./verify-stream.js";
