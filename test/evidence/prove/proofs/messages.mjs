// BLAKE, BLAKE2, BLAKE2X, BLAKE2bp and BLAKE2sp. A state stands for a message if it has its length, the chaining value of the parts that
// are compressed, and the bytes after them: init makes the state of the empty message, update that of a longer one, and finalize
// gives its digest. So does `hash` of a whole message.

import { areas, message } from "../kernel.mjs";
import { absorb, range, ZERO } from "../specification.mjs";
import {
  algorithms,
  anyChain,
  anyWaiting,
  countersOf,
  extendable,
  LAST_NODE,
  message2,
  placeState,
  proofsOf,
  stateOf,
  tree,
} from "./algorithms.mjs";

const { STATE, ONESHOT, INPUT, INPUT_SIZE, OUTPUT } = areas;

/**
 * A message behind waiting bytes, as long as the number of `parts` and of the bytes `after` them say: its bytes, and the chaining value,
 * its counter and what waits at the end of it.
 */
function pieceOf(of, chain, t, waiting, { parts, after }) {
  const bytes = message(parts * of.size + after - waiting.length);
  return { bytes, end: absorb(of, chain, t, [...waiting, ...bytes]) };
}

// ---- the exports ----

function proveInit(kernel, of, { at }) {
  kernel.begin(of.parameters());
  kernel.call("init", [at], { leaves: [[at, stateOf(of, of.start(), ZERO, of.initial())]] });
}

/** Any state: after no part, or after as many as a counter says. */
const beginning = (counter) => counter?.of() ?? ZERO;
function proveUpdate(kernel, of, { at, counter, before, ...one }) {
  const [chain, t, waiting] = [anyChain(of), beginning(counter), anyWaiting(before)];
  const { bytes, end } = pieceOf(of, chain, t, waiting, one);
  kernel.begin();
  placeState(kernel, at, stateOf(of, chain, t, waiting), of);
  kernel.place(INPUT, bytes);
  kernel.call("update", [at, INPUT, bytes.length], { leaves: [[at, stateOf(of, end.chain, end.t, end.rest)]] });
}

function proveFinalize(kernel, of, { at, counter, before, length }) {
  const [chain, t, waiting] = [anyChain(of), beginning(counter), anyWaiting(before)];
  const now = stateOf(of, chain, t, waiting);
  const digest = of.finish(chain, waiting, t, length);
  kernel.begin();
  placeState(kernel, at, now, of);
  const leaves = [
    [at, now],
    [OUTPUT, digest],
  ];
  kernel.call("finalize", [at, length], { leaves });
}

function proveHash(kernel, of, { length, parts, after }) {
  const bytes = message(parts * of.size + after - of.initial().length);
  kernel.begin(of.parameters());
  kernel.place(INPUT, bytes);
  const end = INPUT + bytes.length;
  const leaves = [
    [OUTPUT, of.digest(bytes, length)],
    [INPUT, new Array(bytes.length).fill(0)],
  ];
  const scratch = [
    [ONESHOT, ONESHOT + of.stateSize],
    [end, end + of.size],
  ];
  kernel.call("hash", [bytes.length, length], { leaves, scratch });
}

// ---- cases ----

function* messageProofs(name, of) {
  const { size, least, most, prefix, outputs: length } = of;
  const isTree = of.leaves > 1;
  const counters = countersOf(of);
  const proof = proofsOf(name, of);
  const at = [STATE, ONESHOT];
  const parts = range(0, isTree ? 5 : 4);
  const later = range(least, most + 1);
  // A piece is as long as what waits before and after it says. After no part, less may wait than after others.
  const isPiece = ({ counter, parts, before, after }) =>
    (counter ? before >= least : before >= prefix) &&
    parts * size + after >= before &&
    (after >= least || (parts === 0 && !counter));
  const all = { before: later, parts, after: later };
  const ends = { counter: [undefined, ...counters], before: range(0, most + 1), parts, after: range(0, most + 1) };
  yield proof("init", proveInit, { lists: { at } }, [2, 2]);
  yield proof(
    "update",
    proveUpdate,
    { lists: all, others: { at, counter: counters.filter(({ isEnd }) => !isEnd) }, isAllowed: isPiece },
    isTree ? [12, 200] : [24, 1500],
  );
  const atEnds = { lists: ends, others: { at }, isAllowed: isPiece };
  yield proof("update at the ends of counters", proveUpdate, atEnds, isTree ? [12, 100] : [20, 400]);
  yield proof(
    "finalize",
    proveFinalize,
    {
      lists: { counter: [undefined, ...counters], before: range(0, most + 1) },
      others: { at, length },
      isAllowed: ({ counter, before }) => before >= (counter ? least : prefix),
    },
    isTree ? [8, 200] : [16, 1500],
  );
  const isMessage = ({ parts, after }) => (parts === 0 || after >= least) && parts * size + after >= prefix;
  const messages = {
    lists: { parts: range(0, 6), after: range(0, most + 1) },
    others: { length },
    isAllowed: isMessage,
  };
  yield proof("hash", proveHash, messages, isTree ? [12, 250] : [24, 1000]);
  const long = range(6, Math.floor(INPUT_SIZE / size / 8));
  const longPieces = { lists: { before: later, parts: long, after: later }, others: { at, counter: [counters[0]] } };
  yield proof("long update", proveUpdate, longPieces, [1, 40]);
}

/** A key of any length, whose zeros are the caller's, for the last node of a tree or not; and an output of any length. */
function* proofsOfKeys() {
  const kinds = {
    blake2b: (n, flags) => message2("blake2b", 64, n, flags),
    blake2s: (n, flags) => message2("blake2s", 32, n, flags),
    BLAKE2bp: (n) => tree("blake2b-lanes", 64, n),
    BLAKE2sp: (n) => tree("blake2s-lanes", 32, n),
    BLAKE2Xb: (n) => extendable("blake2b-lanes", 64, n, "any"),
    BLAKE2Xs: (n) => extendable("blake2s-lanes", 32, n, "any"),
  };
  for (const [name, kind] of Object.entries(kinds)) {
    const { module, w, extendable: isExtendable } = kind(0, 0);
    const prove = (kernel, { keyLength, flags, at }) => {
      const of = kind(keyLength, flags);
      proveInit(kernel, of, { at });
      const piece = { at, counter: countersOf(of)[0], before: of.most, parts: 2, after: of.least };
      proveUpdate(kernel, of, piece);
      if (isExtendable) return;
      proveFinalize(kernel, of, { ...piece, length: w });
      proveHash(kernel, of, { parts: 1, after: of.least + 1, length: w });
    };
    const at = [STATE, ONESHOT];
    const cases = { lists: { keyLength: range(0, w + 1), flags: [0, LAST_NODE] }, others: { at } };
    yield { module, name, what: "keys", prove, cases, sizes: [6, 2 * (w + 1)] };
  }
}

export function* proofs() {
  for (const [name, of] of Object.entries(algorithms)) yield* messageProofs(name, of);
  yield* proofsOfKeys();
}
