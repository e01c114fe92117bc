// How the package hashes a case, in any engine: each of the ways in which its users do.
import { builds, counting } from "./cases.mjs";

function hashInPieces({ main, states }, algorithm, { options, message, chance }) {
  const { below, between, oneOf, percent } = chance;
  let hasher = algorithm.create(options);
  const largest = oneOf([1, 64, 65, 1024, 5000, 70_000]) + (message.length >> 9);
  for (let at = 0; at < message.length; ) {
    const piece = between(1, largest);
    hasher.update(message.subarray(at, at + piece));
    at += piece;
    if (percent(3)) {
      const copies = [() => hasher.clone(), () => states.restore(algorithm, states.save(hasher)), () => hasher];
      hasher = oneOf(copies)();
    }
    if (percent(2)) algorithm("another message between", {});
    if (percent(2)) hasher.digest();
    if (below(5000) === 0) main.useBackend(oneOf(builds));
  }
  return hasher;
}

/** Bytes of extendable output, read in pieces from back to front. */
function readInPieces(hasher, { between }) {
  const xof = hasher.xof();
  const output = new Uint8Array(hasher.digestLength);
  for (let end = output.length; end > 0; ) {
    const from = Math.max(0, end - between(1, 1 + (output.length >> 2)));
    xof.position = from;
    xof.readInto(output.subarray(from, end));
    end = from;
  }
  return output;
}

const ways = {
  call: (_, algorithm, { options, message }) => algorithm(message, options),
  into(_, algorithm, { options, message }) {
    const length = algorithm.create(options).digestLength;
    const output = new Uint8Array(length + 5).fill(9);
    algorithm.into(output, message, options);
    if (output.subarray(length).some((byte) => byte !== 9)) throw new Error("into wrote beyond its digest");
    return output.subarray(0, length);
  },
  pieces: (entries, algorithm, given) => hashInPieces(entries, algorithm, given).digest(),
  many(_, algorithm, { options, message, chance: { below, between } }) {
    const count = between(1, 12);
    const place = below(count);
    const other = (i) => counting.subarray(i, below(3000));
    const messages = Array.from({ length: count }, (_, i) => (i === place ? message : other(i)));
    return algorithm.many(messages, options)[place];
  },
  xof(entries, algorithm, given) {
    const hasher = hashInPieces(entries, algorithm, given);
    return "xof" in hasher ? readInPieces(hasher, given.chance) : hasher.digest();
  },
};

/**
 * The package's digest of a case.
 *
 * @param entries the modules blake-simd and blake-simd/states, as `main` and `states`
 */
export function digestOf(entries, given) {
  entries.main.useBackend(given.build);
  return ways[given.way](entries, entries.main.algorithms[given.name], given);
}
