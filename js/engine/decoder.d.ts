/** The WebAssembly module that decodes the text of kernels, in Base64. */
export const decoder: string;
