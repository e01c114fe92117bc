// `blake-simd/streams`: Web Streams that hash the data that passes through them, and `digestOf`.

export type { Algorithm } from "./engine/algorithm.js";
export type { Input } from "./input/bytes.js";
export type { Chunk } from "./sources/chunks.js";
export type { Source } from "./sources/open.js";
export { type DigestOfOptions, digestOf, type ResponseOptions } from "./streams/digest-of.js";
export { type Expected, IntegrityError } from "./streams/expected.js";
export { DigestStream, HashStream } from "./streams/hash-streams.js";
export { verified } from "./streams/verified.js";
export { VerifyStream } from "./streams/verify-stream.js";
