// The bytes of a kernel from the text that the package ships.
import { join } from "node:path";
import { ROOT } from "./child.ts";

const folder = join(ROOT, "wasm/dist");

/** The bytes of a build in a text file of kernels. */
export async function decodedKernel(file: string, build: string): Promise<Uint8Array<ArrayBuffer>> {
  const { decoder } = await import(join(folder, "decoder.js"));
  const text: string = (await import(join(folder, file)))[build];
  const module = new WebAssembly.Module(Uint8Array.from(decoder));
  const { memory, decode } = new WebAssembly.Instance(module).exports as {
    memory: WebAssembly.Memory;
    decode(text: number, end: number): number;
  };
  const bytes = new Uint8Array(memory.buffer as ArrayBuffer);
  new TextEncoder().encodeInto(text, bytes);
  return bytes.slice(text.length, decode(0, text.length));
}
