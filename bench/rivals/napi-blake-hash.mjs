// @napi-rs/blake-hash: the Rust crates as a native add-on that comes compiled.
import { forEachOf } from "./shared.mjs";

const classes = { blake2b: "Blake2B", blake2s: "Blake2S", blake2bp: "Blake2Bp", blake2sp: "Blake2Sp" };

function blake2Offers(name) {
  return {
    hash: ({ [name]: hash }) => hash,
    keyed: (library, { key }) => {
      const { [`${classes[name]}Hasher`]: Hasher, [`${classes[name]}Param`]: Param } = library;
      const params = new Param();
      params.key(Buffer.from(key));
      return (bytes) => Hasher.withParams(params).update(bytes).digestBuffer();
    },
  };
}

const blake3Offers = {
  hash: ({ blake3 }) => blake3,
  keyed: ({ Blake3Hasher }, { key }) => {
    const keyBuffer = Buffer.from(key);
    return (bytes) => Blake3Hasher.newKeyed(keyBuffer).update(bytes).digestBuffer();
  },
  derive({ Blake3Hasher }, { context }) {
    return (bytes) => Blake3Hasher.deriveKey(context, bytes);
  },
};

export default {
  name: "@napi-rs/blake-hash",
  kind: "addon",
  packages: ["@napi-rs/blake-hash"],
  load: async () => (await import("@napi-rs/blake-hash")).default,
  offers: { ...forEachOf(Object.keys(classes), blake2Offers), blake3: blake3Offers },
};
