// What the kernels of BLAKE2 with lanes export besides: the output of BLAKE2Xb and BLAKE2Xs, and BLAKE2s's messages side by side.

import { areas, message, state } from "../kernel.mjs";
import { halves, sum } from "../machine/ranges.mjs";
import { finish2, littleEndian, output2, padded, range } from "../specification.mjs";
import { algorithms, anyChain, anyWaiting, LAST_NODE, message2, placeState, proofsOf, stateOf } from "./algorithms.mjs";

const { STATE, ONESHOT, ROOT, JOBS, OUTPUT, INPUT } = areas;

// ---- BLAKE2Xb and BLAKE2Xs ----

/** What squeeze reads: a seed in a block of its own, and the parameter block of the output with a 0 for what changes. */
function sourceOf({ w, block }, seed) {
  const own = [0, 0, 0, 0, ...littleEndian(w, 4), 0, 0, 0, 0, ...block().slice(12)];
  own.splice(w === 64 ? 16 : 14, 2, 0, w);
  return [...padded(seed, 2 * w), ...own];
}

/** After at least one block: finalize is proved with any counter. */
function proveRoot(kernel, of, { at, before }) {
  const [chain, t, waiting] = [anyChain(of), sum(2 * of.w), anyWaiting(before)];
  const now = stateOf(of, chain, t, waiting);
  kernel.begin();
  placeState(kernel, at, now, of);
  const leaves = [
    [at, now],
    [ROOT, sourceOf(of, finish2(of.w, chain, waiting, t))],
  ];
  kernel.call("root", [at], { leaves });
}

/** Bytes from `skip` on, behind a number of blocks of output. */
function proveSqueeze(kernel, of, { blocks, skip, length }) {
  const { w, block } = of;
  const from = blocks * w + skip;
  const seed = state(w, 1000);
  const source = sourceOf(of, seed);
  kernel.begin();
  kernel.place(ROOT, source);
  const leaves = [
    [ROOT, source],
    [OUTPUT, output2(w, block(), seed, length, from)],
  ];
  kernel.call("squeeze", [...halves(32, sum(from)), length], { leaves });
}

function* extendableProofs(name, of) {
  const { w, total } = of;
  const before = range(1, 2 * w + 1);
  const proof = proofsOf(name, of);
  yield proof("root", proveRoot, { lists: { before }, others: { at: [STATE, ONESHOT] } }, [20, 2 * w]);
  // Where a word of the place or the sign of a block's number changes, and the last blocks.
  const far = [2 ** 32 / w - 1, 2 ** 32 / w, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 256 - 1];
  const lists = { blocks: [0, 1, 2, 3, 4, ...far], skip: range(0, w), length: [0, ...range(1, 300), 16_384, 300] };
  const isInside = ({ blocks, skip, length }) => total === undefined || blocks * w + skip + length <= total;
  const cases = { lists, isAllowed: isInside };
  yield proof("squeeze", proveSqueeze, cases, [20, 600]);
}

// ---- many of BLAKE2s ----

/** Messages of these lengths, none of which is empty. */
function proveMany(kernel, of, { lengths }) {
  const size = 2 * of.w;
  kernel.begin(of.parameters());
  const messages = lengths.map((length, i) => message(length, 10_000 * i));
  let at = INPUT;
  for (const bytes of messages) {
    kernel.place(at, bytes);
    at += Math.ceil(bytes.length / size) * size;
  }
  kernel.place(
    JOBS,
    lengths.flatMap((length) => littleEndian(length, 4)),
  );
  const leaves = [
    [OUTPUT, messages.flatMap((bytes) => of.digest(bytes))],
    [INPUT, new Array(at - INPUT).fill(0)],
  ];
  kernel.call("many", [lengths.length], { leaves });
}

/** Lists of messages: some by name, and others of any lengths. */
const listsOf = () => [
  [],
  [1],
  [64],
  [65],
  [1, 1, 1, 1],
  [64, 65, 63, 1],
  [200, 1, 1, 128, 129, 64, 5, 6, 7],
  range(0, 24).map((i) => 1 + ((i * 331) % 1024)),
  ...range(0, 60).map((i) => range(0, 3 + (i % 9)).map((j) => 1 + ((i * 37 + j * 211) % 700))),
];

function* manyProofs(name, of) {
  const prove = (kernel, lengths) => proveMany(kernel, of, lengths);
  const cases = { lists: { lengths: listsOf() } };
  yield { module: "blake2s-lanes", name, what: "many", prove, cases, sizes: [12, 68], builds: ["simd128", "bun"] };
}

export function* proofs() {
  for (const [name, of] of Object.entries(algorithms)) if (of.extendable) yield* extendableProofs(name, of);
  yield* manyProofs("many BLAKE2s", message2("blake2s-lanes", 32, 0, 0));
  yield* manyProofs("many BLAKE2s keyed", message2("blake2s-lanes", 32, 32, LAST_NODE));
}
