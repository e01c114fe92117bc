// blake2b-wasm: a new hasher for each message, as it offers no other way; arguments unchecked, which is its fastest.
import { fedOnce, hashers, inTurn } from "./shared.mjs";

async function load() {
  const { default: blake2b } = await import("blake2b-wasm");
  await blake2b.ready();
  return blake2b;
}

const hex = (hasher) => hasher.digest("hex");

export default {
  name: "blake2b-wasm",
  kind: "wasm",
  packages: ["blake2b-wasm"],
  load,
  offers: {
    blake2b: {
      hash(Blake2b, { length }) {
        return (bytes) => new Blake2b(length, null, null, null, true).update(bytes).digest();
      },
      keyed(Blake2b, { length, key }) {
        return (bytes) => new Blake2b(length, key, null, null, true).update(bytes).digest();
      },
      create: (Blake2b, { length }) => fedOnce(() => new Blake2b(length, null, null, null, true), hex),
      turns: (Blake2b, { length }) => inTurn(() => new Blake2b(length, null, null, null, true), hex),
      incremental: (Blake2b, { length }) => hashers(() => new Blake2b(length, null, null, null, true)),
    },
  },
};
