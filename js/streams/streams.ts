// Everything that `blake-simd/streams` exports.

export type { Chunk } from "./chunks.js";
export { type DigestOfOptions, digestOf, type ResponseOptions, type Source } from "./digest-of.js";
export { DigestStream } from "./digest-stream.js";
export { HashStream } from "./hash-stream.js";
export { IntegrityError } from "./integrity-error.js";
export { VerifyStream } from "./verify-stream.js";
