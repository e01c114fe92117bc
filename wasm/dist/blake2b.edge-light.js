// Made by wasm/build.mjs.
import baseline from "./blake2b.baseline.wasm?module";
export { baseline, baseline as simd128 };
