// node:crypto: the one-shot where the runtime has it, for OpenSSL's BLAKE2 and, apart, for hashes of other families.
import { streamed } from "./shared.mjs";

const blake2Names = { blake2b: "blake2b512", blake2s: "blake2s256" };

const oneShot = ({ hash, createHash }, name) =>
  hash ? (bytes) => hash(name, bytes, "buffer") : (bytes) => createHash(name).update(bytes).digest();

function offersOf(name) {
  return {
    hash: (library) => oneShot(library, name),
    stream: ({ createHash }) => streamed(() => createHash(name)),
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
