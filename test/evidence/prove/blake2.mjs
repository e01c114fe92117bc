// BLAKE2b and BLAKE2s. A state stands for a message if it has its length, the chaining value of the blocks that others follow, and
// the bytes after them, up to a whole block: init makes the state of the empty message, update that of a longer one, and finalize
// gives its digest. A key is a block before the message, which the length does not count.
import { any, areas, chosen, key, message, state } from "./kernel.mjs";
import { range, some } from "./ranges.mjs";
import {
  after,
  blake2,
  bytesOfWords,
  compress2,
  finish2,
  littleEndian,
  padded,
  start2,
  wordsOf,
} from "./specification.mjs";

const { STATE, ONESHOT, INPUT, OUTPUT } = areas;
export const LAST_NODE = 1;

/** Every byte of the parameter block is any but the length of the key, on which the path depends, and those of `fixed`. */
export function blake2Mode(module, w, keyLength, flags, fixed = {}) {
  const block = () => chosen(w).map((byte, i) => (i === 1 ? keyLength : (fixed[i] ?? byte)));
  const prefix = keyLength > 0 ? 2 * w : 0;
  return { module, w, flags, prefix, block, key: () => key(keyLength), size: 32 + w + 2 * w };
}

const modes = {
  BLAKE2b: blake2Mode("blake2b", 64, 0, 0),
  "BLAKE2b keyed, last node": blake2Mode("blake2b", 64, 64, LAST_NODE),
  BLAKE2s: blake2Mode("blake2s", 32, 0, 0),
  "BLAKE2s keyed, last node": blake2Mode("blake2s", 32, 32, LAST_NODE),
};

export const parameters = ({ w, flags, ...mode }) => [
  ...mode.block(),
  ...padded(mode.key(), w),
  ...littleEndian(flags, 4),
];

export const countBytes = (count) => count.bytes ?? littleEndian(count, 16);

export const head = ({ size, prefix, flags }, count, buffered) => [
  ...[size, buffered, prefix, flags].flatMap((n) => littleEndian(n, 4)),
  ...countBytes(count),
];

export const stateOf = (mode, count, chain, waiting) => [
  ...head(mode, count, waiting.length),
  ...bytesOfWords(chain, mode.w),
  ...waiting,
  ...any(2 * mode.w - waiting.length),
];

export const anyChain = (w, from = 0) => wordsOf(state(w, from), w);
const anyWaiting = (n) => state(n, 1000);

/** Blocks of `data` that others follow, after `t` bytes: the chaining value, and the rest. */
export function absorb(w, start, t, data) {
  let [h, rest, end] = [start, data, t];
  for (; rest.length > 2 * w; rest = rest.slice(2 * w)) {
    end = after(end, 2 * w);
    h = compress2(w, h, rest.slice(0, 2 * w), end.words ?? end, false, false);
  }
  return [h, rest];
}

function proveHash(kernel, mode, _, length) {
  const { w, flags } = mode;
  const input = message(length);
  kernel.begin(parameters(mode));
  kernel.place(INPUT, input);
  const digest = blake2(w, mode.block(), mode.key(), input, flags & LAST_NODE);
  const scratch = [[INPUT + length, INPUT + length + 2 * w]];
  kernel.call("hash", [length, w], {
    leaves: [
      [OUTPUT, digest],
      [INPUT, new Array(length).fill(0)],
    ],
    scratch,
  });
}

export function proveInit(kernel, mode, at) {
  const { w, prefix } = mode;
  kernel.begin(parameters(mode));
  const waiting = padded(mode.key(), prefix);
  kernel.call("init", [at], {
    leaves: [[at, [...stateOf(mode, 0n, start2(w, mode.block()), waiting), ...(mode.more?.() ?? [])]]],
  });
}

/** `whole` bytes of the message and the key are compressed. */
export function proveUpdate(kernel, mode, at, whole, buffered, length) {
  const { w, prefix } = mode;
  const [chain, waiting, input] = [anyChain(w), anyWaiting(buffered), message(length)];
  const count = after(whole, buffered - prefix);
  const more = mode.more?.() ?? [];
  kernel.begin();
  kernel.place(
    at,
    [...stateOf(mode, count, chain, waiting), ...more].filter((byte) => byte !== undefined),
  );
  if (more.length > 0) kernel.place(at + mode.size - more.length, more);
  kernel.place(INPUT, input);
  const [h, rest] = absorb(w, chain, whole, [...waiting, ...input]);
  const longer = [...stateOf(mode, after(count, length), h, rest), ...more];
  kernel.call("update", [at, INPUT, length], { leaves: [[at, longer]], what: `${buffered} waiting after ${whole}` });
}

export function proveFinalize(kernel, mode, at, whole, buffered) {
  const { w, prefix, flags } = mode;
  const [chain, waiting] = [anyChain(w), anyWaiting(buffered)];
  const before = stateOf(mode, after(whole, buffered - prefix), chain, waiting).filter((byte) => byte !== undefined);
  kernel.begin();
  kernel.place(at, before);
  const digest = bytesOfWords(finish2(w, chain, waiting, whole, flags & LAST_NODE), w);
  kernel.call("finalize", [at, w], {
    leaves: [
      [at, before],
      [OUTPUT, digest],
    ],
    what: `${buffered} waiting after ${whole}`,
  });
}

/** Compressed bytes around those counters where the next block, or the one after it, carries. */
export const edges = (w) =>
  [2n ** 32n, 2n ** 53n, 2n ** 64n]
    .filter((n) => n < 2n ** BigInt(2 * w))
    .flatMap((n) => [n - BigInt(4 * w), n - BigInt(2 * w), n]);

/** How many bytes may wait after so many that are compressed: none only before the first. */
const waitings = ({ w, prefix }, whole) =>
  range(whole === 0n && prefix === 0 ? 0 : 1, 2 * w + 1).filter((b) => whole > 0n || b >= prefix);

function updates(mode, isFull) {
  const size = 2 * mode.w;
  const pieces = (b, isEach) =>
    isEach ? range(0, 2 * size + 2) : [...new Set([0, 1, size - b, size - b + 1, 2 * size - b + 1, 2 * size + 1])];
  const wholes = [0n, BigInt(size)];
  // Whether anything is compressed before is a matter of the counter.
  const early = wholes.flatMap((whole) =>
    waitings(mode, whole).flatMap((b) => pieces(b, isFull && whole === 0n).map((n) => [whole, b, n])),
  );
  const late = edges(mode.w).flatMap((whole) =>
    waitings(mode, whole)
      .filter((b) => b % (isFull ? 16 : 64) < 2)
      .flatMap((b) => [1, size - b + 1, 2 * size + 1].map((n) => [whole, b, n])),
  );
  return [...early, ...late];
}

const finals = (mode, isFull) =>
  [0n, BigInt(2 * mode.w), ...edges(mode.w)].flatMap((whole, i) =>
    waitings(mode, whole)
      .filter((b) => isFull || i < 2 || b % 64 < 2)
      .map((b) => [whole, b]),
  );

const place = (i) => (i % 2 ? ONESHOT : STATE);
export const casesOf = (mode, prove, list) => list.map((args, i) => (kernel) => prove(kernel, mode, place(i), ...args));

/** Of a `hash`: loops.mjs proves the longer ones. */
const lengths = (size, isFull) => (isFull ? range(0, 4 * size + 1) : [...range(0, size + 18), 2 * size, 2 * size + 1]);

export function* proofs(isFull) {
  for (const [name, mode] of Object.entries(modes)) {
    const { module, w } = mode;
    yield [
      module,
      name,
      "hash",
      casesOf(
        mode,
        proveHash,
        lengths(2 * w, isFull).map((n) => [n]),
      ),
    ];
    yield [module, name, "init", casesOf(mode, proveInit, [[], []])];
    yield [module, name, "update", casesOf(mode, proveUpdate, some(updates(mode, isFull), 5, isFull))];
    yield [module, name, "finalize", casesOf(mode, proveFinalize, finals(mode, isFull))];
  }
  // A key of any length: the zeros after it are the caller's.
  for (const [module, w] of [
    ["blake2b", 64],
    ["blake2s", 32],
  ]) {
    const keys = range(1, w + 1).map((n) => blake2Mode(module, w, n, 0));
    yield [
      module,
      module,
      "keys",
      keys.flatMap((mode) => [
        (kernel) => proveInit(kernel, mode, STATE),
        (kernel) => proveHash(kernel, mode, STATE, 1),
      ]),
    ];
  }
}
