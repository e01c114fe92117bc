// BLAKE, BLAKE2, BLAKE2X, BLAKE2bp and BLAKE2sp as their proofs see them. They differ in what a state's chaining value is, in what
// compresses a part of `size` bytes, a block or one for each leaf, in how many bytes may wait, and in what ends a message. Everything
// that could be a secret, and every parameter on which no path depends, is a symbol.
import { any, anyFlags, chosen, key, state } from "../kernel.mjs";
import { halves, minus, plus, scaled, sum, variable } from "../machine/ranges.mjs";
import { byteOf, bytesOf } from "../machine/terms.mjs";
import * as spec from "../specification.mjs";
import { bytesOfWords, littleEndian, padded, range, wordsOf } from "../specification.mjs";

export const [LAST_NODE, PARALLEL, EXTENDABLE] = [1, 2, 4];

/**
 * Common to all: words of `w` bits; `prefix` bytes of key wait at first; after any part, from `least` to `most` bytes wait, in a buffer
 * of `buffer` bytes; `words` are in the chaining value, or those of all leaves; `counters` are the ranges of countersOf.
 */
const algorithm = (own) => {
  const { w, size = 2 * w, most = size } = own;
  const all = {
    size,
    most,
    step: 2 * w,
    leaves: 1,
    prefix: 0,
    buffer: size,
    words: 8,
    outputs: [w],
    more: () => [],
    ...own,
  };
  return {
    least: most - size + 1,
    initial: () => padded(all.key(), all.prefix),
    ...all,
    stateSize: 32 + (all.words * w) / 8 + all.buffer + all.more().length,
  };
};

const multiples = (count, bits) => range(0, count).map((n) => BigInt(n) << bits);

// ---- BLAKE: the initial value and the last bit of the padding are the algorithm's; the salt is treated as a secret ----

function blake1(module, w, counters) {
  const lastBit = () => byteOf(anyFlags(), 0);
  const parted = (chain) => [chain.slice(0, 8), chain.slice(8)];
  return algorithm({
    module,
    w,
    counters,
    most: 2 * w - 1,
    words: 12,
    key: () => [],
    flags: () => bytesOf(anyFlags(), 4),
    parameters: () => [...chosen(w), ...key(w / 2), ...bytesOf(anyFlags(), 4)],
    start: () => [...spec.bigEndianWords(chosen(w), w), ...spec.bigEndianWords(key(w / 2), w)],
    compress(chain, block, t) {
      const [h, salt] = parted(chain);
      return [...spec.blocks1(w, salt).compress(h, block, t), ...salt];
    },
    finish: (chain, rest, t) => spec.finish1(w, ...parted(chain), rest, t, lastBit()),
    digest: (message) => spec.blake1(w, chosen(w), key(w / 2), lastBit(), message),
  });
}

// ---- BLAKE2: every byte of the parameter block is any but the length of the key, on which the path depends, and those of `fixed` ----

function blake2(module, w, keyLength, flags, fixed, own) {
  const block = () => chosen(w).map((byte, i) => (i === 1 ? keyLength : (fixed[i] ?? byte)));
  return algorithm({
    module,
    w,
    counters: { range: BigInt(w), high: BigInt(w), highs: BigInt(w) },
    prefix: keyLength > 0 ? 2 * w : 0,
    key: () => key(keyLength),
    flags: () => littleEndian(flags, 4),
    block,
    parameters: () => [...block(), ...padded(key(keyLength), w), ...littleEndian(flags, 4)],
    start: () => spec.start2(w, block()),
    ...spec.blocks2(w),
    ...own(block),
  });
}

export const message2 = (module, w, keyLength, flags) =>
  blake2(module, w, keyLength, flags, {}, (block) => ({
    finish: (chain, rest, t) => spec.finish2(w, chain, rest, t, flags & LAST_NODE),
    digest: (message) => spec.blake2(w, block(), key(keyLength), message, flags & LAST_NODE),
  }));

/** Of `total` bytes of output, of unknown length, or of any length: an output takes another path for each. */
export function extendable(module, w, keyLength, total) {
  const lengthSize = w / 16;
  const length = total === "any" ? [] : littleEndian(total ?? 256 ** lengthSize - 1, lengthSize);
  const zeros = range(8, 12).map((i) => [i, 0]);
  const fixed = Object.fromEntries([...zeros, ...length.map((byte, i) => [12 + i, byte])]);
  return blake2(module, w, keyLength, EXTENDABLE, fixed, (block) => ({
    extendable: true,
    total,
    outputs: [w / 2, 65, 300],
    more: block,
    finish: (chain, rest, t, wanted) => spec.output2(w, block(), spec.finish2(w, chain, rest, t), wanted),
    digest: (message, wanted) => spec.blake2x(w, block(), key(keyLength), message, wanted),
  }));
}

/** The chaining value is that of the root and those of the leaves; the kernel sets the fields of each node that differ. */
export function tree(module, w, keyLength) {
  const leaves = spec.leavesOf(w);
  const size = 2 * w * leaves;
  const each = range(0, leaves);
  const fixed = Object.fromEntries((w === 64 ? range(8, 17) : range(8, 15)).map((i) => [i, 0]));
  const parted = (chain) => each.map((leaf) => chain.slice(8 + 8 * leaf, 16 + 8 * leaf));
  const blockOf = (part, leaf) => part.slice(2 * w * leaf, 2 * w * (leaf + 1));
  return blake2(module, w, keyLength, PARALLEL, fixed, (block) => ({
    leaves,
    size,
    // With more, each leaf has a byte after its first waiting block.
    most: 2 * size - 2 * w,
    buffer: 2 * size,
    words: 8 * (1 + leaves),
    // The kernel computes a carry of four counters from their sign.
    counters:
      w === 64
        ? { range: 62n, starts: multiples(4, 62n), high: 64n, highs: 62n }
        : { range: 31n, starts: multiples(8, 61n).flatMap((n) => [n, n + 2n ** 31n]), high: 32n, highs: 29n },
    prefix: keyLength > 0 ? size : 0,
    initial: () => (keyLength > 0 ? each.flatMap(() => padded(key(keyLength), 2 * w)) : []),
    start: () => [
      ...spec.start2(w, spec.nodeBlock(w, block(), 0, 1)),
      ...each.flatMap((leaf) => spec.start2(w, spec.nodeBlock(w, block(), leaf, 0))),
    ],
    compress: (chain, part, t) => [
      ...chain.slice(0, 8),
      ...parted(chain).flatMap((h, leaf) => spec.blocks2(w).compress(h, blockOf(part, leaf), t)),
    ],
    finish(chain, rest, t) {
      const value = (h, leaf) => spec.finish2(w, h, spec.leafMessage(w, rest, leaf), t, leaf === leaves - 1);
      return spec.finish2(w, chain.slice(0, 8), parted(chain).flatMap(value), spec.ZERO, true);
    },
    digest: (message) => spec.blake2p(w, block(), key(keyLength), message),
  }));
}

export const algorithms = {
  "BLAKE-224, BLAKE-256": blake1("blake256", 32, { range: 29n, high: 29n, highs: 32n }),
  "BLAKE-384, BLAKE-512": blake1("blake512", 64, { range: 61n, starts: multiples(8, 61n), high: 64n, highs: 61n }),
  BLAKE2b: message2("blake2b", 64, 0, 0),
  "BLAKE2b keyed, last node": message2("blake2b", 64, 64, LAST_NODE),
  BLAKE2s: message2("blake2s", 32, 0, 0),
  "BLAKE2s keyed, last node": message2("blake2s", 32, 32, LAST_NODE),
  BLAKE2bp: tree("blake2b-lanes", 64, 0),
  "BLAKE2bp keyed": tree("blake2b-lanes", 64, 64),
  BLAKE2sp: tree("blake2s-lanes", 32, 0),
  "BLAKE2sp keyed": tree("blake2s-lanes", 32, 32),
  BLAKE2Xb: extendable("blake2b-lanes", 64, 0, 300),
  "BLAKE2Xb keyed, of unknown length": extendable("blake2b-lanes", 64, 64),
  BLAKE2Xs: extendable("blake2s-lanes", 32, 0, 300),
  "BLAKE2Xs keyed, of unknown length": extendable("blake2s-lanes", 32, 32),
};

/** Makes proofs of an algorithm: each takes it, and a case. */
export const proofsOf = (name, of) => (what, prove, cases, sizes) => ({
  module: of.module,
  name,
  what,
  prove: (kernel, one) => prove(kernel, of, one),
  cases,
  sizes,
});

// ---- states ----

/** A chaining value and waiting bytes that may be any. */
export const anyChain = ({ w, words }, from = 0) => wordsOf(state((words * w) / 8, from), w);
export const anyWaiting = (length) => state(length, 1000);

/** The state of a message of which a chaining value, all of one if there are leaves, has `t` bytes. */
export function stateOf(of, chain, t, waiting) {
  const count = plus(scaled(t, BigInt(of.leaves)), sum(waiting.length - of.prefix));
  return [
    ...[of.stateSize, waiting.length, of.prefix].flatMap((n) => littleEndian(n, 4)),
    ...of.flags(),
    ...halves(64, count).flatMap((half) => bytesOf(half, 8)),
    ...bytesOfWords(chain, of.w),
    ...waiting,
    ...any(of.buffer - waiting.length),
    ...of.more(),
  ];
}

/** Puts it where it is: bytes that no one reads are what earlier calls have left. */
export function placeState(kernel, at, bytes, { more }) {
  const rest = bytes.length - more().length;
  kernel.place(
    at,
    bytes.slice(0, rest).filter((byte) => byte !== undefined),
  );
  kernel.place(at + rest, bytes.slice(rest));
}

// ---- counters ----

/** More parts than a call of a given number of parts compresses. */
const NEAR = 6;

/**
 * How many bytes a chaining value may have after at least one part: any from one of `starts` to 2^range bytes after it, where a word of
 * some counter is full, and beyond that any multiple of 2^high bytes, of which there are 2^highs. With a range to its end, and with calls that
 * come close to it or reach it in any part. (A counter of BLAKE counts bits, and a tree's state the bytes of all leaves.)
 */
export function countersOf({ step, counters: { range: bits, starts = [0n], high, highs } }) {
  const blocks = 2n ** bits / BigInt(step) - 2n ** 12n;
  const anyBytes = () => scaled(plus(variable("blocks", blocks), sum(1)), BigInt(step));
  const anyHigh = () => scaled(variable("high words of counters", 2n ** highs - 2n), 2n ** high);
  return starts.flatMap((start) => {
    const counter = (bytes) => plus(plus(sum(start), anyHigh()), bytes);
    const below = (blocks) => counter(minus(sum(2n ** bits), scaled(blocks, BigInt(step))));
    const last = range(0, NEAR).map((n) => ({
      name: `${n} before the end from ${start} on`,
      isEnd: true,
      of: () => below(sum(n)),
    }));
    const near = () => below(plus(variable("blocks near an end", 2n ** 12n), sum(NEAR)));
    return [
      { name: `any from ${start} on`, of: () => counter(anyBytes()) },
      { name: `any near the end from ${start} on`, isEnd: true, of: near },
      ...last,
    ];
  });
}
