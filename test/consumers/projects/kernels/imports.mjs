// For a bundler that makes modules of .wasm files.
import * as blake2b from "blake-simd/wasm/blake2b.simd128.wasm";
import * as blake3 from "blake-simd/wasm/blake3.simd128.wasm";
import { digests } from "./raw.mjs";

console.log(JSON.stringify(digests(blake3, blake2b)));
