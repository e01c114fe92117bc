// The exports of `#kernels/NAME`: a kernel's two builds, as text, or as modules for runtimes that forbid compiling.
export const baseline: string | WebAssembly.Module;
export const simd128: string | WebAssembly.Module;
