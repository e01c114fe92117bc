// The Rust crates blake3, blake2b_simd and blake2s_simd in WebAssembly, built by test/oracles/rust/build-wasm.sh.
import { forEachOf } from "./shared.mjs";

async function load(build) {
  const folder = new URL(`../../build/oracles/wasm/${build}/`, import.meta.url);
  const bytes = await bytesAt(new URL("rival_bg.wasm", folder)).catch(() => {
    throw new Error("not built (test/oracles/rust/build-wasm.sh builds it)");
  });
  const library = await import(new URL("rival.js", folder));
  library.initSync({ module: bytes });
  return library;
}

/** Of a file, or of what a page's server has. */
async function bytesAt(url) {
  if (url.protocol === "file:") return (await import("node:fs/promises")).readFile(url);
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return response.arrayBuffer();
}

const plainOrKeyed = (name) => ({
  hash: ({ [name]: hash }) => hash,
  keyed({ [`${name}_keyed`]: hash }, { key, length }) {
    return (bytes) => hash(bytes, key, length);
  },
});

const offers = {
  ...forEachOf(["blake2b", "blake2s", "blake2bp", "blake2sp"], plainOrKeyed),
  blake3: {
    ...plainOrKeyed("blake3"),
    derive({ blake3_derive }, { context, length }) {
      return (bytes) => blake3_derive(bytes, context, length);
    },
    xof({ blake3_xof }, { length }) {
      return (bytes) => blake3_xof(bytes, length);
    },
  },
};

const rival = (name, build) => ({ name, kind: "wasm", packages: [], load: () => load(build), offers });

export default [rival("rust-wasm", "baseline"), rival("rust-wasm-simd", "simd128")];
