// @napi-rs/blake-hash: the Rust crates as a native add-on that comes compiled.
import { asBuffer, forEachOf } from "./shared.mjs";

const classes = { blake2b: "Blake2B", blake2s: "Blake2S", blake2bp: "Blake2Bp", blake2sp: "Blake2Sp" };

/** Its BLAKE2 hashers take nothing but Buffers. */
const fresh = (create) => (bytes) => create().update(asBuffer(bytes)).digestBuffer();

function reset(hasher) {
  return (bytes) => {
    hasher.reset();
    return hasher.update(bytes).digestBuffer();
  };
}

function blake2Offers(name) {
  return {
    hash: {
      "one-shot": ({ [name]: hash }) => hash,
      new: ({ [`${classes[name]}Hasher`]: Hasher }) => fresh(() => new Hasher()),
    },
    keyed: (library, { key }) => {
      const { [`${classes[name]}Hasher`]: Hasher, [`${classes[name]}Param`]: Param } = library;
      const params = new Param();
      params.key(asBuffer(key));
      return fresh(() => Hasher.withParams(params));
    },
  };
}

const blake3Offers = {
  hash: {
    "one-shot": ({ blake3 }) => blake3,
    reused: ({ Blake3Hasher }) => reset(new Blake3Hasher()),
  },
  keyed: {
    new: ({ Blake3Hasher }, { key }) => {
      const keyBuffer = asBuffer(key);
      return fresh(() => Blake3Hasher.newKeyed(keyBuffer));
    },
    reused: ({ Blake3Hasher }, { key }) => reset(Blake3Hasher.newKeyed(asBuffer(key))),
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
