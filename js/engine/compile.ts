// Compiles a kernel's text to a WebAssembly.Module.
import { decoder } from "#decoder";
import { encoder } from "../input/bytes.js";
import { fromBase64 } from "../input/text.js";

const FORBIDDEN =
  "blake-simd: cannot compile WebAssembly: a page's policy needs 'wasm-unsafe-eval', an edge bundle the condition workerd " +
  "or edge-light";

/** @throws Error with advice if the environment forbids compiling */
export function compile(bytes: Uint8Array<ArrayBuffer>): WebAssembly.Module {
  try {
    return new WebAssembly.Module(bytes);
  } catch (cause) {
    throw new Error(FORBIDDEN, { cause });
  }
}

/** Decodes the text of a kernel (wasm/decoder.c). */
export function decode(text: string): Uint8Array<ArrayBuffer> {
  const exports = new WebAssembly.Instance(compile(fromBase64(decoder))).exports as unknown as Decoder;
  const memory = new Uint8Array(exports.memory.buffer as ArrayBuffer);
  encoder.encodeInto(text, memory);
  return memory.slice(0, exports.decode(0));
}

interface Decoder {
  memory: WebAssembly.Memory;
  decode(text: number): number;
}
