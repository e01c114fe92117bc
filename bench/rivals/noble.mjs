// @noble/hashes: plain functions; its blake3 takes the context as bytes.
import { forEachOf, hashers } from "./shared.mjs";

const names = ["blake224", "blake256", "blake384", "blake512", "blake2b", "blake2s", "blake3"];

async function load() {
  const modules = await Promise.all([
    import("@noble/hashes/blake1.js"),
    import("@noble/hashes/blake2.js"),
    import("@noble/hashes/blake3.js"),
  ]);
  return Object.assign({}, ...modules);
}

function offersOf(name) {
  const withOptions = (hash, options) => (bytes) => hash(bytes, options);
  return {
    hash: ({ [name]: hash }) => hash,
    keyed: ({ [name]: hash }, { key }) => withOptions(hash, { key }),
    derive: ({ [name]: hash }, { context }) => withOptions(hash, { context: new TextEncoder().encode(context) }),
    xof: ({ [name]: hash }, { length }) => withOptions(hash, { dkLen: length }),
    incremental: ({ [name]: hash }) => hashers(() => hash.create()),
  };
}

export default {
  name: "@noble/hashes",
  kind: "js",
  packages: ["@noble/hashes"],
  load,
  offers: forEachOf(names, offersOf),
};
