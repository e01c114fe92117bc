// How the package hashes a case: each of the ways in which its users do.
import { algorithms, useBackend, useVectorLatency } from "blake-simd";
import { restore, save } from "blake-simd/states";
import { builds, counting, latencies } from "./cases.mjs";

function hashInPieces(algorithm, { options, message, random }) {
  const { below, between, oneOf, percent } = random;
  let hasher = algorithm.create(options);
  const largest = oneOf([1, 64, 65, 1024, 5000, 70_000]) + (message.length >> 9);
  for (let at = 0; at < message.length; ) {
    const piece = between(1, largest);
    hasher.update(message.subarray(at, at + piece));
    at += piece;
    if (percent(3)) {
      const copies = [() => hasher.clone(), () => restore(algorithm, save(hasher)), () => hasher];
      hasher = oneOf(copies)();
    }
    if (percent(2)) algorithm("another message between", {});
    if (percent(2)) hasher.digest();
    if (below(5000) === 0) useBackend(oneOf(builds));
    if (below(5000) === 0) useVectorLatency(oneOf(latencies));
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
  call: (algorithm, { options, message }) => algorithm(message, options),
  into(algorithm, { options, message }) {
    const length = algorithm.create(options).digestLength;
    const output = new Uint8Array(length + 5).fill(9);
    algorithm.into(message, output, options);
    if (output.subarray(length).some((byte) => byte !== 9)) throw new Error("into wrote beyond its digest");
    return output.subarray(0, length);
  },
  pieces: (algorithm, given) => hashInPieces(algorithm, given).digest(),
  many(algorithm, { options, message, random: { below, between } }) {
    const count = between(1, 12);
    const place = below(count);
    const other = (i) => counting.subarray(i, below(3000));
    const messages = Array.from({ length: count }, (_, i) => (i === place ? message : other(i)));
    return algorithm.many(messages, options)[place];
  },
  xof(algorithm, given) {
    const hasher = hashInPieces(algorithm, given);
    return "xof" in hasher ? readInPieces(hasher, given.random) : hasher.digest();
  },
};

/** The package's digest of a case. */
export function digestOf(given) {
  useBackend(given.build);
  useVectorLatency(given.latency);
  return ways[given.way](algorithms[given.name], given);
}
