// BLAKE, BLAKE2, BLAKE2X, BLAKE2bp and BLAKE2sp as the table of proofs sees them. A state stands for a message if it
// has its length, the chaining value of the parts that are compressed, and the bytes after them. The algorithms differ
// in what a chaining value is, in what compresses a part of `size` bytes, a block or one for each leaf, in how many
// bytes may wait, and in what ends a message. Everything that could be a secret, and every parameter on which no path
// depends, is a symbol.
import { any, anyFlags, chosen, key, state } from "../kernel.mjs";
import { byteOf, bytesOf } from "../machine/terms.mjs";
import * as spec from "../specification.mjs";
import { absorb, after, bytesOfWords, halves, littleEndian, padded, range, wordsOf, ZERO } from "../specification.mjs";

export const [LAST_NODE, PARALLEL, EXTENDABLE] = [1, 2, 4];

/**
 * Common to all: words of `w` bits; `prefix` bytes of key wait at first; after any part, from `least` to `most` bytes
 * wait, in a buffer of `buffer` bytes; `words` are in the chaining value, or those of all leaves; `counters` say where
 * they are full: countersOf.
 */
function algorithm(own) {
  const { w, size = 2 * w, most = size } = own;
  const of = {
    size,
    most,
    step: 2 * w,
    leaves: 1,
    prefix: 0,
    buffer: size,
    words: 8,
    outputs: [w],
    more: () => [],
    least: most - size + 1,
    initial: () => padded(of.key(), of.prefix),
    // After no part, less may wait than after others.
    isState: ({ counter, rest }) => rest >= (counter ? of.least : of.prefix),
    isPiece: ({ parts, end, ...one }) =>
      of.isState(one) &&
      parts * size + end >= one.rest &&
      (end >= of.least || (parts === 0 && one.counter === undefined)),
    isMessage: ({ parts, end }) => (parts === 0 || end >= of.least) && parts * size + end >= of.prefix,
    empty: () => stateOf(of, { chain: of.start(), t: ZERO, rest: of.initial() }),
    /** Any state with so many waiting bytes: after no part, or after as many as a counter says. */
    any({ counter, rest }) {
      const chain = wordsOf(state((of.words * w) / 8), w);
      const before = { chain, t: counter?.bytes ?? ZERO, rest: state(rest, 1000) };
      return { ...before, bytes: stateOf(of, before) };
    },
    after: ({ chain, t, rest }, input) => stateOf(of, absorb(of, chain, t, [...rest, ...input])),
    output: ({ chain, t, rest }, length) => of.finish(chain, rest, t, length),
    ...own,
  };
  of.stateSize = 32 + (of.words * w) / 8 + of.buffer + of.more().length;
  of.beyondInput = of.size;
  return of;
}

/** The bytes of a state whose chaining value, all of one if there are leaves, has `t` bytes. */
const stateOf = (of, { chain, t, rest }) => [
  ...[of.stateSize, rest.length, of.prefix].flatMap((n) => littleEndian(n, 4)),
  ...of.flags(),
  ...halves(64, after(t * BigInt(of.leaves), rest.length - of.prefix)).flatMap((half) => bytesOf(half, 8)),
  ...bytesOfWords(chain, of.w),
  ...rest,
  ...any(of.buffer - rest.length),
  ...of.more(),
];

const multiples = (count, bits) => range(0, count).map((n) => BigInt(n) << bits);

// ---- BLAKE ----

// The initial value and the last bit of the padding are the algorithm's; the salt is treated as a secret.

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

// ---- BLAKE2 ----

// Every byte of the parameter block is any but the length of the key, on which the path depends, and those of `fixed`.

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

/**
 * Of `total` bytes of output, of unknown length, or of any length: an output takes another path for each. What squeeze
 * reads is a seed in a block of its own, and the parameter block of the output with a 0 for what changes.
 */
export function extendable(module, w, keyLength, total) {
  const lengthSize = w / 16;
  const length = total === "any" ? [] : littleEndian(total ?? 256 ** lengthSize - 1, lengthSize);
  const zeros = range(8, 12).map((i) => [i, 0]);
  const fixed = Object.fromEntries([...zeros, ...length.map((byte, i) => [12 + i, byte])]);
  return blake2(module, w, keyLength, EXTENDABLE, fixed, (block) => {
    const source = (seed) => {
      const own = [0, 0, 0, 0, ...littleEndian(w, 4), 0, 0, 0, 0, ...block().slice(12)];
      return [...padded(seed, 2 * w), ...own.toSpliced(w === 64 ? 16 : 14, 2, 0, w)];
    };
    return {
      total,
      outputs: [w / 2, 65, 300],
      more: block,
      finish: (chain, rest, t, wanted) => spec.output2(w, block(), spec.finish2(w, chain, rest, t), wanted),
      digest: (message, wanted) => spec.blake2x(w, block(), key(keyLength), message, wanted),
      root: ({ chain, t, rest }) => source(spec.finish2(w, chain, rest, t)),
      /** Bytes from `skip` on, behind a number of blocks of output. */
      squeeze({ blocks, skip, length }) {
        const seed = state(w, 1000);
        const from = blocks * w + skip;
        return { source: source(seed), from: BigInt(from), bytes: spec.output2(w, block(), seed, length, from) };
      },
    };
  });
}

/**
 * The chaining value is that of the root and those of the leaves; the kernel sets the fields of each node that differ.
 */
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

// ---- counters ----

/** More parts than a call of a given number of parts compresses. */
const NEAR = 6;
/** Bits for high words, in no order. */
const MIXED = 0xb5a9_6c3d_5e71_9f24n;

/**
 * How many bytes a chaining value may have after at least one part. A word of some counter is full after 2^range bytes
 * from one of `starts` on: so many that it is not, and so many that a call comes close to it or reaches it in any part.
 * High words have 2^high bytes, and there are 2^highs of them. (A counter of BLAKE counts bits, and a tree's state the
 * bytes of all leaves.)
 */
export function countersOf({ step, counters: { range: bits, starts = [0n], high, highs } }) {
  const block = BigInt(step);
  return starts.flatMap((start) => {
    const first = start + ((MIXED % (2n ** highs - 1n)) << high);
    const full = first + 2n ** bits;
    return [
      { name: `some from ${start} on`, bytes: first + ((MIXED % (2n ** bits / block - 1n)) + 1n) * block },
      ...range(0, NEAR).map((n) => ({ name: `${n} before the end from ${start} on`, bytes: full - BigInt(n) * block })),
    ];
  });
}
