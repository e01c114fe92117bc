// Random sequences of calls of a kernel, from init on and with all contents unknown: what the induction over states says, seen as a
// whole. Each seed gives its own sequences.
import { areas, chosen, key, message } from "./kernel.mjs";
import * as spec from "./specification.mjs";
import { bytesOfWords, IV, littleEndian, padded } from "./specification.mjs";
import { random } from "./values.mjs";

const { STATE, ONESHOT, OUTPUT, INPUT, INPUT_SIZE } = areas;
const STATE_SIZE = ONESHOT - STATE;

const blake1 = (module, w, lastBit) => ({
  module,
  parameters: () => [...chosen(w), ...key(w / 2), ...littleEndian(lastBit, 4)],
  digest: (bytes) => spec.blake1(w, chosen(w), key(w / 2), lastBit, bytes),
});

/** Any parameter block but for what chooses the path, and what the kernel sets for the nodes of a tree. */
function blake2(module, w, keyLength, flags, fixed, digest) {
  const block = () => chosen(w).map((byte, i) => (i === 1 ? keyLength : (fixed[i] ?? byte)));
  return {
    module,
    parameters: () => [...block(), ...padded(key(keyLength), w), ...littleEndian(flags, 4)],
    digest: (bytes) => digest(w, block(), key(keyLength), bytes, 200),
  };
}
const zeros = (from, to) => Object.fromEntries(Array.from({ length: to - from }, (_, i) => [from + i, 0]));

export const algorithms = {
  "BLAKE-224": blake1("blake256", 32, 0),
  "BLAKE-256": blake1("blake256", 32, 1),
  "BLAKE-384": blake1("blake512", 64, 0),
  "BLAKE-512": blake1("blake512", 64, 1),
  BLAKE2b: blake2("blake2b", 64, 0, 0, {}, (w, block, own, bytes) => spec.blake2(w, block, own, bytes)),
  BLAKE2s: blake2("blake2s", 32, 9, 0, {}, (w, block, own, bytes) => spec.blake2(w, block, own, bytes)),
  BLAKE2bp: blake2("blake2b-lanes", 64, 0, 2, zeros(8, 17), spec.blake2p),
  BLAKE2sp: blake2("blake2s-lanes", 32, 9, 2, zeros(8, 15), spec.blake2p),
  BLAKE2Xb: blake2("blake2b-lanes", 64, 9, 4, { ...zeros(8, 16), 12: 200 }, spec.blake2x),
  BLAKE2Xs: blake2("blake2s-lanes", 32, 0, 4, { ...zeros(8, 14), 12: 200 }, spec.blake2x),
  BLAKE3: {
    module: "blake3",
    parameters: () => [...key(32), ...littleEndian(spec.KEYED_HASH, 4), ...new Array(12).fill(0)],
    digest: (bytes) => spec.blake3(key(32), spec.KEYED_HASH, bytes, 200),
  },
  "BLAKE3 without a key": {
    module: "blake3",
    parameters: () => [...bytesOfWords(IV[32], 32), ...new Array(16).fill(0)],
    digest: (bytes) => spec.blake3(bytesOfWords(IV[32], 32), 0, bytes, 200),
  },
};

/** Two hashers in turns, in the two places that a state can have. */
function proveSequence(kernel, { parameters, digest }, seed) {
  const next = random(seed);
  const hashers = [STATE, ONESHOT].map((at, i) => ({ at, bytes: [], from: i * 100_000 }));
  const finalize = ({ at, bytes }) => ({ at, output: digest(bytes) });
  // The specification comes first: a kernel's terms meet its names.
  const steps = [];
  for (let calls = 2 + next(5); calls > 0; calls--) {
    const hasher = hashers[next(2)];
    const length = [next(10), next(150), next(1100), next(3000)][next(4)];
    const piece = message(length, hasher.from + hasher.bytes.length);
    hasher.bytes.push(...piece);
    steps.push({ at: hasher.at, piece });
    if (next(2)) steps.push(finalize(hasher));
  }
  steps.push(...hashers.map(finalize));
  const open = (at) => ({ open: [[at, at + STATE_SIZE]] });
  kernel.begin(parameters());
  for (const { at } of hashers) kernel.call("init", [at], open(at));
  for (const { at, piece, output } of steps) {
    if (output !== undefined) {
      kernel.call("finalize", [at, output.length], { leaves: [[OUTPUT, output]] });
    } else {
      kernel.replace(INPUT, INPUT_SIZE, piece);
      kernel.call("update", [at, INPUT, piece.length], open(at));
    }
  }
}

export function* proofs(isFull, seed) {
  for (const [name, algorithm] of Object.entries(algorithms)) {
    const seeds = Array.from({ length: isFull ? 60 : 6 }, (_, i) => 1000 * seed + i);
    yield [algorithm.module, name, "sequences", seeds.map((own) => (kernel) => proveSequence(kernel, algorithm, own))];
  }
}
