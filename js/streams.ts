// `blake-simd/streams`: Web Streams that hash the data that passes through them, and `digestOf`.

export type { Algorithm } from "./engine/algorithm.js";
export type { Input } from "./input/bytes.js";
export * from "./streams/streams.js";
