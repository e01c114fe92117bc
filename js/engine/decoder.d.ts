/** The WebAssembly module that decodes the text of kernels: its bytes. */
export const decoder: readonly number[];
