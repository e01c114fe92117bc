// hash-wasm.js
import * as blake from "blake-simd";
import { restore, save } from "blake-simd/states";

function adapt(algorithm, defaultBits) {
  const options = (bits, key) => {
    if (!(bits > 0)) throw new RangeError("bits must be a multiple of 8, 8 or more");
    // Only BLAKE3 refuses an empty key.
    if (key === null || (key.length === 0 && algorithm !== blake.blake3)) return { length: bits / 8 };
    return { length: bits / 8, key: typeof key === "string" ? new TextEncoder().encode(key) : key };
  };
  const hash = async (data, bits = defaultBits, key = null) => algorithm.hex(data, options(bits, key));
  const create = async (bits = defaultBits, key = null) => {
    const start = algorithm.create(options(bits, key));
    let current = start.clone();
    const continued = (hasher) => {
      current = hasher;
      return adapter;
    };
    const live = () => {
      if (current) return current;
      throw new Error("init() must be called after digest()");
    };
    const adapter = {
      init: () => continued(start.clone()),
      update: (data) => continued(live().update(data)),
      digest(type) {
        const digest = type === "binary" ? live().digest() : live().digest("hex");
        current = undefined;
        return digest;
      },
      save: () => save(live()),
      load: (state) => continued(restore(algorithm, state)),
      blockSize: start.blockLength,
      digestSize: start.digestLength,
    };
    return adapter;
  };
  return [hash, create];
}

export const [blake2b, createBLAKE2b] = adapt(blake.blake2b, 512);
export const [blake2s, createBLAKE2s] = adapt(blake.blake2s, 256);
export const [blake3, createBLAKE3] = adapt(blake.blake3, 256);
