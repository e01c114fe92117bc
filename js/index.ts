// The whole package: every algorithm, and the few functions around them.
import { blake224, blake256, blake384, blake512 } from "./blake1.js";
import { blake2b, blake2bp, blake2xb } from "./blake2b.js";
import { blake2s, blake2sp, blake2xs } from "./blake2s.js";
import { blake3 } from "./blake3.js";

export type { Algorithm } from "./algorithm.js";
export type { Blake1Options } from "./blake1.js";
export type { Blake2ExtendableOptions, Blake2Options, Blake2ParallelOptions } from "./blake2.js";
export type { Blake3Options } from "./blake3.js";
export { type Encoding, equal, fromHex, type Input, toHex } from "./bytes.js";
export { Hasher } from "./hasher.js";
export { type Backend, backend, useBackend } from "./kernel.js";
export { ExtendableHasher, Xof } from "./xof.js";
export { blake2b, blake2bp, blake2s, blake2sp, blake2xb, blake2xs, blake3, blake224, blake256, blake384, blake512 };

/**
 * Every algorithm under its name.
 *
 * @example
 * for (const hash of Object.values(algorithms)) console.log(hash.algorithm, toHex(hash("hello")));
 */
export const algorithms = /* @__PURE__ */ Object.freeze({
  blake224,
  blake256,
  blake384,
  blake512,
  blake2b,
  blake2s,
  blake2bp,
  blake2sp,
  blake2xb,
  blake2xs,
  blake3,
});
