// BLAKE-224 to BLAKE-512. A state stands for a message if it has its length, the chaining value of its whole blocks, and the bytes
// after them: init makes the state of the empty message, update that of a longer one, and finalize gives its digest.
import { countBytes } from "./blake2.mjs";
import { any, anyFlags, areas, chosen, key, message, state } from "./kernel.mjs";
import { range, some } from "./ranges.mjs";
import {
  after,
  bigEndianWords,
  blake1,
  bytesOfWords,
  compress1,
  finish1,
  inBits,
  littleEndian,
  wordsOf,
} from "./specification.mjs";
import { byteOf, bytesOf } from "./terms.mjs";

const { STATE, ONESHOT, INPUT, OUTPUT } = areas;

export const modes = {
  "BLAKE-224, BLAKE-256": { module: "blake256", w: 32 },
  "BLAKE-384, BLAKE-512": { module: "blake512", w: 64 },
};

// The initial value and the last bit of the padding are the algorithm's; the salt is treated as a secret.
export const parameters = ({ w }) => [...chosen(w), ...key(w / 2), ...bytesOf(anyFlags(), 4)];
export const lastBit = () => byteOf(anyFlags(), 0);

/** The state after `count` bytes: chaining value and salt as words, and the bytes that wait. */
export const stateOf = ({ w }, count, chain, salt, waiting) => {
  const size = 32 + w + w / 2 + 2 * w;
  const head = [...[size, waiting.length, 0].flatMap((n) => littleEndian(n, 4)), ...bytesOf(anyFlags(), 4)];
  const words = [...chain, ...salt];
  return [...head, ...countBytes(count), ...bytesOfWords(words, w), ...waiting, ...any(2 * w - waiting.length)];
};

/** Any state with a given number of buffered bytes, after any whole blocks. */
export const anyState = (mode, count, buffered) => {
  const { w } = mode;
  const [chain, salt, waiting] = [wordsOf(state(w), w), wordsOf(state(w / 2, 500), w), state(buffered, 1000)];
  return { chain, salt, waiting, bytes: stateOf(mode, count, chain, salt, waiting).filter((b) => b !== undefined) };
};

function proveHash(kernel, mode, _, length) {
  const { w } = mode;
  const input = message(length);
  kernel.begin(parameters(mode));
  kernel.place(INPUT, input);
  const digest = blake1(w, chosen(w), key(w / 2), lastBit(), input);
  const scratch = [[INPUT + length, INPUT + length + 2 * w]];
  kernel.call("hash", [length, digest.length], {
    leaves: [
      [OUTPUT, digest],
      [INPUT, new Array(length).fill(0)],
    ],
    scratch,
  });
}

function proveInit(kernel, mode, at) {
  const { w } = mode;
  kernel.begin(parameters(mode));
  const [chain, salt] = [bigEndianWords(chosen(w), w), bigEndianWords(key(w / 2), w)];
  kernel.call("init", [at], { leaves: [[at, stateOf(mode, 0n, chain, salt, [])]] });
}

/** Whole blocks of `data` after `t` bytes: the chaining value, and the rest. */
export function absorb(w, start, salt, t, data) {
  let [h, rest, end] = [start, data, t];
  for (; rest.length >= 2 * w; rest = rest.slice(2 * w)) {
    end = after(end, 2 * w);
    h = compress1(w, h, salt, rest.slice(0, 2 * w), inBits(end));
  }
  return [h, rest];
}

function proveUpdate(kernel, mode, at, whole, buffered, length) {
  const { w } = mode;
  const before = anyState(mode, after(whole, buffered), buffered);
  const input = message(length);
  kernel.begin();
  kernel.place(at, before.bytes);
  kernel.place(INPUT, input);
  const [chain, rest] = absorb(w, before.chain, before.salt, whole, [...before.waiting, ...input]);
  const longer = stateOf(mode, after(whole, buffered + length), chain, before.salt, rest);
  kernel.call("update", [at, INPUT, length], { leaves: [[at, longer]], what: `${buffered} waiting after ${whole}` });
}

export function proveFinalize(kernel, mode, at, whole, buffered) {
  const { w } = mode;
  const before = anyState(mode, after(whole, buffered), buffered);
  kernel.begin();
  kernel.place(at, before.bytes);
  const digest = finish1(w, before.chain, before.salt, before.waiting, whole, lastBit());
  const leaves = [
    [at, before.bytes],
    [OUTPUT, digest],
  ];
  kernel.call("finalize", [at, digest.length], { leaves, what: `${buffered} waiting after ${whole}` });
}

/** Counters of bytes before and after which a word of the counter of bits is full. */
const edges = (w) => [2n ** 29n, 2n ** 32n, 2n ** 53n, 2n ** 61n].flatMap((n) => [n - BigInt(2 * w), n]);
const place = (i) => (i % 2 ? ONESHOT : STATE);

/** Pieces of up to two blocks after so many waiting bytes: all, or those around the places where blocks end. */
const pieces = (size, b, isFull) =>
  isFull ? range(0, 2 * size + 2) : [...new Set([0, 1, size - b - 1, size - b, size - b + 1, 2 * size + 1])];

function updates({ w }, isFull) {
  const size = 2 * w;
  const early = range(0, size).flatMap((b) => pieces(size, b, isFull).map((n) => [0n, b, n]));
  const late = edges(w).flatMap((whole) =>
    range(0, size)
      .filter((b) => b % (isFull ? 16 : 64) < 2)
      .flatMap((b) => [1, size - b, 2 * size + 1].map((n) => [whole, b, n])),
  );
  return [...early, ...late];
}

function finals({ w }, isFull) {
  const all = [0n, ...edges(w)].flatMap((whole) => range(0, 2 * w).map((b) => [whole, b]));
  return isFull ? all : all.filter(([whole, b]) => whole === 0n || b % 64 < 2);
}

/** Of a `hash`: loops.mjs proves the longer ones. */
const lengths = (size, isFull) => (isFull ? range(0, 4 * size + 1) : [...range(0, size + 18), 2 * size, 2 * size + 1]);

export function* proofs(isFull) {
  for (const [name, mode] of Object.entries(modes)) {
    const { module, w } = mode;
    const of = (what, prove, list) => [
      module,
      name,
      what,
      list.map((args, i) => (kernel) => prove(kernel, mode, place(i), ...args)),
    ];
    yield of(
      "hash",
      proveHash,
      lengths(2 * w, isFull).map((n) => [n]),
    );
    yield of("finalize", proveFinalize, finals(mode, isFull));
    yield of("init", proveInit, [[], []]);
    yield of("update", proveUpdate, some(updates(mode, isFull), 5, isFull));
  }
}
