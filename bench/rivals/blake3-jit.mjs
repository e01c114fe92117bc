// blake3-jit: JavaScript below 4 KiB, WebAssembly generated at run time above. Its one-shot, or a hasher that is reset.
import { fedOnce, hashers, hexOf } from "./shared.mjs";

async function load() {
  const library = await import("blake3-jit");
  library.warmupSimd();
  return library;
}

const reused = (hasher) => (bytes) => hasher.reset().update(bytes).finalize();

const hex = (hasher) => hexOf(hasher.finalize());

export default {
  name: "blake3-jit",
  kind: "wasm",
  packages: ["blake3-jit"],
  load,
  offers: {
    blake3: {
      hash: { "one-shot": ({ hash }) => hash, reused: ({ createHasher }) => reused(createHasher()) },
      keyed: ({ createKeyed }, { key }) => reused(createKeyed(key)),
      derive: ({ createDeriveKey }, { context }) => reused(createDeriveKey(context)),
      xof: ({ createHasher }, { length }) => {
        const hasher = createHasher();
        return (bytes) => hasher.reset().update(bytes).finalizeXof().read(length);
      },
      create: ({ createHasher }) => fedOnce(createHasher, hex),
      reset: ({ createHasher }) => {
        const hasher = createHasher();
        return fedOnce(() => hasher.reset(), hex);
      },
      xof64: ({ createHasher }, { length }) => fedOnce(createHasher, (hasher) => hasher.finalizeXof().read(length)),
      incremental: ({ createHasher }) => {
        const hasher = createHasher();
        return hashers(
          () => hasher.reset(),
          () => hasher.finalize(),
        );
      },
    },
  },
};
