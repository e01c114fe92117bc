// node:crypto: OpenSSL's BLAKE2 and, apart, hashes of other families; each through the one-shot, createHash and copy.
import { hashers } from "./shared.mjs";

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

function offersOf(name) {
  return {
    hash: ways(name),
    incremental: ({ createHash }) => hashers(() => createHash(name)),
  };
}

const rival = (name, kind, offers) => ({ name, kind, packages: [], load: () => import("node:crypto"), offers });

const blake2Offers = Object.entries(blake2Names).map(([algorithm, name]) => [algorithm, offersOf(name)]);

/** Another hash of the same input, in every algorithm's table: its digest is checked as what it is. */
const other = (name) => ({ ...rival(name, "other", { [name]: offersOf(name) }), algorithm: name });

export default [
  rival("node:crypto", "builtin", Object.fromEntries(blake2Offers)),
  other("sha256"),
  other("sha512"),
  other("md5"),
];
