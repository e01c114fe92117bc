// Made by wasm/build.
import baseline from "./blake2b.baseline.wasm";
export { baseline, baseline as simd128 };
