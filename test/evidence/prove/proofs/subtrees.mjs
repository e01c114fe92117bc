// blake3-subtrees: values of ranges of chunks, their parents, and the nodes of encodings. The caller chooses where everything is.
import { key, message, state } from "../kernel.mjs";
import { halves, minus, plus, scaled, sum, variable } from "../machine/ranges.mjs";
import { nonzero, or, xor } from "../machine/terms.mjs";
import * as spec from "../specification.mjs";
import { after, CHUNK_3 as CHUNK, littleEndian, range, wordsOf, ZERO } from "../specification.mjs";
import { bytesIn, keyWords, VALUE } from "./blake3-states.mjs";

// Places in a memory of 2^19 bytes, and the top of the C stack.
const [TOP, PARAMETERS, VALUES, NODES, CONTENT] = [0x4000, 0x5000, 0x8000, 0x10000, 0x20000];
const PAGES = 8;
const FLAGS = spec.KEYED_HASH;

function begin(kernel, flags = FLAGS) {
  kernel.moveStack(TOP);
  kernel.begin();
  kernel.place(PARAMETERS, [...key(VALUE), ...littleEndian(flags, 4)]);
}

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

// ---- Bao's format, with groups of chunks as leaves ----

const leftOf = (count) => Number(spec.leftOf(BigInt(count)));

/** The bytes of the node over `count` leaves from number `first` on: two values. */
const nodesOf = (all) => (first, count) => {
  const left = leftOf(count);
  return bytesIn([...valueOfRange(all, first, left), ...valueOfRange(all, first + left, count - left)]);
};

/** Content and nodes in pre-order: a node comes before both of its subtrees. */
function preOrder(leaves, nodeAt, first = 0) {
  if (leaves.length === 1) return leaves[0];
  const left = leftOf(leaves.length);
  const subtrees = [preOrder(leaves.slice(0, left), nodeAt, first), preOrder(leaves.slice(left), nodeAt, first + left)];
  return [...nodeAt(first, leaves.length), ...subtrees.flat()];
}

/** Nodes alone, each after both of its subtrees. */
function postOrder(count, nodeAt, first = 0) {
  if (count === 1) return [];
  const left = leftOf(count);
  return [...postOrder(left, nodeAt, first), ...postOrder(count - left, nodeAt, first + left), ...nodeAt(first, count)];
}

/** A content in groups, and any bytes as nodes between them. */
function encoding(length, group) {
  const content = message(length);
  const leaves = range(0, Math.ceil(length / group)).map((i) => content.slice(i * group, (i + 1) * group));
  const nodeAt = (first, count) => state(2 * VALUE, 100_000 + 64 * (1000 * first + count));
  return { content, leaves, nodeAt, bytes: preOrder(leaves, nodeAt) };
}

// ---- the exports ----

const NEAR = 2n ** 10n;

/**
 * The number of the first chunk: any from which on its low word is not filled, also near that, or one from which it is filled after so many
 * chunks.
 */
const firsts = Object.fromEntries(
  ["none", "any", "near", 1, 2, 3, 17, 33, 63, 64].map((kind) => {
    const high = () => scaled(variable("high chunk", 2n ** 32n - 2n), 2n ** 32n);
    const lows = {
      any: () => variable("low chunk", 2n ** 32n - NEAR),
      near: () => minus(sum(2n ** 32n - 64n), variable("low chunk near the end", NEAR)),
    };
    const low = () => lows[kind]?.() ?? sum(2n ** 32n - BigInt(kind));
    return [kind, () => (kind === "none" ? ZERO : plus(low(), high()))];
  }),
);

function proveGroups(kernel, { chunks, end, per, first }) {
  const number = firsts[first]();
  const input = message(chunks * CHUNK + end);
  const values = groupValues(input, per, number);
  begin(kernel);
  kernel.place(CONTENT, input);
  const args = [PARAMETERS, CONTENT, input.length, per, ...halves(32, number), VALUES];
  kernel.call("groups", args, { leaves: [[VALUES, values]], open: [valuesArea(chunkCount(input.length))] });
}

/** A whole message of one chunk, whose root the flag asks for. */
function proveRoot(kernel, { length }) {
  const input = message(length);
  const root = spec.output3(spec.message3(keyWords(), FLAGS, input), VALUE);
  begin(kernel, FLAGS | spec.ROOT);
  kernel.place(CONTENT, input);
  kernel.call("groups", [PARAMETERS, CONTENT, length, 1, 0, 0, VALUES], { leaves: [[VALUES, root]] });
}

/** The root of two values. */
function proveRootOfTwo(kernel, { call: [name, ...args] }) {
  const [left, right] = anyValues(2);
  const root = spec.output3(spec.parent3(keyWords(), FLAGS, left, right), VALUE);
  begin(kernel, FLAGS | spec.ROOT);
  kernel.place(VALUES, bytesIn([...left, ...right]));
  kernel.call(name, [PARAMETERS, VALUES, 2, ...args], { leaves: [[VALUES, root]], open: [valuesArea(2)] });
}

/** Values of any subtrees: one level of parents, in place and elsewhere; all levels; the nodes. */
function proveLevels(kernel, { count }) {
  const all = anyValues(count);
  const own = all.flatMap(bytesIn);
  const parent = (i) => bytesIn(valueOfRange(all, 2 * i, Math.min(2, count - 2 * i)));
  const parents = range(0, Math.ceil(count / 2)).flatMap(parent);
  const prove = (name, args, leaves, open = [valuesArea(count)]) => {
    begin(kernel);
    kernel.place(VALUES, own);
    kernel.call(name, [PARAMETERS, VALUES, count, ...args], { leaves, open });
  };
  const apart = [
    [VALUES, own],
    [NODES, parents],
  ];
  prove("level", [VALUES], [[VALUES, parents]]);
  prove("level", [NODES], apart, []);
  prove("merge", [], [[VALUES, bytesIn(valueOfRange(all, 0, count))]]);
  if (count < 2) return;
  const nodes = [
    [VALUES, nodesOf(all)(0, count)],
    [NODES, postOrder(count, nodesOf(all))],
  ];
  prove("collect", [NODES], nodes);
}

/** Groups of any size, as `gather` and `match` take them. */
function proveGather(kernel, { groups, end, group }) {
  const { content, bytes } = encoding(groups * group + Math.min(end, group), group);
  begin(kernel);
  kernel.place(CONTENT, bytes);
  const leaves = [
    [CONTENT, bytes],
    [NODES, content],
  ];
  kernel.call("gather", [CONTENT, content.length, group, NODES], { leaves });
}

/** Any nodes: the result is 0 exactly if each is the one that the values make. */
function proveMatch(kernel, { count, group }) {
  const all = anyValues(count);
  const given = encoding(count * group, group);
  const difference = (first, n) => nodesOf(all)(first, n).map((byte, i) => xor(8, byte, given.nodeAt(first, n)[i]));
  const wanted = nonzero(postOrder(count, difference).reduce((any, byte) => or(8, any, byte), 0));
  const right = preOrder(given.leaves, nodesOf(all));
  for (const [bytes, returns] of [
    [given.bytes, wanted],
    [right, 0],
  ]) {
    begin(kernel);
    kernel.place(VALUES, all.flatMap(bytesIn));
    kernel.place(CONTENT, bytes);
    const leaves = [
      [CONTENT, bytes],
      [VALUES, nodesOf(all)(0, count)],
    ];
    kernel.call("match", [PARAMETERS, VALUES, count, CONTENT, group], { leaves, open: [valuesArea(count)], returns });
  }
}

function proveClear(kernel, { length }) {
  begin(kernel);
  kernel.place(CONTENT, message(length));
  kernel.call("clear", [CONTENT, length], { leaves: [[CONTENT, new Array(length).fill(0)]] });
}

// ---- cases ----

export function* proofs() {
  const options = { pages: PAGES };
  const proof = (what, prove, cases, sizes) => ({
    module: "blake3-subtrees",
    name: "subtrees",
    what,
    prove,
    cases,
    sizes,
    options,
  });
  const first = Object.keys(firsts);
  const end = range(1, CHUNK + 1);
  const per = [1, 2, 4, 8, 16];
  const short = { lists: { chunks: [0], end }, others: { per, first } };
  const long = { lists: { chunks: range(1, 64), end, per, first } };
  yield proof("groups of a chunk", proveGroups, short, [30, 1024]);
  yield proof("groups", proveGroups, long, [2, 60]);
  yield proof("root", proveRoot, { lists: { length: end } }, [20, 1024]);
  const calls = [["merge"], ["level", VALUES]];
  yield proof("root of two", proveRootOfTwo, { lists: { call: calls } }, [2, 2]);
  yield proof("level, merge, collect", proveLevels, { lists: { count: range(1, 130) } }, [12, 129]);
  // As many groups as there is room for.
  const fits = ({ groups, count, group }) => (count ? count * (group + 64) <= 0x50000 : (groups + 1) * group <= 0xf000);
  const group = [64, ...[1, 2, 4, 8, 16].map((n) => n * CHUNK)];
  const gathers = { lists: { groups: range(0, 65), end: range(1, CHUNK + 1) }, others: { group }, isAllowed: fits };
  const matches = { lists: { count: range(2, 130) }, others: { group }, isAllowed: fits };
  yield proof("gather", proveGather, gathers, [30, 1000]);
  yield proof("match", proveMatch, matches, [10, 128]);
  yield proof("clear", proveClear, { lists: { length: [0, 1, 64, 1000] } }, [4, 4]);
}
