// blake3-subtrees: values of ranges of chunks, their parents, and the nodes of encodings. The caller chooses where everything is.
import { key, message, state } from "./kernel.mjs";
import { around, range, some } from "./ranges.mjs";
import * as spec from "./specification.mjs";
import { bytesOfWords, CHUNK_3 as CHUNK, littleEndian, wordsOf } from "./specification.mjs";
import { nonzero, or, xor } from "./terms.mjs";

const VALUE = 32;
// Places in a memory of 2^19 bytes, and the top of the C stack.
const [TOP, PARAMETERS, VALUES, NODES, CONTENT] = [0x4000, 0x5000, 0x8000, 0x10000, 0x20000];
export const PAGES = 8;
const bytesIn = (words) => bytesOfWords(words, 32);
const halves = (n) => n.words ?? [Number(BigInt.asIntN(32, n)), Number(BigInt.asIntN(32, n >> 32n))];
const values = (count) => range(0, count).map((i) => wordsOf(state(VALUE, VALUE * i), 32));
const h = () => wordsOf(key(VALUE), 32);

function begin(kernel, flags) {
  kernel.moveStack(TOP);
  kernel.begin();
  kernel.place(PARAMETERS, [...key(VALUE), ...littleEndian(flags, 4)]);
}

/** The value of leaves `first` to `first + count`, of the values of all. */
const merged = (flags, all) => (first, count) => {
  const node = (from, n) =>
    spec.tree3(h(), flags, from, n, undefined, (at, size) => (size === 1n ? all[Number(at)] : undefined));
  return count === 1 ? all[first] : spec.chainingValue(node(BigInt(first), BigInt(count)));
};
/** The bytes of a node: its two values. */
const nodesOf = (flags, all) => (first, count) => {
  const left = spec.largestLeft(count);
  const value = merged(flags, all);
  return bytesIn([...value(first, left), ...value(first + left, count - left)]);
};

/** The values of groups of `per` chunks each. */
function groupValues(flags, bytes, per, first) {
  const size = per * CHUNK;
  return range(0, Math.ceil(bytes.length / size)).map((i) =>
    spec.chainingValue(spec.message3(h(), flags, bytes.slice(i * size, (i + 1) * size), spec.after(first, i * per))),
  );
}

const KEYED = spec.KEYED_HASH;
const chunkCount = (length) => Math.ceil(length / CHUNK);
const valuesArea = (count) => [VALUES, VALUES + VALUE * count];

export function proveGroups(kernel, length, per, first) {
  const input = message(length);
  const wanted = groupValues(KEYED, input, per, first).flatMap(bytesIn);
  begin(kernel, KEYED);
  kernel.place(CONTENT, input);
  const args = [PARAMETERS, CONTENT, length, per, ...halves(first), VALUES];
  kernel.call("groups", args, { leaves: [[VALUES, wanted]], open: [valuesArea(chunkCount(length))] });
}

/** A whole message of one chunk. */
function proveRoot(kernel, length) {
  const input = message(length);
  const wanted = bytesIn(spec.chainingValue(spec.message3(h(), KEYED | 0, input, 0n)));
  const root = spec.output3(spec.message3(h(), KEYED, input, 0n), VALUE);
  for (const [flags, digest] of [
    [KEYED, wanted],
    [KEYED | spec.ROOT, root],
  ]) {
    begin(kernel, flags);
    kernel.place(CONTENT, input);
    kernel.call("groups", [PARAMETERS, CONTENT, length, 1, 0, 0, VALUES], { leaves: [[VALUES, digest]] });
  }
}

/** Values of any subtrees: one level of parents, in place and elsewhere; all levels; the nodes; whether given nodes are right. */
function proveLevels(kernel, count) {
  const all = values(count);
  const [value, nodeAt] = [merged(KEYED, all), nodesOf(KEYED, all)];
  const parents = range(0, Math.ceil(count / 2)).flatMap((i) => bytesIn(value(2 * i, Math.min(2, count - 2 * i))));
  const root = bytesIn(value(0, count));
  const nodes = spec.postOrder(count, nodeAt);
  const own = all.flatMap(bytesIn);
  const prove = (name, args, rest) => {
    begin(kernel, KEYED);
    kernel.place(VALUES, own);
    kernel.call(name, args, { open: [valuesArea(count)], ...rest });
  };
  prove("level", [PARAMETERS, VALUES, count, VALUES], { leaves: [[VALUES, parents]] });
  prove("level", [PARAMETERS, VALUES, count, NODES], {
    leaves: [
      [VALUES, own],
      [NODES, parents],
    ],
    open: [],
  });
  prove("merge", [PARAMETERS, VALUES, count], { leaves: [[VALUES, root]] });
  if (count < 2) return;
  const top = nodeAt(0, count);
  prove("collect", [PARAMETERS, VALUES, count, NODES], {
    leaves: [
      [VALUES, top],
      [NODES, nodes],
    ],
  });
}

/** The root of two values, which the flag asks for. */
function proveRootOfTwo(kernel) {
  const [left, right] = values(2);
  const root = spec.output3(spec.parent3(h(), KEYED, left, right), VALUE);
  for (const [name, args] of [
    ["merge", []],
    ["level", [VALUES]],
  ]) {
    begin(kernel, KEYED | spec.ROOT);
    kernel.place(VALUES, [...bytesIn(left), ...bytesIn(right)]);
    kernel.call(name, [PARAMETERS, VALUES, 2, ...args], { leaves: [[VALUES, root]], open: [valuesArea(2)] });
  }
}

/** The groups of a content, and any bytes as nodes between them. */
function encoding(length, group) {
  const content = message(length);
  const leaves = range(0, Math.ceil(length / group)).map((i) => content.slice(i * group, (i + 1) * group));
  const nodeAt = (first, count) => state(2 * VALUE, 100_000 + 64 * (1000 * first + count));
  return { content, leaves, nodeAt, bytes: leaves.length > 0 ? spec.preOrder(leaves, nodeAt) : [] };
}

export function proveEncoded(kernel, length, per, first) {
  const { content, bytes } = encoding(length, per * CHUNK);
  const wanted = groupValues(KEYED, content, per, first).flatMap(bytesIn);
  begin(kernel, KEYED);
  kernel.place(CONTENT, bytes);
  const args = [PARAMETERS, CONTENT, length, per, ...halves(first), VALUES];
  kernel.call("encoded", args, {
    leaves: [
      [CONTENT, bytes],
      [VALUES, wanted],
    ],
    open: [valuesArea(chunkCount(length))],
  });
}

/** Groups of any size, as `gather` and `match` take them. */
function proveGather(kernel, length, group) {
  const { content, bytes } = encoding(length, group);
  begin(kernel, KEYED);
  kernel.place(CONTENT, bytes);
  kernel.call("gather", [CONTENT, length, group, NODES], {
    leaves: [
      [CONTENT, bytes],
      [NODES, content],
    ],
  });
}

/** Any nodes: the result is 0 exactly if each is the one that the values make. */
function proveMatch(kernel, count, group) {
  const all = values(count);
  const nodeAt = nodesOf(KEYED, all);
  const given = encoding(count * group, group);
  const differences = [];
  spec.postOrder(count, (first, n) => {
    const [own, others] = [nodeAt(first, n), given.nodeAt(first, n)];
    differences.push(...own.map((byte, i) => xor(8, byte, others[i])));
    return [];
  });
  const right = spec.preOrder(given.leaves, nodeAt);
  const wanted = nonzero(differences.reduce((all, byte) => or(8, all, byte), 0));
  const cases = [
    [given.bytes, wanted],
    [right, 0],
  ];
  for (const [bytes, returns] of cases) {
    begin(kernel, KEYED);
    kernel.place(VALUES, all.flatMap(bytesIn));
    kernel.place(CONTENT, bytes);
    const leaves = [
      [CONTENT, bytes],
      [VALUES, nodeAt(0, count)],
    ];
    kernel.call("match", [PARAMETERS, VALUES, count, CONTENT, group], { leaves, open: [valuesArea(count)], returns });
  }
}

function proveClear(kernel, length) {
  begin(kernel, KEYED);
  kernel.place(CONTENT, message(length));
  kernel.call("clear", [CONTENT, length], { leaves: [[CONTENT, new Array(length).fill(0)]] });
}

export function* proofs(isFull) {
  const [module, name] = ["blake3-subtrees", "subtrees"];
  const options = { options: { pages: PAGES } };
  const cases = (prove, list) => list.map((args) => (kernel) => prove(kernel, ...args));
  const lengths = isFull
    ? [
        ...range(1, 2049).filter((n) => n <= CHUNK + 1 || n % 64 < 2),
        ...range(3, 34).flatMap((n) => around(n * CHUNK)),
        65536,
      ]
    : [...range(1, 66), 127, 128, 129, ...around(...[1, 2, 3, 4, 8].map((n) => n * CHUNK)), 5000];
  const pers = (n) => (n > 1024 || n % 64 < 2 ? [1, 2, 4, ...(isFull ? [16] : [])] : [1]);
  const firsts = [0n, 2n ** 32n - 16n, 2n ** 53n];
  const groups = lengths.flatMap((n, i) => pers(n).map((per) => [n, per, firsts[(i + per) % 3]]));
  yield [module, name, "groups", cases(proveGroups, some(groups, 4, isFull)), options];
  // A subtree begins at a multiple of its length.
  const encoded = lengths
    .filter((n) => n > 1000)
    .flatMap((n, i) => [1, 2, 4].map((per) => [n, per, [0n, 2n ** 32n - 64n, 2n ** 53n][(i + per) % 3]]));
  yield [module, name, "encoded", cases(proveEncoded, some(encoded, 4, isFull)), options];
  yield [
    module,
    name,
    "root",
    [
      ...cases(
        proveRoot,
        [1, 64, 65, 1000, 1024].map((n) => [n]),
      ),
      proveRootOfTwo,
    ],
    options,
  ];
  const counts = range(1, isFull ? 130 : 34).map((n) => [n]);
  yield [module, name, "level, merge, collect", cases(proveLevels, counts), options];
  const gathers = range(1, isFull ? 65 : 20).flatMap((n) => [
    [64 * n, 64],
    [64 * n - 1, 64],
  ]);
  yield [module, name, "gather", cases(proveGather, gathers), options];
  yield [
    module,
    name,
    "match",
    cases(
      proveMatch,
      range(2, isFull ? 66 : 18).map((n) => [n, 64]),
    ),
    options,
  ];
  yield [module, name, "clear", cases(proveClear, [[0], [1], [64], [1000]]), options];
}
