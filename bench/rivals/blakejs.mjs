// blakejs: plain JavaScript functions.
import { forEachOf } from "./shared.mjs";

export default {
  name: "blakejs",
  kind: "js",
  packages: ["blakejs"],
  load: async () => (await import("blakejs")).default,
  offers: forEachOf(["blake2b", "blake2s"], (name) => ({
    hash: ({ [name]: hash }) => hash,
    keyed({ [name]: hash }, { key }) {
      return (bytes) => hash(bytes, key);
    },
    text: ({ [`${name}Hex`]: hex }) => hex,
  })),
};
