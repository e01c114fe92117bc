// node:crypto: OpenSSL's BLAKE2 and, apart, hashes of other families; each through the one-shot, createHash and copy.
import { fedOnce, hashers, inTurn } from "./shared.mjs";

const blake2Names = { blake2b: "blake2b512", blake2s: "blake2s256" };

/** The one-shot came with Node 20.12. */
const ways = (name) => ({
  "one-shot": ({ hash }) => hash && ((bytes) => hash(name, bytes, "buffer")),
  new({ createHash }) {
    return (bytes) => createHash(name).update(bytes).digest();
  },
  copied({ createHash }) {
    const hasher = createHash(name);
    return (bytes) => hasher.copy().update(bytes).digest();
  },
});

const hex = (hasher) => hasher.digest("hex");

/** A new hash for each message: its `copy` is slower, and it has no reset. */
const newHex = (name) => (library) => fedOnce(() => library.createHash(name), hex);

function offersOf(name) {
  return {
    hash: ways(name),
    create: newHex(name),
    createHash: newHex(name),
    base64: ({ createHash }) =>
      fedOnce(
        () => createHash(name),
        (hasher) => hasher.digest("base64"),
      ),
    text: {
      "one-shot": ({ hash }) => hash && ((text) => hash(name, text)),
      new: newHex(name),
    },
    turns: ({ createHash }) => inTurn(() => createHash(name), hex),
    hmac: ({ createHmac }, { key }) =>
      fedOnce(
        () => createHmac(name, key),
        (mac) => mac.digest(),
      ),
    createHmac: ({ createHmac }, { key }) => fedOnce(() => createHmac(name, key), hex),
    incremental: ({ createHash }) => hashers(() => createHash(name)),
  };
}

const rival = (name, kind, offers) => ({ name, kind, packages: [], load: () => import("node:crypto"), offers });

const blake2Offers = Object.entries(blake2Names).map(([algorithm, name]) => [algorithm, offersOf(name)]);

/** Another hash of the same input, in every algorithm's table: its digest is checked as what it is. */
const other = (name) => ({ ...rival(name, "other", { [name]: offersOf(name) }), algorithm: name });

/** WebCrypto's, which computes in a thread of its own. */
const webCrypto = {
  name: "WebCrypto sha256",
  kind: "other",
  algorithm: "sha256",
  packages: [],
  load: async () => globalThis.crypto.subtle,
  offers: {
    sha256: {
      hash(subtle) {
        const call = async (bytes) => new Uint8Array(await subtle.digest("SHA-256", bytes));
        return Object.assign(call, { waits: true });
      },
    },
  },
};

export default [
  rival("node:crypto", "builtin", Object.fromEntries(blake2Offers)),
  other("sha256"),
  other("sha512"),
  other("md5"),
  webCrypto,
];
