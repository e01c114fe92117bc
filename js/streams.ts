// `blake-simd/streams`: Web Streams that hash what goes through them, and `digestOf`.
export * from "./streams/streams.js";
