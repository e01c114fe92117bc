// @noble/hashes: plain functions; its blake3 takes the context as bytes.
import { fedOnce, forEachOf, hashers, inTurn } from "./shared.mjs";

const names = ["blake224", "blake256", "blake384", "blake512", "blake2b", "blake2s", "blake3"];

async function load() {
  const modules = await Promise.all([
    import("@noble/hashes/blake1.js"),
    import("@noble/hashes/blake2.js"),
    import("@noble/hashes/blake3.js"),
    import("@noble/hashes/hmac.js"),
    import("@noble/hashes/utils.js"),
  ]);
  return Object.assign({}, ...modules);
}

const digest = (hasher) => hasher.digest();

function offersOf(name) {
  const withOptions = (hash, options) => (bytes) => hash(bytes, options);
  const newHex = ({ [name]: hash, bytesToHex }) =>
    fedOnce(
      () => hash.create(),
      (hasher) => bytesToHex(hasher.digest()),
    );
  return {
    hash: ({ [name]: hash }) => hash,
    keyed: ({ [name]: hash }, { key }) => withOptions(hash, { key }),
    derive: ({ [name]: hash }, { context }) => withOptions(hash, { context: new TextEncoder().encode(context) }),
    xof: ({ [name]: hash }, { length }) => withOptions(hash, { dkLen: length }),
    create: newHex,
    createHash: newHex,
    turns: ({ [name]: hash }) => inTurn(() => hash.create(), digest),
    text:
      ({ [name]: hash, bytesToHex, utf8ToBytes }) =>
      (text) =>
        bytesToHex(hash(utf8ToBytes(text))),
    long:
      ({ [name]: hash, bytesToHex }, { length }) =>
      (bytes) =>
        bytesToHex(hash(bytes, { dkLen: length })),
    xof64: ({ [name]: hash }, { length }) =>
      fedOnce(
        () => hash.create(),
        (hasher) => hasher.xof(length),
      ),
    hmac:
      ({ [name]: hash, hmac }, { key }) =>
      (bytes) =>
        hmac(hash, key, bytes),
    createHmac:
      ({ [name]: hash, hmac, bytesToHex }, { key }) =>
      (bytes) =>
        bytesToHex(hmac(hash, key, bytes)),
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
