// BLAKE3. A state stands for a message if it has its length, the chunk in progress as a chaining value and waiting
// bytes, and the values of the whole subtrees before that. These are the binary digits of their number of chunks, the
// largest first; if no chunk is in progress, the last of them may still be in pieces: a subtree, and then one more of
// the size of the last.
import { any, anyFlags, areas, key, state } from "../kernel.mjs";
import { bytesOf, or } from "../machine/terms.mjs";
import * as spec from "../specification.mjs";
import {
  after,
  BLOCK_3 as BLOCK,
  bytesOfWords,
  CHUNK_3 as CHUNK,
  halves,
  littleEndian,
  padded,
  range,
  wordsOf,
  ZERO,
} from "../specification.mjs";

export const VALUE = 32;
const [BUFFERED_AT, DEPTH_AT, STACK_AT, STACK_END] = [4, 164, 176, 176 + 55 * VALUE];

// The key is any, which may be the initial value, and the flags are any: so they are those of each mode.
export const keyWords = () => wordsOf(key(VALUE), 32);
const counterBytes = (n) => halves(64, n).flatMap((half) => bytesOf(half, 8));
export const bytesIn = (words) => bytesOfWords(words, 32);
const onesIn = (n) => n.toString(2).replaceAll("0", "").length;
const zerosBelow = (n) => n.toString(2).match(/0*$/)[0].length;

// ---- how many chunks came before ----

/** The highest chunk number has this many bits. */
const BITS = 54;

/**
 * A number of chunks that ends with these binary digits: 0, so many ones, and six that say `residue`; above them are
 * `ones` more ones, at the lower end or at the upper. So what a call adds carries no further than into the 0.
 */
function chunksBefore({ ones, trailing, residue }) {
  const low = ((2n ** BigInt(trailing) - 1n) << 6n) | BigInt(residue);
  const bits = trailing + 7;
  const count = Math.max(0, Math.min(ones, BITS - bits));
  const higher = (2n ** BigInt(count) - 1n) << BigInt(residue % 4 < 2 ? bits : BITS - count);
  return { low, higher, count };
}

/** The sizes of the subtrees on a stack of so many, after so many chunks. */
function sizesOf(chunks, depth) {
  const digits = [...chunks.toString(2)].reverse().map((digit, i) => BigInt(digit) << BigInt(i));
  const sizes = digits.reverse().filter(Boolean);
  while (sizes.length < depth) {
    const half = sizes.pop() / 2n;
    sizes.push(half, half);
  }
  return sizes;
}

/** The first chunk and the size of each. */
const placesOf = (sizes) => sizes.map((size, i) => [sizes.slice(0, i).reduce((a, b) => a + b, 0n), size]);

// ---- states ----

/** The state's bytes: `values` on the stack, `blocks` blocks of the chunk in `chain`. */
const stateOf = ({ count, values, chain, blocks, waiting }) => [
  ...[STACK_AT + VALUE * values.length, waiting.length, 0].flatMap((n) => littleEndian(n, 4)),
  ...bytesOf(anyFlags(), 4),
  ...counterBytes(count),
  ...key(VALUE),
  ...bytesIn(chain),
  ...waiting,
  ...any(BLOCK - waiting.length),
  ...[blocks, values.length].flatMap((n) => littleEndian(n, 4)),
  ...littleEndian(0, 8),
  ...values.flatMap(bytesIn),
];

const blocksOf = (rest) => (rest > 0 ? Math.ceil(rest / BLOCK) - 1 : 0);
const lengthOf = (higher, chunks, rest) => after(after(higher, chunks) * BigInt(CHUNK), rest);

/**
 * Any state after so many chunks and `rest` bytes of the next; without any, the last subtree is in so many more pieces.
 */
function anyState({ rest, pieces, ...one }) {
  const { low, higher, count: above } = chunksBefore(one);
  const more = rest > 0 || low === 0n ? 0 : 1 + (pieces % zerosBelow(low));
  const blocks = blocksOf(rest);
  const sizes = sizesOf(low, onesIn(low) + more);
  const value = (i) => wordsOf(state(VALUE, 5000 + VALUE * i), 32);
  const values = sizes.map((_, i) => value(i));
  const higherValues = range(0, above).map((i) => value(100 + i));
  const chain = blocks > 0 ? wordsOf(state(VALUE), 32) : keyWords();
  const waiting = state(rest - blocks * BLOCK, 1000);
  const bytes = stateOf({
    count: lengthOf(higher, low, rest),
    values: [...higherValues, ...values],
    chain,
    blocks,
    waiting,
  });
  return { bytes, low, higher, higherValues, sizes, values, rest, blocks, chain, waiting };
}

/**
 * The tree of a state's lowest chunks and of more bytes after them: all values that are known, and the nodes of chunks.
 */
function treeWith({ low, higher, sizes, values, blocks, chain, waiting }, input) {
  const data = [...waiting, ...input];
  const left = CHUNK - blocks * BLOCK; // bytes of the chunk in progress that are in `data`, at most
  /** What is in `data` of a chunk, and what came before. */
  const partOf = (t) => {
    if (t === low) return { chain, done: blocks, bytes: data.slice(0, left) };
    const at = left + Number(t - low - 1n) * CHUNK;
    return { chain: keyWords(), done: 0, bytes: data.slice(at, at + CHUNK) };
  };
  const chunkAt = (t) => {
    const part = partOf(t);
    return spec.chunk3(part.chain, anyFlags(), part.bytes, after(higher, t), part.done);
  };
  const known = new Map(placesOf(sizes).map(([from, size], i) => [`${from} ${size}`, values[i]]));
  const knownValue = (from, n) => known.get(`${from} ${n}`);
  const node = (from, n) => spec.tree3(keyWords(), anyFlags(), from, n, chunkAt, knownValue);
  const value = (from, n) => knownValue(from, n) ?? spec.chainingValue(node(from, n));
  return { node, value, partOf };
}

/** The chaining value and the waiting bytes of `rest` bytes of chunk number `t`. */
function inProgress({ higher }, { partOf }, t, rest) {
  let { chain, done, bytes } = partOf(t);
  for (; done < blocksOf(rest); done++, bytes = bytes.slice(BLOCK))
    chain = spec.chainingValue(
      spec.chunkBlock3(chain, anyFlags(), bytes.slice(0, BLOCK), after(higher, t), done, false),
    );
  return { chain, blocks: done, waiting: bytes };
}

/** The states after so many chunks and bytes: with a chunk in progress, or without. */
function formsOf(chunks, rest) {
  if (rest > 0 && rest < CHUNK) return [{ chunks, rest, depth: onesIn(chunks) }];
  const whole = chunks + BigInt(rest / CHUNK);
  if (whole === 0n) return [{ chunks: whole, rest: 0, depth: 0 }];
  const apart = range(1, zerosBelow(whole) + 1).map((n) => ({ chunks: whole, rest: 0, depth: onesIn(whole) + n }));
  return [{ chunks: whole - 1n, rest: CHUNK, depth: onesIn(whole - 1n) }, ...apart];
}

/**
 * The state after more input: a chunk in progress, or none and any of several depths; which one it is, is the kernel's
 * choice.
 */
function stateAfter(before, input, { parts: chunks, end }) {
  const { low, higher, higherValues, sizes } = before;
  const tree = treeWith(before, input);
  const none = { chain: keyWords(), blocks: 0, waiting: [] };
  // It must be one that can be made: what is known as one value cannot be parted again.
  const canMake = ([from, n]) => !placesOf(sizes).some(([at, size]) => at <= from && from + n <= at + size && n < size);
  const forms = formsOf(low + BigInt(chunks), end)
    .filter((form) => form.chunks >= low && placesOf(sizesOf(form.chunks, form.depth)).every(canMake))
    .map(({ chunks: whole, rest, depth }) => {
      const values = placesOf(sizesOf(whole, depth)).map(([from, size]) => tree.value(from, size));
      const chunk = rest > 0 ? inProgress(before, tree, whole, rest) : none;
      const count = lengthOf(higher, whole, rest);
      return { depth, rest, bytes: stateOf({ count, values: [...higherValues, ...values], ...chunk }) };
    });
  return (memory, at) => {
    const [depth, buffered] = [memory.load(at + DEPTH_AT, 4) - higherValues.length, memory.load(at + BUFFERED_AT, 4)];
    return (forms.find((one) => one.depth === depth && one.rest > 0 === buffered > 0) ?? forms[0]).bytes;
  };
}

// ---- output ----

/** The root of a state's message: each higher subtree is larger than all after it, so it is the left one. */
function rootNode(before) {
  const { low, rest, higherValues } = before;
  const lowest = low + (rest > 0 || low === 0n ? 1n : 0n);
  return higherValues.reduceRight(
    (right, left) => spec.parent3(keyWords(), anyFlags(), left, spec.chainingValue(right)),
    treeWith(before, []).node(0n, lowest),
  );
}

const rootBytes = ({ h, block, t, length, flags }) => [
  ...bytesIn(h),
  ...padded(block, BLOCK),
  ...littleEndian(length, 4),
  ...bytesOf(or(32, flags, spec.ROOT), 4),
  ...counterBytes(t).slice(0, 8),
];

/**
 * Any root, which came from a chunk or a parent: bytes from `skip` on, of the block whose number has `bits` in the
 * highest six of its low word, `low` less than 2^26 below, and a high word.
 */
function squeeze({ bits, low, skip, length, blockLength }) {
  const first = (0x155_5a3cn << 32n) + BigInt(bits * 2 ** 26 + 2 ** 26 - low);
  const block = state(blockLength, 1000);
  const node = { h: wordsOf(state(VALUE), 32), block, t: ZERO, length: blockLength, flags: anyFlags() };
  const from = after(64n * first, skip);
  return { source: rootBytes(node), from, bytes: spec.output3(node, length, skip, first) };
}

/** Between two calls there is always something to make the root from: a chunk in progress, or two subtrees. */
function isState({ rest, ...one }) {
  const { low, count } = chunksBefore(one);
  return rest > 0 || (low === 0n ? count === 0 : low % 2n === 0n);
}
function isPiece({ parts, end, ...one }) {
  const length = parts * CHUNK + end - one.rest;
  return length >= 0 && length <= areas.INPUT_SIZE && isState(one);
}

export const blake3 = {
  module: "blake3",
  size: CHUNK,
  step: BLOCK,
  prefix: 0,
  outputs: [VALUE, 1, 64, 65, 131, 256, 257],
  isState,
  isPiece,
  parameters: () => [...key(VALUE), ...bytesOf(anyFlags(), 4)],
  empty: () => stateOf({ count: ZERO, values: [], chain: keyWords(), blocks: 0, waiting: [] }),
  any: anyState,
  after: stateAfter,
  output: (before, length) => spec.output3(rootNode(before), length),
  root: (before) => rootBytes(rootNode(before)),
  squeeze,
  digest: (bytes, length) => spec.blake3(key(VALUE), anyFlags(), bytes, length),
  // What calls may leave changed: the stack's unused part; a message of a chunk has its value in OUTPUT, of which a
  // digest may be a part.
  spare: [STACK_AT, STACK_END],
  stateSize: STACK_END,
  beyondInput: BLOCK,
  beyondOutput: VALUE,
};
