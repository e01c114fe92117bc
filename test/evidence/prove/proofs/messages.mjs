// BLAKE, BLAKE2, BLAKE2X, BLAKE2bp and BLAKE2sp. A state stands for a message if it has its length, the chaining value of the parts that
// are compressed, and the bytes after them: init makes the state of the empty message, update that of a longer one, and finalize
// gives its digest. So does `hash` of a whole message. How many parts a call compresses is a number or any (induction.mjs).

import { Induction, Input, rounds, withLoops } from "../induction.mjs";
import { areas, Different, message } from "../kernel.mjs";
import { plus, scaled, sum, wordOf } from "../machine/ranges.mjs";
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
const ANY = "any";

// ---- what a call compresses ----

/**
 * A message that is behind waiting bytes: of a length that `parts` and the number of bytes `after` them give. `end` is the chaining
 * value, its counter and what waits, and `run` calls a kernel with the length as a number.
 */
function piece(kernel, of, chain, t, waiting, { parts, after }) {
  const length = parts * of.size + after - waiting.length;
  const bytes = message(length);
  const run = (begin, call) => {
    begin();
    kernel.place(INPUT, bytes);
    call(length, { inMemory: length, scratch: [[INPUT + length, INPUT + length + of.size]] });
  };
  return { length: sum(length), end: absorb(of, chain, t, [...waiting, ...bytes]), run };
}

/** The same with any number of parts, at least two of which the loop over them takes from the input. */
function longPiece(kernel, of, chain, t, waiting, { after }, fill) {
  const { size, step } = of;
  const fixed = fill + size + after; // the last part is taken behind any others
  const turns = rounds(Math.floor((INPUT_SIZE - fixed) / size));
  const length = plus(sum(fixed), scaled(turns.all, BigInt(size)));
  const input = new Input(length, fill + 2 * size);
  const bytesAt = (i, count) => input.bytesAt(plus(sum(fill), scaled(i, BigInt(size))), count);
  const first = absorb({ ...of, most: size - 1 }, chain, t, [...waiting, ...message(fill)]);
  const counter = (i) => plus(first.t, scaled(i, BigInt(step)));
  const compressPart = (words, i) => of.compress(words, bytesAt(i, size), counter(plus(i, sum(1))));
  // A salt and a tree's root stay.
  const second = compressPart(first.chain, ZERO);
  const between = anyChain(of, 3000).map((word, i) => (second[i] === first.chain[i] ? second[i] : word));
  const own = { start: first.chain, step: compressPart, any: between };
  const induction = new Induction(kernel.machine, input, turns, own);
  const end = absorb(of, between, counter(turns.all), bytesAt(turns.all, size + after));
  const run = (begin, call) => {
    begin();
    kernel.place(INPUT, message(input.inMemory));
    withLoops(kernel, input, induction, () =>
      call(wordOf(32, length), { inMemory: input.inMemory, scratch: [], input }),
    );
    const loops = of.leaves === 1 ? 1 : of.leaves / lanesOf(kernel);
    if (induction.count !== loops)
      throw new Different(`there are ${induction.count} loops over the message, must be ${loops}`);
  };
  return { length, end, run };
}

/** How many leaves a vector of the build has. */
function lanesOf({ machine }) {
  if (machine.functions.every(({ code }) => code.every(({ simd }) => simd < 0))) return 1;
  return 16 / machine.word;
}

const pieceOf = (kernel, of, chain, t, waiting, one, fill) =>
  (one.parts === ANY ? longPiece : piece)(kernel, of, chain, t, waiting, one, fill);

// ---- the exports ----

function proveInit(kernel, of, { at }) {
  kernel.begin(of.parameters());
  kernel.call("init", [at], { leaves: [[at, stateOf(of, of.start(), ZERO, of.initial())]] });
}

/** Any state: after no part, or after as many as a counter says. */
const beginning = (counter) => counter?.of() ?? ZERO;
function proveUpdate(kernel, of, { at, counter, before, ...one }) {
  const [chain, t, waiting] = [anyChain(of), beginning(counter), anyWaiting(before)];
  const { end, run } = pieceOf(kernel, of, chain, t, waiting, one, of.fill(before));
  const [now, longer] = [stateOf(of, chain, t, waiting), stateOf(of, end.chain, end.t, end.rest)];
  const begin = () => {
    kernel.begin();
    placeState(kernel, at, now, of);
  };
  run(begin, (length, { input }) => {
    kernel.call("update", [at, INPUT, length], { leaves: [[at, longer]] });
    if (input?.writes > 0) throw new Different("update writes into the input area");
  });
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

function proveHash(kernel, of, { length: outputLength, ...one }) {
  const before = of.initial();
  const fill = (of.fillOfHash ?? of.fill)(before.length);
  const { end, run } = pieceOf(kernel, of, of.start(), ZERO, before, one, fill);
  const digest =
    one.parts === ANY
      ? of.finish(end.chain, end.rest, end.t, outputLength)
      : of.digest(message(one.parts * of.size + one.after - before.length), outputLength);
  run(
    () => kernel.begin(of.parameters()),
    (length, { inMemory, scratch, input }) => {
      const leaves = [
        [OUTPUT, digest],
        [INPUT, new Array(inMemory).fill(0)],
      ];
      const own = of.fillOfHash ? [] : [[ONESHOT, ONESHOT + of.stateSize]];
      kernel.call("hash", [length, outputLength], { leaves, scratch: [...own, ...scratch] });
      input?.requireWiped();
    },
  );
}

// ---- cases ----

function* messageProofs(name, of) {
  const { size, least, most, prefix, outputs: length } = of;
  const isTree = of.leaves > 1;
  const counters = countersOf(of);
  const proof = proofsOf(name, of);
  const at = [STATE, ONESHOT];
  const parts = [0, 1, 2, ...(isTree ? [3] : []), ANY];
  const later = range(least, most + 1);
  // A piece is as long as what waits before and after it says. After no part, less may wait than after others.
  const isPiece = ({ counter, parts, before, after }) =>
    (counter ? before >= least : before >= prefix) &&
    (parts === ANY ? !counter?.isEnd : parts * size + after >= before) &&
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
  const isMessage = ({ parts, after }) =>
    (parts === 0 || after >= least) && (parts === ANY || parts * size + after >= prefix);
  const messages = {
    lists: { parts: [0, 1, 2, 3, 4, ANY], after: range(0, most + 1) },
    others: { length },
    isAllowed: isMessage,
  };
  yield proof("hash", proveHash, messages, isTree ? [12, 250] : [24, 1000]);
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
