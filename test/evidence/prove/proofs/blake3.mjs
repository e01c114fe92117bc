// BLAKE3: every export, on the states of blake3-states.mjs.
import { anyFlags, areas, key, message, state } from "../kernel.mjs";
import { halves, minus, plus, scaled, sum, variable } from "../machine/ranges.mjs";
import { bytesOf, or } from "../machine/terms.mjs";
import * as spec from "../specification.mjs";
import {
  after,
  BLOCK_3 as BLOCK,
  CHUNK_3 as CHUNK,
  littleEndian,
  padded,
  range,
  wordsOf,
  ZERO,
} from "../specification.mjs";
import {
  anyState,
  BUFFERED_AT,
  bytesIn,
  chunksBefore,
  counterBytes,
  DEPTH_AT,
  formsOf,
  inProgress,
  keyWords,
  lengthOf,
  placeState,
  placesOf,
  STACK_AT,
  STACK_END,
  sizesOf,
  stateOf,
  treeWith,
  VALUE,
} from "./blake3-states.mjs";

const { STATE, ONESHOT, ROOT, JOBS, OUTPUT, INPUT, INPUT_SIZE } = areas;
const parameters = () => [...key(VALUE), ...bytesOf(anyFlags(), 4)];

// ---- the exports ----

function proveInit(kernel, { at }) {
  kernel.begin(parameters());
  const empty = { count: ZERO, values: [], chain: keyWords(), blocks: 0, waiting: [] };
  kernel.call("init", [at], { leaves: [[at, stateOf(empty)]] });
}

function proveUpdate(kernel, { at, chunks, end, ...start }) {
  const before = anyState(start);
  const { low, higher, higherValues, sizes } = before;
  const input = message(chunks * CHUNK + end - start.rest);
  const tree = treeWith(before, input);
  const none = { chain: keyWords(), blocks: 0, waiting: [] };
  // Of a message of whole chunks a state has several forms; which one it is, is the kernel's choice. It must be one that can be
  // made: what is known as one value cannot be parted again.
  const canMake = ([from, n]) => !placesOf(sizes).some(([at, size]) => at <= from && from + n <= at + size && n < size);
  const forms = formsOf(low + BigInt(chunks), end).filter(
    (form) => form.chunks >= low && placesOf(sizesOf(form.chunks, form.depth)).every(canMake),
  );
  const bytesAfter = ({ chunks: whole, rest, depth }) => {
    const values = placesOf(sizesOf(whole, depth)).map(([from, size]) => tree.value(from, size));
    const chunk = rest > 0 ? inProgress(before, tree, whole, rest) : none;
    const count = lengthOf(higher, whole, rest);
    return stateOf({ count, values: [...higherValues, ...values], ...chunk });
  };
  const all = forms.map((form) => ({ ...form, bytes: bytesAfter(form) }));
  const leaves = (memory) => {
    const [depth, buffered] = [memory.load(at + DEPTH_AT, 4) - higherValues.length, memory.load(at + BUFFERED_AT, 4)];
    const form = all.find((one) => one.depth === depth && one.rest > 0 === buffered > 0);
    return [[at, (form ?? all[0]).bytes]];
  };
  kernel.begin();
  placeState(kernel, at, before.bytes);
  kernel.place(INPUT, input);
  kernel.call("update", [at, INPUT, input.length], { leaves, scratch: [[at + STACK_AT, at + STACK_END]] });
}

const nodeBytes = ({ h, block, t, length, flags }) => [
  ...bytesIn(h),
  ...padded(block, BLOCK),
  ...littleEndian(length, 4),
  ...bytesOf(flags, 4),
  ...counterBytes(t).slice(0, 8),
];
const asRoot = (node) => nodeBytes({ ...node, flags: or(32, node.flags, spec.ROOT) });

function proveFinalize(kernel, { at, length, ...start }) {
  const before = anyState(start);
  const { low, rest, higherValues } = before;
  const lowest = low + (rest > 0 || low === 0n ? 1n : 0n);
  // Each higher subtree is larger than all after it, so it is the left one.
  const node = higherValues.reduceRight(
    (right, left) => spec.parent3(keyWords(), anyFlags(), left, spec.chainingValue(right)),
    treeWith(before, []).node(0n, lowest),
  );
  const results = [
    ["finalize", [at, length], [OUTPUT, spec.output3(node, length)]],
    ["root", [at], [ROOT, asRoot(node)]],
  ];
  for (const [name, args, result] of results) {
    kernel.begin();
    placeState(kernel, at, before.bytes);
    kernel.call(name, args, { leaves: [[at, before.bytes], result] });
  }
}

/**
 * Any root, which came from a chunk or a parent: bytes from `skip` on, of the block whose number has `bits` in the highest six of its low
 * word, any high word, and of the 26 below any, any of the last ones, or one that is so many before the end.
 */
function proveSqueeze(kernel, { bits, low: kind, skip, length, blockLength }) {
  const lows = {
    any: () => variable("low blocks", 2n ** 26n - 2n ** 10n),
    near: () => minus(sum(2n ** 26n - 300n), variable("low blocks near the end", 2n ** 10n)),
  };
  const low = lows[kind]?.() ?? sum(2n ** 26n - BigInt(kind));
  const high = scaled(variable("high blocks", 2n ** 26n - 2n), 2n ** 32n);
  const first = plus(plus(sum(bits * 2 ** 26), low), high);
  const block = state(blockLength, 1000);
  const node = { h: wordsOf(state(VALUE), 32), block, t: ZERO, length: blockLength, flags: anyFlags() };
  const bytes = asRoot(node);
  kernel.begin();
  kernel.place(ROOT, bytes);
  const leaves = [
    [ROOT, bytes],
    [OUTPUT, spec.output3(node, length, skip, first)],
  ];
  kernel.call("squeeze", [...halves(32, after(scaled(first, 64n), skip)), length], { leaves });
}

function proveHash(kernel, { length, chunks = 0, end = length, outputLength }) {
  const input = message(chunks * CHUNK + end);
  kernel.begin(parameters());
  kernel.place(INPUT, input);
  const output = spec.blake3(key(VALUE), anyFlags(), input, outputLength);
  const leaves = [
    [INPUT, new Array(input.length).fill(0)],
    [OUTPUT, output],
  ];
  // A message of a chunk has its value in OUTPUT, of which the digest may be a part.
  const open = [[OUTPUT, OUTPUT + VALUE]];
  const scratch = [
    [ONESHOT, ONESHOT + STACK_END],
    [INPUT + input.length, INPUT + input.length + BLOCK],
  ];
  kernel.call("hash", [input.length, outputLength], { leaves, scratch, open });
}

function proveMany(kernel, { lengths }) {
  kernel.begin(parameters());
  const messages = [];
  let at = INPUT;
  for (const length of lengths) {
    messages.push(message(length, at));
    kernel.place(at, messages.at(-1));
    at += Math.max(1, Math.ceil(length / BLOCK)) * BLOCK;
  }
  const jobs = lengths.flatMap((length) => littleEndian(length, 4));
  kernel.place(JOBS, jobs);
  const digests = messages.flatMap((bytes) => spec.blake3(key(VALUE), anyFlags(), bytes, VALUE));
  const leaves = [
    [OUTPUT, digests],
    [INPUT, new Array(at - INPUT).fill(0)],
  ];
  const scratch = [[OUTPUT + digests.length, OUTPUT + digests.length + VALUE]];
  kernel.call("many", [lengths.length], { leaves, scratch });
}

// ---- cases ----

/** Lists of messages for the lanes of `many`: some by name, and others of any lengths. */
const listsOf = () => {
  const mixed = (count, first, step) => range(0, count).map((i) => (first + step * i) % 1025);
  const short = [[], [0], [1], [64], [65], [1024], [0, 0], [1, 1024], [64, 65, 63], new Array(4).fill(1024)];
  const long = [
    range(1, 10),
    mixed(24, 0, 331),
    mixed(10, 1000, 64),
    new Array(64).fill(1024),
    new Array(511).fill(64),
  ];
  return [...short, ...long, ...range(0, 60).map((i) => mixed(5 + (i % 20), i, 211))];
};

/** Between two calls there is always something to make the root from: a chunk in progress, or two subtrees. */
function isState({ rest, ...start }) {
  const { low, count } = chunksBefore(start);
  return rest > 0 || (low === 0n ? count === 0 : low % 2n === 0n);
}
function isPiece({ chunks, end, ...start }) {
  const length = chunks * CHUNK + end - start.rest;
  return length >= 0 && length <= INPUT_SIZE && isState(start);
}

export function* proofs() {
  const proof = (what, prove, cases, sizes, builds) => ({
    module: "blake3",
    name: "BLAKE3",
    what,
    prove,
    cases,
    sizes,
    builds,
  });
  const at = [STATE, ONESHOT];
  const few = [...new Array(24).fill(0), ...range(0, 48)];
  const start = { ones: few, trailing: few, residue: range(0, 64), rest: range(0, CHUNK + 1), parts: range(0, 53) };
  const end = start.rest;
  const length = [VALUE, 1, 64, 65, 131, 256, 257];
  yield proof("init", proveInit, { lists: { at } }, [2, 2]);
  yield proof(
    "update within two chunks",
    proveUpdate,
    { lists: { ...start, end, chunks: [0, 1] }, others: { at }, isAllowed: isPiece },
    [40, 3000],
  );
  const { residue, ...others } = start;
  yield proof(
    "update",
    proveUpdate,
    {
      lists: { residue, chunks: range(0, INPUT_SIZE / CHUNK + 1) },
      others: { ...others, at, end },
      isAllowed: isPiece,
    },
    [5, 150],
  );
  yield proof("finalize, root", proveFinalize, { lists: start, others: { at, length }, isAllowed: isState }, [16, 600]);
  const output = {
    bits: range(0, 64),
    low: ["any", ...range(1, 300), "near"],
    skip: range(0, BLOCK),
    blockLength: range(0, BLOCK + 1),
    length: [...range(0, 300), 16_384, ...range(300, 600)],
  };
  yield proof("squeeze", proveSqueeze, { lists: output }, [40, 1500]);
  const outputLength = [VALUE, VALUE, VALUE, VALUE, ...length, 0, 31, 33, 1000];
  yield proof("hash", proveHash, { lists: { length: range(0, 4097) }, others: { outputLength } }, [50, 4097]);
  const long = { lists: { chunks: range(4, INPUT_SIZE / CHUNK), end: range(1, CHUNK + 1) }, others: { outputLength } };
  yield proof("long hash", proveHash, long, [2, 60]);
  yield proof("many", proveMany, { lists: { lengths: listsOf() } }, [10, 75], ["simd128", "bun"]);
}
