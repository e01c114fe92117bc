// hash-wasm: a hasher made once and started anew, and the one-shots. These compute at once, but give hexadecimal text
// and in a promise; what waiting for it costs is not counted.
import { fedOnce, forEachOf, hashers, inTurn, resumed } from "./shared.mjs";

const creators = { blake2b: "createBLAKE2b", blake2s: "createBLAKE2s", blake3: "createBLAKE3" };

const digest = (hasher) => hasher.digest("binary");
const hex = (hasher) => hasher.digest();

const reused = (hasher) => (bytes) => hasher.init().update(bytes).digest("binary");

function promised(hash, length, key) {
  return (bytes) => hash(bytes, length * 8, key);
}

function offersOf(algorithm) {
  const create = (library, length, key) => library[creators[algorithm]](length * 8, key);
  const reusedHex = async (library, { length }) => {
    const hasher = await create(library, length);
    return fedOnce(() => hasher.init(), hex);
  };
  return {
    hash: {
      "one-shot": ({ [algorithm]: hash }, { length }) => promised(hash, length),
      reused: async (library, { length }) => reused(await create(library, length)),
    },
    keyed: {
      "one-shot": ({ [algorithm]: hash }, { length, key }) => promised(hash, length, key),
      reused: async (library, { length, key }) => reused(await create(library, length, key)),
    },
    xof: async (library, { length }) => reused(await create(library, length)),
    incremental: async (library, { length }) => {
      const hasher = await create(library, length);
      return hashers(() => hasher.init(), digest);
    },
    create: reusedHex,
    reset: reusedHex,
    text: ({ [algorithm]: hash }, { length }) => promised(hash, length),
    long: reusedHex,
    turns: async (library, { length }) => {
      const both = [await create(library, length), await create(library, length)];
      return inTurn((index) => both[index].init(), hex);
    },
    hmacReset: async ({ createHMAC, ...library }, { key, length }) => {
      const mac = await createHMAC(create(library, length), key);
      return fedOnce(() => mac.init(), digest);
    },
    save: async (library, { length }) => saving(await create(library, length), await create(library, length)),
  };
}

/** digest() ends a hasher of hash-wasm, so the state is loaded into a second one. */
function saving(first, second) {
  return resumed(
    () => first.init(),
    (hasher) => second.load(hasher.save()),
    digest,
  );
}

export default {
  name: "hash-wasm",
  kind: "wasm",
  packages: ["hash-wasm"],
  load: () => import("hash-wasm"),
  offers: forEachOf(Object.keys(creators), offersOf),
};
