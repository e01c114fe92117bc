// Made by wasm/build.mjs.
import baseline from "./blake2b.baseline.wasm";
export { baseline, baseline as simd128 };
