// hash-wasm.js: the interface of hash-wasm over blake-simd.
import * as blake from "blake-simd";
import { restore, save } from "blake-simd/states";

function bytes(key) {
  if (typeof key === "string") return new TextEncoder().encode(key);
  if (key === null || ArrayBuffer.isView(key)) return key;
  throw new TypeError("key must be a string, a view of a buffer or null");
}

function adapt(algorithm, defaultBits) {
  const options = (bits, key) => {
    if (!(bits > 0)) throw new RangeError("bits must be a multiple of 8, 8 or more");
    // Only BLAKE3 refuses an empty key.
    if (key === null || (key.byteLength === 0 && algorithm !== blake.blake3)) return { length: bits / 8 };
    return { length: bits / 8, key };
  };
  const hashLater = async (data, bits, key) => algorithm.hex(data, options(bits, key));
  const createLater = async (bits, key) => {
    const start = algorithm.create(options(bits, key));
    let current = start.clone();
    const continueWith = (next) => {
      current = next;
      return adapter;
    };
    const hasher = () => {
      if (current) return current;
      throw new Error("init() must be called after digest()");
    };
    const adapter = {
      init: () => continueWith(start.clone()),
      update: (data) => continueWith(hasher().update(data)),
      digest(type) {
        const digest = type === "binary" ? hasher().digest() : hasher().digest("hex");
        current = undefined;
        return digest;
      },
      save: () => save(hasher()),
      load: (state) => continueWith(restore(algorithm, state)),
      blockSize: start.blockLength,
      digestSize: start.digestLength,
    };
    return adapter;
  };
  // A key of the wrong type throws at once; all other errors are rejections.
  const hash = (data, bits = defaultBits, key = null) => hashLater(data, bits, bytes(key));
  const create = (bits = defaultBits, key = null) => createLater(bits, bytes(key));
  return [hash, create];
}

export const [blake2b, createBLAKE2b] = adapt(blake.blake2b, 512);
export const [blake2s, createBLAKE2s] = adapt(blake.blake2s, 256);
export const [blake3, createBLAKE3] = adapt(blake.blake3, 256);
