// blake2: the reference C code as a native add-on that is compiled when installed (bench/addons, option --addons). Its
// copies are no way to be fast: they take ten times as long as new hashers, and are never freed.
import { asBuffer, bufferHasher, forEachOf, hashers } from "./shared.mjs";

async function load() {
  const { createRequire } = await import("node:module");
  try {
    return createRequire(new URL("../addons/package.json", import.meta.url))("blake2");
  } catch {
    throw new Error("not compiled for this runtime (--addons does it)");
  }
}

const oneShot = (create) => (bytes) => create().update(asBuffer(bytes)).digest();

function offersOf(name) {
  return {
    hash: ({ createHash }) => oneShot(() => createHash(name)),
    keyed: ({ createKeyedHash }, { key }) => {
      const keyBuffer = asBuffer(key);
      return oneShot(() => createKeyedHash(name, keyBuffer));
    },
    incremental: ({ createHash }) => hashers(() => bufferHasher(createHash(name))),
  };
}

export default {
  name: "blake2",
  kind: "addon",
  packages: ["blake2"],
  load,
  offers: forEachOf(["blake2b", "blake2s", "blake2bp", "blake2sp"], offersOf),
};
