// What a program would write without `/node`, `/streams` and `digest("base64")`: the engine's own means, and this
// package's one-shot hash.

import { load } from "./ours.mjs";
import { blobOf, fedOnce, forEachOf, pathOf, readAll, streamOf, whenNode } from "./shared.mjs";

/** Of the build that `ours` is compared with. */
export function byHand({ build, entry }) {
  return {
    name: "by hand",
    kind: "hand",
    packages: [],
    load: () => load(build, entry),
    offers: forEachOf(["blake2b", "blake2s", "blake3"], offersOf),
  };
}

const offersOf = (name) => ({
  base64: ({ [name]: hash }) =>
    globalThis.Buffer &&
    fedOnce(
      () => hash.create(),
      (hasher) => Buffer.from(hasher.digest().buffer).toString("base64"),
    ),
  file: async ({ [name]: hash }) => {
    const fs = await whenNode(() => import("node:fs/promises"));
    return fs && (async (bytes) => hash(await fs.readFile(pathOf(bytes))));
  },
  body({ [name]: hash }) {
    return async (text) => hash(await new Response(text).arrayBuffer());
  },
  blob({ [name]: hash }) {
    return async (bytes) => hash(await blobOf(bytes).arrayBuffer());
  },
  bytes({ [name]: hash }) {
    return async (bytes) => hash(await bytes);
  },
  through({ [name]: hash }) {
    return async (bytes) => {
      await readAll(streamOf(bytes).pipeThrough(new TransformStream()));
      return hash(bytes);
    };
  },
});
