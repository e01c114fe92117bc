// libsodium-wrappers: crypto_generichash is BLAKE2b.
import { hashers } from "./shared.mjs";

async function load() {
  const { default: sodium } = await import("libsodium-wrappers");
  await sodium.ready;
  return sodium;
}

/** libsodium's state, behind the shape that `hashers` feeds. */
function hasher(sodium, length) {
  const state = sodium.crypto_generichash_init(null, length);
  return {
    update: (piece) => sodium.crypto_generichash_update(state, piece),
    digest: () => sodium.crypto_generichash_final(state, length),
  };
}

export default {
  name: "libsodium",
  kind: "wasm",
  packages: ["libsodium-wrappers"],
  load,
  offers: {
    blake2b: {
      hash(sodium, { length }) {
        return (bytes) => sodium.crypto_generichash(length, bytes, null);
      },
      keyed(sodium, { length, key }) {
        return (bytes) => sodium.crypto_generichash(length, bytes, key);
      },
      incremental: (sodium, { length }) => hashers(() => hasher(sodium, length)),
    },
  },
};
