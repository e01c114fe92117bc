// @webbuf/blake3: one-shots over its own byte types, which are Uint8Arrays underneath.
async function load() {
  const [blake3, webbuf, fixedbuf] = await Promise.all([
    import("@webbuf/blake3"),
    import("@webbuf/webbuf"),
    import("@webbuf/fixedbuf"),
  ]);
  return { ...blake3, ...webbuf, ...fixedbuf };
}

/** blake3Hash(WebBuf) passes its argument straight to WebAssembly, where any Uint8Array will do. */
const oneShot = (hash) => (bytes) => hash(bytes).buf;

export default {
  name: "@webbuf/blake3",
  kind: "wasm",
  packages: ["@webbuf/blake3"],
  load,
  offers: {
    blake3: {
      hash: ({ blake3Hash }) => oneShot(blake3Hash),
      keyed: ({ blake3Mac, FixedBuf, WebBuf }, { key }) => {
        const fixedKey = FixedBuf.fromBuf(32, WebBuf.fromUint8Array(key));
        return oneShot((bytes) => blake3Mac(fixedKey, bytes));
      },
    },
  },
};
