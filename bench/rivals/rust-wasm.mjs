// The Rust crates blake3, blake2b_simd and blake2s_simd in WebAssembly, built by wasm/oracle/build.sh.
import { forEachOf } from "./shared.mjs";

async function load(build) {
  const folder = new URL(`../../build/oracle/${build}/`, import.meta.url);
  const bytes = await bytesAt(new URL("oracle_bg.wasm", folder)).catch(() => {
    throw new Error("not built (wasm/oracle/build.sh builds it)");
  });
  const library = await import(new URL("oracle.js", folder));
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

const empty = new Uint8Array();

const sequential = (name) => ({
  hash: ({ [name]: hash }) => hash,
  keyed({ [`${name}_with`]: hash }, { key, length }) {
    return (bytes) => hash(bytes, length, key, empty, empty);
  },
});

const parallel = (name) => ({
  hash: ({ [name]: hash }) => hash,
  keyed({ [`${name}_with`]: hash }, { key, length }) {
    return (bytes) => hash(bytes, length, key);
  },
});

const offers = {
  ...forEachOf(["blake2b", "blake2s"], sequential),
  ...forEachOf(["blake2bp", "blake2sp"], parallel),
  blake3: {
    hash: ({ blake3 }) => blake3,
    keyed({ blake3_keyed }, { key, length }) {
      return (bytes) => blake3_keyed(bytes, key, length);
    },
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
