import { blake224, blake256, blake384, blake512 } from "./blake1.js";
import { blake2b, blake2bp, blake2xb } from "./blake2b.js";
import { blake2s, blake2sp, blake2xs } from "./blake2s.js";
import { blake3 } from "./blake3.js";

/**
 * The algorithms by name.
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
