// blake3-subtrees: values of ranges of chunks, their parents, and the nodes of encodings. The caller chooses where
// everything is.
import { key, message, state } from "../kernel.mjs";
import * as spec from "../specification.mjs";
import { after, CHUNK_3 as CHUNK, halves, littleEndian, range, wordsOf, ZERO } from "../specification.mjs";
import { bytesIn, keyWords, VALUE } from "./blake3-states.mjs";

// Places in a memory of 2^19 bytes.
const [PARAMETERS, VALUES, NODES, CONTENT] = [0x5000, 0xa000, 0x10000, 0x20000];
const PAGES = 8;
const FLAGS = spec.KEYED_HASH;

const parameters = (flags = FLAGS) => [PARAMETERS, [...key(VALUE), ...littleEndian(flags, 4)]];
/** A call with parameters and content somewhere. */
const call = (name, args, before, after, others) => ({
  name,
  args,
  before: [parameters(), ...before],
  after,
  ...others,
});

// ---- values ----

const anyValues = (count) => range(0, count).map((i) => wordsOf(state(VALUE, VALUE * i), 32));
const valuesArea = (count) => [VALUES, VALUES + VALUE * count];
const chunkCount = (length) => Math.ceil(length / CHUNK);

/** The value of `count` neighbours from number `first` on, of the values of all. */
function valueOfRange(all, first, count) {
  const known = (at, size) => (size === 1n ? all[Number(at)] : undefined);
  if (count === 1) return all[first];
  return spec.chainingValue(spec.tree3(keyWords(), FLAGS, BigInt(first), BigInt(count), undefined, known));
}

/** The values of groups of `per` chunks each. */
function groupValues(bytes, per, first) {
  const size = per * CHUNK;
  const group = (i) => bytes.slice(i * size, (i + 1) * size);
  const node = (i) => spec.message3(keyWords(), FLAGS, group(i), after(first, i * per));
  return range(0, Math.ceil(bytes.length / size)).flatMap((i) => bytesIn(spec.chainingValue(node(i))));
}

// ---- nodes of Bao's trees, whose leaves are values ----

const leftOf = (count) => Number(spec.leftOf(BigInt(count)));

/** The bytes of the node over `count` leaves from number `first` on: two values. */
const nodesOf = (all) => (first, count) => {
  const left = leftOf(count);
  return bytesIn([...valueOfRange(all, first, left), ...valueOfRange(all, first + left, count - left)]);
};

/** Nodes alone, each after both of its subtrees. */
function postOrder(count, nodeAt, first = 0) {
  if (count === 1) return [];
  const left = leftOf(count);
  return [...postOrder(left, nodeAt, first), ...postOrder(count - left, nodeAt, first + left), ...nodeAt(first, count)];
}

// ---- the exports ----

/**
 * The number of the first chunk: 0, or one from which on its low word is filled after so many chunks, below a high
 * word. (The lanes count some chunks beyond the last.)
 */
const firsts = Object.fromEntries(
  [0, 2 ** 31, 1, 2, 3, 17, 33, ...range(63, 80)].map((left) => [
    left,
    left === 0 ? ZERO : (0x5a3c_7e19n << 32n) + BigInt(2 ** 32 - left),
  ]),
);

function groups({ chunks, end, per, first }) {
  const number = firsts[first];
  const input = message(chunks * CHUNK + end);
  const values = [[VALUES, groupValues(input, per, number)]];
  const args = [PARAMETERS, CONTENT, input.length, per, ...halves(32, number), VALUES];
  return [call("groups", args, [[CONTENT, input]], values, { open: [valuesArea(chunkCount(input.length))] })];
}

/** A whole message of one chunk, whose root the flag asks for. */
function root({ end }) {
  const input = message(end);
  const before = [parameters(FLAGS | spec.ROOT), [CONTENT, input]];
  const after = [[VALUES, spec.output3(spec.message3(keyWords(), FLAGS, input), VALUE)]];
  return [call("groups", [PARAMETERS, CONTENT, end, 1, 0, 0, VALUES], before, after)];
}

/** The root of two values. */
function rootOfTwo({ name, args }) {
  const [left, right] = anyValues(2);
  const before = [parameters(FLAGS | spec.ROOT), [VALUES, bytesIn([...left, ...right])]];
  const after = [[VALUES, spec.output3(spec.parent3(keyWords(), FLAGS, left, right), VALUE)]];
  return [call(name, [PARAMETERS, VALUES, 2, ...args], before, after, { open: [valuesArea(2)] })];
}

/** Values of any subtrees: one level of parents, in place and elsewhere; all levels; the nodes. */
function levels({ count }) {
  const all = anyValues(count);
  const own = all.flatMap(bytesIn);
  const parent = (i) => bytesIn(valueOfRange(all, 2 * i, Math.min(2, count - 2 * i)));
  const parents = range(0, Math.ceil(count / 2)).flatMap(parent);
  const of = (name, args, after, open = [valuesArea(count)]) =>
    call(name, [PARAMETERS, VALUES, count, ...args], [[VALUES, own]], after, { open });
  const apart = [
    [VALUES, own],
    [NODES, parents],
  ];
  const nodes = () => [
    [VALUES, nodesOf(all)(0, count)],
    [NODES, postOrder(count, nodesOf(all))],
  ];
  return [
    of("level", [VALUES], [[VALUES, parents]]),
    of("level", [NODES], apart, []),
    of("merge", [], [[VALUES, bytesIn(valueOfRange(all, 0, count))]]),
    ...(count < 2 ? [] : [of("collect", [NODES], nodes())]),
  ];
}

const clear = ({ length }) => [
  call("clear", [CONTENT, length], [[CONTENT, message(length)]], [[CONTENT, new Array(length).fill(0)]]),
];

// ---- the rows ----

export function* subtrees() {
  const row = (what, proof, lists, sizes, others) => ({
    module: "blake3-subtrees",
    name: "subtrees",
    what,
    proof,
    cases: { lists, ...others },
    sizes,
    options: { pages: PAGES },
  });
  const first = Object.keys(firsts);
  const end = range(1, CHUNK + 1);
  const per = [1, 2, 4, 8, 16];
  yield row("groups of a chunk", groups, { chunks: [0], end }, [30, 1024], { others: { per, first } });
  yield row("root", root, { end }, [20, 1024]);
  yield row("root of two by merge", rootOfTwo, { name: ["merge"], args: [[]] }, [1, 1]);
  yield row("root of two by level", rootOfTwo, { name: ["level"], args: [[VALUES]] }, [1, 1]);
  yield row("level, merge, collect", levels, { count: range(1, 130) }, [7, 129]);
  yield row("clear", clear, { length: [0, 1, 64, 1000] }, [4, 4]);
  yield row("groups", groups, { chunks: range(1, 64), end, per, first }, [1, 60]);
}
