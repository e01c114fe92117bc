// Made by wasm/build.
import baseline from "./blake2s.baseline.wasm";
export { baseline, baseline as simd128 };
