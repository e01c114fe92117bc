// The table of proofs: what each export of each module must do. A row's `proof` takes a case and gives calls; of each
// it says by the specification what is in memory before it and must be after it (kernel.mjs). A row's `cases` are those
// of which `sizes` says how many are chosen, on each change and with --full (cases.mjs).
import { areas, message } from "../kernel.mjs";
import { halves, littleEndian, range } from "../specification.mjs";
import { algorithms, countersOf, extendable, LAST_NODE, message2, tree } from "./blake-states.mjs";
import { blake3 } from "./blake3-states.mjs";
import { everyLength } from "./lengths.mjs";
import { subtrees } from "./subtrees.mjs";

const { STATE, ONESHOT, ROOT, JOBS, OUTPUT, INPUT, INPUT_SIZE } = areas;
const zeros = (length) => new Array(length).fill(0);

// ---- the exports, the same for every algorithm; wasm/memory.h says what they do ----

const init = (of, { at }) => [
  { name: "init", args: [at], before: [[areas.PARAMETERS, of.parameters()]], after: [[at, of.empty()]] },
];

/**
 * From any state, of a message whose last part has `rest` bytes, on to one that has `end` bytes of a part that comes
 * `parts` later.
 */
function update(of, { at, ...one }) {
  const before = of.any(one);
  const input = message(one.parts * of.size + one.end - one.rest);
  return [
    {
      name: "update",
      args: [at, INPUT, input.length],
      before: [
        [at, before.bytes],
        [INPUT, input],
      ],
      after: [[at, of.after(before, input, one)]],
      scratch: of.spare ? [of.spare.map((place) => at + place)] : [],
    },
  ];
}

/** Output and, where there is any length of it, the root from which squeeze makes it; the state stays. */
function finalize(of, { at, length, ...one }) {
  const state = of.any(one);
  const call = (name, args, to, result) => ({
    name,
    args,
    before: [[at, state.bytes]],
    after: [
      [at, state.bytes],
      [to, result],
    ],
  });
  const output = call("finalize", [at, length], OUTPUT, of.output(state, length));
  return of.root ? [output, call("root", [at], ROOT, of.root(state))] : [output];
}

function squeeze(of, { length, ...one }) {
  const { source, from, bytes } = of.squeeze({ length, ...one });
  const after = [
    [ROOT, source],
    [OUTPUT, bytes],
  ];
  return [{ name: "squeeze", args: [...halves(32, from), length], before: [[ROOT, source]], after }];
}

function hash(of, { parts = 0, end, length }) {
  const input = message(parts * of.size + end - of.prefix);
  const inputEnd = INPUT + input.length;
  return [
    {
      name: "hash",
      args: [input.length, length],
      before: [
        [areas.PARAMETERS, of.parameters()],
        [INPUT, input],
      ],
      after: [
        [OUTPUT, of.digest(input, length)],
        [INPUT, zeros(input.length)],
      ],
      scratch: [
        [ONESHOT, ONESHOT + of.stateSize],
        [inputEnd, inputEnd + of.beyondInput],
      ],
      open: [[OUTPUT, OUTPUT + (of.beyondOutput ?? 0)]],
    },
  ];
}

/** Messages, each from a whole block on. */
function many(of, { lengths }) {
  const places = [INPUT];
  for (const length of lengths) places.push(places.at(-1) + Math.max(1, Math.ceil(length / of.step)) * of.step);
  const messages = lengths.map((length, i) => message(length, places[i]));
  const digests = messages.flatMap((bytes) => of.digest(bytes, 32));
  const end = OUTPUT + digests.length;
  return [
    {
      name: "many",
      args: [lengths.length],
      before: [
        [areas.PARAMETERS, of.parameters()],
        ...messages.map((bytes, i) => [places[i], bytes]),
        [JOBS, lengths.flatMap((length) => littleEndian(length, 4))],
      ],
      after: [
        [OUTPUT, digests],
        [INPUT, zeros(places.at(-1) - INPUT)],
      ],
      scratch: [[end, end + (of.beyondOutput ?? 0)]],
    },
  ];
}

// ---- the rows ----

const at = [STATE, ONESHOT];
const rowsOf = (name, of) => (what, proof, cases, sizes, others) => ({
  module: of.module,
  name,
  what,
  proof: (one) => proof(of, one),
  cases,
  sizes,
  ...others,
});

function* blakeRows(name, of) {
  const { size, least, most, isState, isPiece, outputs: length } = of;
  const isTree = of.leaves > 1;
  const row = rowsOf(name, of);
  const counters = countersOf(of);
  const counter = [undefined, ...counters];
  const all = range(0, most + 1);
  yield row("init", init, { lists: { at } }, [2, 2]);
  yield row(
    "finalize",
    finalize,
    // As often after no part.
    {
      lists: { counter: [...counters.map(() => undefined), ...counter], rest: all },
      others: { at, length },
      isAllowed: isState,
    },
    [16, isTree ? 200 : 1500],
  );
  const messages = { lists: { parts: range(0, 6), end: all }, others: { length }, isAllowed: of.isMessage };
  yield row("hash", hash, messages, isTree ? [12, 250] : [24, 1000]);
  const later = range(least, most + 1);
  const parts = range(0, isTree ? 5 : 4);
  const lists = { counter, rest: all, parts, end: all };
  const inner = { lists: { rest: later, parts, end: later }, others: { at, counter: counter.slice(1, 2) } };
  yield row("update", update, { ...inner, isAllowed: isPiece }, isTree ? [12, 200] : [24, 1500]);
  const ends = { lists, others: { at }, isAllowed: isPiece };
  yield row("update at the ends of counters", update, ends, isTree ? [12, 100] : [20, 400]);
  const long = range(6, Math.floor(INPUT_SIZE / size / 8));
  yield row("long update", update, { ...inner, lists: { ...inner.lists, parts: long } }, [1, 40]);
  if (!of.squeeze) return;
  // Where a word of the place or the sign of a block's number changes, and the last blocks.
  const far = [2 ** 32 / of.w - 1, 2 ** 32 / of.w, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 256 - 1];
  const isInside = ({ blocks, skip, length }) => of.total === undefined || blocks * of.w + skip + length <= of.total;
  const outputs = {
    blocks: [0, 1, 2, 3, 4, ...far],
    skip: range(0, of.w),
    length: [0, ...range(1, 300), 16_384, 300],
  };
  yield row("squeeze", squeeze, { lists: outputs, isAllowed: isInside }, [20, 600]);
}

/**
 * A key of any length, whose zeros are the caller's, for the last node of a tree or not; and an output of any length.
 */
function* keyRows() {
  const kinds = {
    blake2b: (n, flags) => message2("blake2b", 64, n, flags),
    blake2s: (n, flags) => message2("blake2s", 32, n, flags),
    BLAKE2bp: (n) => tree("blake2b-lanes", 64, n),
    BLAKE2sp: (n) => tree("blake2s-lanes", 32, n),
    BLAKE2Xb: (n) => extendable("blake2b-lanes", 64, n, "any"),
    BLAKE2Xs: (n) => extendable("blake2s-lanes", 32, n, "any"),
  };
  for (const [name, kind] of Object.entries(kinds)) {
    const { module, w, squeeze: isExtendable } = kind(0, 0);
    const proof = ({ keyLength, flags, at }) => {
      const of = kind(keyLength, flags);
      const piece = { at, counter: countersOf(of)[0], rest: of.most, parts: 2, end: of.least };
      const calls = [...init(of, { at }), ...update(of, piece)];
      if (isExtendable) return calls;
      return [
        ...calls,
        ...finalize(of, { ...piece, length: w }),
        ...hash(of, { parts: 1, end: of.least + 1, length: w }),
      ];
    };
    const cases = { lists: { keyLength: range(0, w + 1), flags: [0, LAST_NODE] }, others: { at } };
    yield { module, name, what: "keys", proof, cases, sizes: [6, 2 * (w + 1)] };
  }
}

/** What times a processor changes nothing. */
const chain = (_, { turns, ofVectors }) => [{ name: "chain", args: [turns, ofVectors], before: [], after: [] }];

function* blake3Rows() {
  const row = rowsOf("BLAKE3", blake3);
  const { size, outputs: length, isState, isPiece } = blake3;
  const few = [...new Array(24).fill(0), ...range(0, 48)];
  const start = { ones: few, trailing: few, residue: range(0, 64), rest: range(0, size + 1), pieces: range(0, 53) };
  const { residue, ...others } = start;
  yield row("init", init, { lists: { at } }, [2, 2]);
  const chains = { lists: { turns: [1, 3], ofVectors: [0, 1] } };
  yield row("chain", chain, chains, [4, 4], { builds: ["simd128", "bun"] });
  const output = {
    bits: range(0, 64),
    low: range(1, 300),
    skip: range(0, 64),
    blockLength: range(0, 65),
    length: [...range(0, 300), 16_384, ...range(300, 600)],
  };
  yield row("squeeze", squeeze, { lists: output }, [40, 1500]);
  const outputLength = [32, 32, 32, 32, ...length, 0, 31, 33, 1000];
  yield row("hash", hash, { lists: { end: range(0, 4097) }, others: { length: outputLength } }, [30, 4097]);
  yield row("finalize, root", finalize, { lists: start, others: { at, length }, isAllowed: isState }, [10, 600]);
  const near = { lists: { ...start, end: start.rest, parts: [0, 1] }, others: { at }, isAllowed: isPiece };
  yield row("update within two chunks", update, near, [40, 3000]);
  const longer = (from, to) => ({
    lists: { parts: range(from, to), end: range(1, size + 1) },
    others: { length: outputLength },
  });
  yield row("hash of up to 16 chunks", hash, longer(4, 16), [2, 40]);
  yield row("hash of more chunks", hash, longer(16, INPUT_SIZE / size), [1, 40]);
  const pieces = { residue, parts: range(0, INPUT_SIZE / size + 1) };
  yield row(
    "update",
    update,
    { lists: pieces, others: { ...others, at, end: start.rest }, isAllowed: isPiece },
    [2, 150],
  );
}

/** Lists of messages for the lanes of `many`: some by name, and others of any lengths. */
const mixed = (count, first, step) => range(0, count).map((i) => (first + step * i) % 1025);
const lists = [
  ...[[1], [0], [], [64], [65], [1024], [0, 0], [1, 1024], [64, 65, 63, 1], new Array(4).fill(1024), range(1, 10)],
  ...[mixed(24, 0, 331), mixed(10, 1000, 64), new Array(64).fill(1024), new Array(511).fill(64)],
  ...range(0, 60).map((i) => mixed(3 + (i % 22), i, 211)),
];
/** BLAKE2s's messages have at least one byte. */
const notEmpty = lists.map((lengths) => lengths.map((length) => length || 1));

function* manyRows() {
  const side = { builds: ["simd128", "bun"] };
  const row = (name, of, lengths) => rowsOf(name, of)("many", many, { lists: { lengths } }, [6, 75], side);
  yield row("BLAKE3", blake3, lists);
  yield row("many BLAKE2s", message2("blake2s-lanes", 32, 0, 0), notEmpty);
  yield row("many BLAKE2s keyed", message2("blake2s-lanes", 32, 32, LAST_NODE), notEmpty);
}

export function* table() {
  for (const [name, of] of Object.entries(algorithms)) yield* blakeRows(name, of);
  yield* keyRows();
  yield* manyRows();
  yield* blake3Rows();
  yield* subtrees();
  for (const [name, of] of Object.entries({ ...algorithms, BLAKE3: blake3 })) yield* everyLength(name, of);
}
