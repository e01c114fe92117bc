// From a kernel's text to a WebAssembly.Module.

const FORBIDDEN =
  "blake-simd: WebAssembly may not be compiled here. A page's Content-Security-Policy needs 'wasm-unsafe-eval', an edge " +
  "worker's bundler the condition workerd or edge-light";

/** @throws Error that says what to do, where compiling is forbidden */
export function compile(bytes: Uint8Array<ArrayBuffer>): WebAssembly.Module {
  try {
    return new WebAssembly.Module(bytes);
  } catch (cause) {
    throw new Error(FORBIDDEN, { cause });
  }
}

const encoder = /* @__PURE__ */ new TextEncoder();

// A module that decodes what wasm/build.mjs writes: JavaScript that has just started is five times slower at it. Its one
// function `d(length)` rewrites the text at the start of its memory `m`, and answers how many bytes it has made:
//
//   do {
//     digit = load8(read++) - 35;
//     if (digit < 90) store8(written++, page + digit), page = 0;
//     else page = (digit - 89) * 90;
//   } while (read < length);
const DECODER =
  "AGFzbQEAAAABBgFgAX8BfwMCAQAFAwEAAQcJAgFtAgABZAAACkoBSAEEfwNAIAEtAABBI2siA0Ha" +
  "AEkEQCACIAQgA2o6AAAgAkEBaiECQQAhBAUgA0HZAGtB2gBsIQQLIAFBAWoiASAASQ0ACyACCw==";

/** Reads the text of a kernel: digits to the base 90, each behind a mark where 90 or 180 is to be added. */
export function decode(text: string): Uint8Array<ArrayBuffer> {
  const decoder = Uint8Array.from(atob(DECODER), (character) => character.charCodeAt(0));
  const { m, d } = new WebAssembly.Instance(compile(decoder)).exports as unknown as Decoder;
  const memory = new Uint8Array(m.buffer as ArrayBuffer);
  return memory.slice(0, d(encoder.encodeInto(text, memory).written));
}

interface Decoder {
  m: WebAssembly.Memory;
  d(length: number): number;
}
