// BLAKE3. A state stands for a message if it has its length, the chunk in progress as a chaining value and waiting bytes, and the
// values of the whole subtrees before that. These are the binary digits of their number of chunks, the largest first; if no chunk
// is in progress, the last of them may still be in parts: a subtree, and then one more of the size of the last.
import { any, anyFlags, key, state } from "../kernel.mjs";
import { halves, haveOnes, plus, scaled, sum, variable } from "../machine/ranges.mjs";
import { bytesOf } from "../machine/terms.mjs";
import * as spec from "../specification.mjs";
import {
  after,
  BLOCK_3 as BLOCK,
  bytesOfWords,
  CHUNK_3 as CHUNK,
  littleEndian,
  range,
  wordsOf,
  ZERO,
} from "../specification.mjs";

export const VALUE = 32;
export const [BUFFERED_AT, DEPTH_AT, STACK_AT, STACK_END] = [4, 164, 176, 176 + 55 * VALUE];

// The key is any, which may be the initial value, and the flags are any: so they are those of each mode.
export const keyWords = () => wordsOf(key(VALUE), 32);
export const counterBytes = (n) => halves(64, n).flatMap((half) => bytesOf(half, 8));
export const bytesIn = (words) => bytesOfWords(words, 32);
const onesIn = (n) => n.toString(2).replaceAll("0", "").length;
const zerosBelow = (n) => n.toString(2).match(/0*$/)[0].length;

// ---- how many chunks came before ----

/** The highest chunk number has this many bits. */
const BITS = 54n;

/**
 * Any number of chunks that ends with these binary digits: 0, so many ones, and six that say `residue`; above them are `ones` more ones,
 * anywhere. So what a call adds carries no further than into the 0.
 */
export function chunksBefore({ ones, trailing, residue }) {
  const low = ((2n ** BigInt(trailing) - 1n) << 6n) | BigInt(residue);
  const bits = BigInt(trailing) + 7n;
  // Coefficients are signed, so none is 2^31 in a word of 32 bits or 2^63 in one of 64.
  const above = bits < 31n ? bits : bits < 32n ? 32n : bits;
  const count = bits > 52n ? 0 : Math.min(ones, Number(BITS - above));
  if (count === 0) return { low, higher: ZERO, count };
  const name = `chunks with ${count} ones above ${bits} bits`;
  const inHighWord = () => scaled(variable(name, 2n ** (BITS - 32n) - 1n), 2n ** 32n);
  const higher =
    bits < 31n
      ? plus(scaled(variable(`low ${name}`, 2n ** (32n - bits) - 1n), 2n ** bits), inHighWord())
      : scaled(variable(name, 2n ** (BITS - above) - 1n), 2n ** above);
  haveOnes(higher, count);
  return { low, higher, count };
}

/** The sizes of the subtrees on a stack of so many, after so many chunks. */
export function sizesOf(chunks, depth) {
  const digits = [...chunks.toString(2)].reverse().map((digit, i) => BigInt(digit) << BigInt(i));
  const sizes = digits.reverse().filter(Boolean);
  while (sizes.length < depth) {
    const half = sizes.pop() / 2n;
    sizes.push(half, half);
  }
  return sizes;
}

/** The first chunk and the size of each. */
export const placesOf = (sizes) => sizes.map((size, i) => [sizes.slice(0, i).reduce((a, b) => a + b, 0n), size]);

// ---- states ----

/** The state's bytes: `values` on the stack, `blocks` blocks of the chunk in `chain`. */
export const stateOf = ({ count, values, chain, blocks, waiting }) => [
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

export function placeState(kernel, at, bytes) {
  const end = bytes.indexOf(undefined);
  if (end === -1) return kernel.place(at, bytes);
  const next = bytes.lastIndexOf(undefined) + 1;
  kernel.place(at, bytes.slice(0, end));
  kernel.place(at + next, bytes.slice(next));
}

const blocksOf = (rest) => (rest > 0 ? Math.ceil(rest / BLOCK) - 1 : 0);
export const lengthOf = (higher, chunks, rest) => plus(scaled(plus(higher, sum(chunks)), BigInt(CHUNK)), sum(rest));

/** Any state after so many chunks and `rest` bytes of the next; without any, the last subtree is in more parts, `parts` says how many. */
export function anyState({ rest, parts: wantedParts, ...one }) {
  const { low, higher, count: above } = chunksBefore(one);
  const parts = rest > 0 || low === 0n ? 0 : 1 + (wantedParts % zerosBelow(low));
  const blocks = blocksOf(rest);
  const sizes = sizesOf(low, onesIn(low) + parts);
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

/** The tree of a state's lowest chunks and of more bytes after them: all values that are known, and the nodes of chunks. */
export function treeWith({ low, higher, sizes, values, blocks, chain, waiting }, input) {
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
export function inProgress({ higher }, { partOf }, t, rest) {
  let { chain, done, bytes } = partOf(t);
  for (; done < blocksOf(rest); done++, bytes = bytes.slice(BLOCK))
    chain = spec.chainingValue(
      spec.chunkBlock3(chain, anyFlags(), bytes.slice(0, BLOCK), after(higher, t), done, false),
    );
  return { chain, blocks: done, waiting: bytes };
}

/** The states after so many chunks and bytes: with a chunk in progress, or without. */
export function formsOf(chunks, rest) {
  if (rest > 0 && rest < CHUNK) return [{ chunks, rest, depth: onesIn(chunks) }];
  const whole = chunks + BigInt(rest / CHUNK);
  if (whole === 0n) return [{ chunks: whole, rest: 0, depth: 0 }];
  const apart = range(1, zerosBelow(whole) + 1).map((n) => ({ chunks: whole, rest: 0, depth: onesIn(whole) + n }));
  return [{ chunks: whole - 1n, rest: CHUNK, depth: onesIn(whole - 1n) }, ...apart];
}
