/** Random choices: the same seed gives the same ones (mulberry32). */
export function randomFrom(seed) {
  let state = seed >>> 0;
  /** An integer from 0 to below `limit`. */
  const below = (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return Math.floor((((x ^ (x >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
  return {
    below,
    between: (first, last) => first + below(last - first + 1),
    oneOf: (list) => list[below(list.length)],
    /** Returns true with a probability given in percent. */
    percent: (share) => below(100) < share,
    randomBytes: (length) => new Uint8Array(length).map(() => below(256)),
  };
}
