// Made by wasm/build.mjs.
import baseline from "./blake2s.baseline.wasm?module";
export { baseline, baseline as simd128 };
