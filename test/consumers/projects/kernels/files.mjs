// In Node: the kernels as files, found by their names.
import { readFile } from "node:fs/promises";
import { digests } from "./raw.mjs";

async function load(name) {
  const bytes = await readFile(new URL(import.meta.resolve(`blake-simd/wasm/${name}.simd128.wasm`)));
  const { instance } = await WebAssembly.instantiate(bytes);
  return instance.exports;
}

console.log(JSON.stringify(digests(await load("blake3"), await load("blake2b"))));
