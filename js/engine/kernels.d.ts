// What `#kernels/NAME` gives: a module's two builds, as text or, where a runtime forbids compiling, as modules.
export const baseline: string | WebAssembly.Module;
export const simd128: string | WebAssembly.Module;
