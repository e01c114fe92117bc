// blake3-wasm 3.0.0 (installed with an override of its missing dependency): synchronous once loaded.
import { fedOnce, hashers } from "./shared.mjs";

async function load() {
  const module = await import("blake3-wasm");
  // Node sees its CommonJS build, a page its modules.
  const library = module.default ?? module;
  await library.load();
  return library;
}

function finish(hasher) {
  const digest = hasher.digest();
  hasher.dispose();
  return digest;
}

const hex = (hasher) => {
  const digest = hasher.digest("hex");
  hasher.dispose();
  return digest;
};

const read = (length) => (hasher) => {
  const bytes = hasher.reader().read(length);
  hasher.dispose();
  return bytes;
};

export default {
  name: "blake3-wasm",
  kind: "wasm",
  packages: ["blake3-wasm", "@c4312/blake3-internal"],
  load,
  offers: {
    blake3: {
      hash: ({ hash }) => hash,
      keyed({ keyedHash }, { key }) {
        return (bytes) => keyedHash(key, bytes);
      },
      derive({ deriveKey }, { context }) {
        return (bytes) => deriveKey(context, bytes);
      },
      xof({ hash }, { length }) {
        return (bytes) => hash(bytes, { length });
      },
      create: ({ createHash }) => fedOnce(createHash, hex),
      long({ hash }, { length }) {
        return (bytes) => hash(bytes, { length }).toString("hex");
      },
      xof64: ({ createHash }, { length }) => fedOnce(createHash, read(length)),
      incremental: ({ createHash }) => hashers(createHash, finish),
    },
  },
};
