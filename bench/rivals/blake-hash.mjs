// blake-hash: BLAKE-224 to 512 behind the shape of node:crypto's Hash, in JavaScript and as a prebuilt native add-on.
import { asBuffer, bufferHasher, forEachOf, hashers } from "./shared.mjs";

const names = ["blake224", "blake256", "blake384", "blake512"];

function offersOf(name) {
  return {
    hash(createHash) {
      return (bytes) => createHash(name).update(asBuffer(bytes)).digest();
    },
    incremental: (createHash) => hashers(() => bufferHasher(createHash(name))),
  };
}

const rival = (name, kind, load) => ({
  name,
  kind,
  packages: ["blake-hash"],
  load: async () => (await load()).default,
  offers: forEachOf(names, offersOf),
});

export default [
  rival("blake-hash (JS)", "js", () => import("blake-hash/js.js")),
  rival("blake-hash (add-on)", "addon", () => import("blake-hash/bindings.js")),
];
