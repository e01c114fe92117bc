// Makes instances of a kernel's build for engines without WebAssembly: calls the function that
// wasm/build/javascript.mjs made of it.
import { wordsOf } from "./words.js";

/** The builds of a kernel, which here are one. */
export type Builds = Record<"simd128" | "baseline", Compiled>;

/** What instances are made of. */
export type Compiled = (wordsOf: (memory: ArrayBuffer) => Int32Array) => unknown;

/** Returns the build. */
export function chosenBuild(builds: Builds): Compiled {
  return builds.baseline;
}

/** Returns the exports of a new instance. */
export function instantiate(make: Compiled): unknown {
  return make(wordsOf);
}
