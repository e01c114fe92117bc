// Random sequences of calls of a kernel, from init on and with all contents unknown: what the induction over states says, seen as a
// whole. Each seed gives its own sequences.

import { areas, key, message } from "../kernel.mjs";
import { random } from "../machine/evaluate.mjs";
import { BLOCK_3, blake3, bytesOfWords, IV, KEYED_HASH, littleEndian, range } from "../specification.mjs";
import { algorithms } from "./algorithms.mjs";

const { STATE, ONESHOT, OUTPUT, INPUT, INPUT_SIZE } = areas;
const STATE_SIZE = ONESHOT - STATE;

const blake3Of = (keyBytes, flags) => ({
  module: "blake3",
  step: BLOCK_3,
  outputs: [200],
  parameters: () => [...keyBytes(), ...littleEndian(flags, 4), ...new Array(12).fill(0)],
  digest: (bytes, length) => blake3(keyBytes(), flags, bytes, length),
});
/** Every algorithm that has `update`. */
export const all = {
  ...algorithms,
  "BLAKE3 keyed": blake3Of(() => key(32), KEYED_HASH),
  "BLAKE3 without a key": blake3Of(() => bytesOfWords(IV[32], 32), 0),
};

/** Two hashers in turns, in the two places that a state can have. */
function proveSequence(kernel, { parameters, digest, outputs }, seed) {
  const next = random(seed);
  const hashers = [STATE, ONESHOT].map((at, i) => ({ at, bytes: [], from: i * 100_000 }));
  const finalize = ({ at, bytes }) => ({ at, output: digest(bytes, outputs.at(-1)) });
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

export function* proofs(seed) {
  for (const [name, algorithm] of Object.entries(all)) {
    const prove = (kernel, one) => proveSequence(kernel, algorithm, 1000 * seed + one.number);
    const cases = { lists: { number: range(0, 20) } };
    yield { module: algorithm.module, name, what: "sequences", prove, cases, sizes: [3, 20] };
  }
}
