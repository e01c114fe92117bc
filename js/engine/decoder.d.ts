/** A WebAssembly module that reads kernels' text, to the base 64. */
export const decoder: string;
