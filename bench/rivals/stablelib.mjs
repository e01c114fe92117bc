// @stablelib: one package per algorithm, classes in plain JavaScript.
import { forEachOf, hashers, resumed } from "./shared.mjs";

const classes = { blake2b: "BLAKE2b", blake2s: "BLAKE2s" };

async function load() {
  const [blake2b, blake2s, blake2xs] = await Promise.all([
    import("@stablelib/blake2b"),
    import("@stablelib/blake2s"),
    import("@stablelib/blake2xs"),
  ]);
  return { blake2b, blake2s, blake2xs };
}

const reused = (hasher) => (bytes) => hasher.reset().update(bytes).digest();

function offersOf(name) {
  return {
    hash: {
      "one-shot": ({ [name]: { hash } }) => hash,
      reused: ({ [name]: library }) => reused(new library[classes[name]]()),
    },
    keyed: {
      "one-shot": ({ [name]: { hash } }, { key, length }) => {
        const config = { key };
        return (bytes) => hash(bytes, length, config);
      },
      reused: ({ [name]: library }, { key, length }) => reused(new library[classes[name]](length, { key })),
    },
    incremental: ({ [name]: library }) => hashers(() => new library[classes[name]]()),
    save: ({ [name]: library }) => saving(library[classes[name]]),
  };
}

/** digest() ends a hasher of @stablelib, so the state is restored into a second one. */
function saving(Hash) {
  const second = new Hash();
  const restore = (hasher) => second.reset().restoreState(hasher.saveState());
  return resumed(() => new Hash(), restore);
}

export default {
  name: "@stablelib",
  kind: "js",
  packages: ["@stablelib/blake2b", "@stablelib/blake2s", "@stablelib/blake2xs"],
  load,
  offers: {
    ...forEachOf(Object.keys(classes), offersOf),
    blake2xs: {
      hash({ blake2xs }, { length }) {
        return (bytes) => blake2xs.xof(length, bytes);
      },
      keyed({ blake2xs }, { length, key }) {
        return (bytes) => blake2xs.xof(length, bytes, key);
      },
      xof({ blake2xs }, { length }) {
        return (bytes) => blake2xs.xof(length, bytes);
      },
    },
  },
};
