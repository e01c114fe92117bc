// BLAKE2bp, BLAKE2sp, BLAKE2Xb and BLAKE2Xs, and BLAKE2s's messages side by side. A state of a tree stands for a message if its leaves
// have the chaining values of their blocks in whole stripes, a block for each leaf, and the bytes after them wait; that of an
// extendable output is one of BLAKE2, with the parameter block for the output.
import {
  anyChain,
  blake2Mode,
  casesOf,
  edges,
  head,
  LAST_NODE,
  parameters,
  proveInit,
  proveUpdate,
} from "./blake2.mjs";
import { any, areas, message, state } from "./kernel.mjs";
import { around, range, some } from "./ranges.mjs";
import * as spec from "./specification.mjs";
import { after, bytesOfWords, compress2, leavesOf, littleEndian, nodeBlock, padded, start2 } from "./specification.mjs";

const { ONESHOT, ROOT, WORKERS, WORKERS_SIZE, JOBS, JOBS_SIZE, OUTPUT, INPUT, INPUT_SIZE } = areas;
const [PARALLEL, EXTENDABLE] = [2, 4];
export const KINDS = [
  ["blake2b-lanes", 64],
  ["blake2s-lanes", 32],
];

// ---- BLAKE2bp and BLAKE2sp ----

export function treeMode(module, w, keyLength) {
  const offsets = w === 64 ? range(8, 17) : range(8, 15); // of the fields that the kernel sets for each node
  const mode = blake2Mode(module, w, keyLength, PARALLEL, Object.fromEntries(offsets.map((i) => [i, 0])));
  const leaves = leavesOf(w);
  const stripe = leaves * 2 * w;
  return { ...mode, leaves, stripe, prefix: keyLength > 0 ? stripe : 0, size: 32 + w * (1 + leaves) + 2 * stripe };
}
/** With more than this waiting, each leaf has a byte after its first waiting block. */
export const most = ({ stripe, w }) => 2 * stripe - 2 * w;

export const treeState = (mode, count, root, chains, waiting) => [
  ...head(mode, count, waiting.length),
  ...bytesOfWords([...root, ...chains.flat()], mode.w),
  ...waiting,
  ...any(2 * mode.stripe - waiting.length),
];
export const rootOf = ({ w, block }) => start2(w, nodeBlock(w, block(), 0, 1));
export const leafStart =
  ({ w, block }) =>
  (leaf) =>
    start2(w, nodeBlock(w, block(), leaf, 0));
export const keyStripe = ({ w, leaves, prefix, key }) =>
  prefix ? range(0, leaves).flatMap(() => padded(key(), 2 * w)) : [];
export const defined = (bytes) => bytes.filter((byte) => byte !== undefined);

function proveTreeInit(kernel, mode, at) {
  kernel.begin(parameters(mode));
  const chains = range(0, mode.leaves).map(leafStart(mode));
  kernel.call("init", [at], { leaves: [[at, treeState(mode, 0n, rootOf(mode), chains, keyStripe(mode))]] });
}

/** A stripe, of which each leaf takes a block, after which it has `t` bytes. */
export const compressStripe = ({ w }, chains, stripe, t) =>
  chains.map((h, leaf) => compress2(w, h, stripe.slice(leaf * 2 * w, (leaf + 1) * 2 * w), t.words ?? t, false, false));

/** Stripes of `data` that others follow, after `t` bytes of each leaf: the chaining values, the rest, and the bytes of each leaf. */
export function absorbStripes(mode, start, t, data) {
  let [chains, rest, end] = [start, data, t];
  for (; rest.length > most(mode); rest = rest.slice(mode.stripe)) {
    end = after(end, 2 * mode.w);
    chains = compressStripe(mode, chains, rest.slice(0, mode.stripe), end);
  }
  return [chains, rest, end];
}

/** The digest of what waits after `t` bytes of each leaf. */
export function finishLeaves({ w, leaves }, root, chains, rest, t) {
  const values = chains.flatMap((h, leaf) =>
    bytesOfWords(spec.finish2(w, h, spec.leafMessage(w, rest, leaf), t, leaf === leaves - 1), w),
  );
  return bytesOfWords(spec.finish2(w, root, values, 0n, true), w);
}

/** Whole stripes, `whole` bytes of message and key, are compressed. */
function proveTreeUpdate(kernel, mode, at, whole, buffered, length) {
  const { w, leaves, prefix } = mode;
  const root = anyChain(w, 4000);
  const chains = range(0, leaves).map((leaf) => anyChain(w, w * leaf));
  const [waiting, input] = [state(buffered, 1000), message(length)];
  const count = whole + BigInt(buffered - prefix);
  kernel.begin();
  kernel.place(at, defined(treeState(mode, count, root, chains, waiting)));
  kernel.place(INPUT, input);
  const [ends, rest] = absorbStripes(mode, chains, whole / BigInt(leaves), [...waiting, ...input]);
  const longer = treeState(mode, count + BigInt(length), root, ends, rest);
  kernel.call("update", [at, INPUT, length], { leaves: [[at, longer]], what: `${buffered} waiting after ${whole}` });
}

function proveTreeFinalize(kernel, mode, at, whole, buffered) {
  const { w, leaves, prefix } = mode;
  const root = anyChain(w, 4000);
  const chains = range(0, leaves).map((leaf) => anyChain(w, w * leaf));
  const waiting = state(buffered, 1000);
  const before = defined(treeState(mode, whole + BigInt(buffered - prefix), root, chains, waiting));
  kernel.begin();
  kernel.place(at, before);
  const digest = finishLeaves(mode, root, chains, waiting, whole / BigInt(leaves));
  kernel.call("finalize", [at, w], {
    leaves: [
      [at, before],
      [OUTPUT, digest],
    ],
    what: `${buffered} waiting after ${whole}`,
  });
}

export const hashScratch = (length, w) => [
  [ONESHOT, ONESHOT + 0x1000],
  [INPUT + length, INPUT + length + 2 * w],
];

function proveTreeHash(kernel, mode, length) {
  const input = message(length);
  kernel.begin(parameters(mode));
  kernel.place(INPUT, input);
  const digest = spec.blake2p(mode.w, mode.block(), mode.key(), input);
  const leaves = [
    [OUTPUT, digest],
    [INPUT, new Array(length).fill(0)],
  ];
  kernel.call("hash", [length, mode.w], { leaves, scratch: hashScratch(length, mode.w) });
}

function* treeProofs(isFull) {
  for (const [module, w] of KINDS) {
    for (const keyLength of [0, w]) {
      const name = `BLAKE2${w === 64 ? "bp" : "sp"}${keyLength ? " keyed" : ""}`;
      const mode = treeMode(module, w, keyLength);
      const { stripe, prefix } = mode;
      const max = most(mode);
      // loops.mjs proves the longer ones, here and below.
      const lengths = isFull
        ? range(0, max + stripe + 1)
        : [...range(0, 18).map((n) => n * w), ...around(stripe, max, 2 * stripe, 3 * stripe)];
      yield [module, name, "hash", lengths.map((n) => (kernel) => proveTreeHash(kernel, mode, n))];
      yield [module, name, "init", casesOf(mode, proveTreeInit, [[], []])];
      // After the first stripes as few bytes wait as leave the last two blocks of each leaf open.
      const waiting = (whole) => range(whole === 0n ? prefix : max - stripe + 1, max + 1);
      const lates = edges(w).map((n) => n * BigInt(mode.leaves));
      const wholes = [0n, BigInt(stripe), ...(isFull ? lates : lates.slice(1, 3))];
      const step = isFull ? 8 : 64;
      const pieces = (b) => [0, 1, max - b, max - b + 1, max - b + stripe, max - b + stripe + 1, 2 * stripe + 1];
      const updates = wholes.flatMap((whole, i) =>
        waiting(whole)
          .filter((b) => (i === 0 ? (isFull && keyLength === 0) || b % 32 < 2 : b % step < 2))
          .flatMap((b) =>
            [...new Set(pieces(b))]
              .filter((n) => isFull || (n + b) % 3 === 0 || b % 64 === 1)
              .map((n) => [whole, b, n]),
          ),
      );
      yield [module, name, "update", casesOf(mode, proveTreeUpdate, some(updates, 3, isFull))];
      const finals = wholes.flatMap((whole, i) =>
        waiting(whole)
          .filter((b) => (isFull && i < 2) || (i === 0 || isFull ? b % 32 < 2 : b % 128 < 2))
          .map((b) => [whole, b]),
      );
      yield [module, name, "finalize", casesOf(mode, proveTreeFinalize, some(finals, 3, isFull))];
    }
  }
}

// ---- BLAKE2Xb and BLAKE2Xs ----

/** Of `total` bytes of output, or of unknown length. */
export function extendableMode(module, w, keyLength, total) {
  const lengthSize = w / 16;
  const length = littleEndian(total ?? 256 ** lengthSize - 1, lengthSize);
  const fixed = Object.fromEntries([...range(8, 12).map((i) => [i, 0]), ...length.map((byte, i) => [12 + i, byte])]);
  const mode = blake2Mode(module, w, keyLength, EXTENDABLE, fixed);
  return { ...mode, total, more: mode.block, size: mode.size + w };
}

/** What squeeze reads: a seed in a block of its own, and the parameter block of the output with a 0 for what changes. */
function sourceOf({ w, block }, seed) {
  const own = block();
  const put = (at, bytes) => own.splice(at, bytes.length, ...bytes);
  put(0, [0, 0, 0, 0]);
  put(4, littleEndian(w, 4));
  put(8, [0, 0, 0, 0]);
  put(w === 64 ? 16 : 14, [0, w]);
  return [...padded(seed, 2 * w), ...own];
}

function proveSource(kernel, mode, at, whole, buffered, length) {
  const { w, prefix, block } = mode;
  const [chain, waiting] = [anyChain(w), state(buffered, 1000)];
  const count = whole + BigInt(buffered - prefix);
  const before = [...head(mode, count, buffered), ...bytesOfWords(chain, w), ...waiting];
  const seed = bytesOfWords(compress2(w, chain, waiting, whole + BigInt(buffered), true, false), w);
  const output = spec.output2(w, block(), seed, length);
  const begin = () => {
    kernel.begin();
    kernel.place(at, before);
    kernel.place(at + mode.size - w, block());
  };
  const state_ = [
    [at, before],
    [at + mode.size - w, block()],
  ];
  begin();
  kernel.call("root", [at], { leaves: [...state_, [ROOT, sourceOf(mode, seed)]] });
  begin();
  kernel.call("finalize", [at, length], { leaves: [...state_, [OUTPUT, output]] });
}

function proveSqueeze(kernel, mode, from, length) {
  const seed = state(mode.w, 1000);
  const source = sourceOf(mode, seed);
  kernel.begin();
  kernel.place(ROOT, source);
  const output = spec.output2(mode.w, mode.block(), seed, length, from);
  const args = [(from % 2 ** 32) | 0, Math.floor(from / 2 ** 32), length];
  kernel.call("squeeze", args, {
    leaves: [
      [ROOT, source],
      [OUTPUT, output],
    ],
  });
}

function proveExtendableHash(kernel, mode, length, outputLength) {
  const input = message(length);
  kernel.begin(parameters(mode));
  kernel.place(INPUT, input);
  const output = spec.blake2x(mode.w, mode.block(), mode.key(), input, outputLength);
  const leaves = [
    [OUTPUT, output],
    [INPUT, new Array(length).fill(0)],
  ];
  kernel.call("hash", [length, outputLength], { leaves, scratch: hashScratch(length, mode.w) });
}

function* extendableProofs(isFull) {
  for (const [module, w] of KINDS) {
    const size = 2 * w;
    for (const [keyLength, total] of [
      [0, 300],
      [w, undefined],
    ]) {
      const name = `BLAKE2${w === 64 ? "Xb" : "Xs"}${keyLength ? " keyed, of unknown length" : ""}`;
      const mode = extendableMode(module, w, keyLength, total);
      const whole = BigInt(size);
      const lengths = isFull ? range(0, 4 * size + 1) : [0, 1, size - 1, size, size + 1, 3 * size, 1000];
      yield [
        module,
        name,
        "hash",
        lengths.map((n) => (kernel) => proveExtendableHash(kernel, mode, n, n % 64 < 2 ? 300 : w / 2)),
      ];
      yield [module, name, "init", casesOf(mode, proveInit, [[], []])];
      const waiting = range(1, size + 1).filter((b) => isFull || b % 16 < 2);
      const updates = waiting.flatMap((b) => [1, size - b, size - b + 1, 2 * size + 1].map((n) => [whole, b, n]));
      yield [module, name, "update", casesOf(mode, proveUpdate, [...updates, ...edges(w).map((n) => [n, 1, size])])];
      yield [
        module,
        name,
        "root, finalize",
        casesOf(
          mode,
          proveSource,
          waiting.map((b) => [whole, b, 1 + ((b * 7) % 300)]),
        ),
      ];
      const squeezes = [
        [0, 1],
        [0, 300],
        [1, w],
        [w, w],
        [w - 1, 130],
        [4 * w, 44],
      ];
      if (total === undefined) squeezes.push([2 ** 32 - 5, 200], [2 ** 37 - 70, 70], [0, isFull ? 16384 : 1000]);
      if (isFull) squeezes.push(...range(0, 299).map((from) => [from, 300 - from]));
      yield [module, name, "squeeze", squeezes.map((args) => (kernel) => proveSqueeze(kernel, mode, ...args))];
    }
  }
}

// ---- many of BLAKE2s ----

const ENDS = 0x80000000;

/**
 * Messages for the lanes: each lane's slice of the input has some one after the other. With `parts`, every message comes in two calls, of
 * which the first has that many blocks of it.
 */
function proveMany(kernel, mode, lengths, parts = 0) {
  const w = 32;
  const size = 2 * w;
  kernel.begin(parameters(mode));
  kernel.memory.clearWritten();
  const lanes = kernel.machine.call("lanes");
  kernel.place(WORKERS, new Array(WORKERS_SIZE).fill(0));
  const messages = lengths.map((length, i) => message(length, 10_000 * i));
  const wanted = messages.map((bytes) => spec.blake2(w, mode.block(), mode.key(), bytes, mode.flags & LAST_NODE));
  const run = (jobs, isLast) => {
    const slices = range(0, lanes).map((lane) => ({ at: INPUT + (lane * INPUT_SIZE) / lanes, words: [] }));
    kernel.memory.makeUnknown(INPUT, INPUT + INPUT_SIZE);
    const places = jobs.map((bytes, i) => {
      const slice = slices[i % lanes];
      const { at } = slice;
      kernel.place(at, bytes);
      slice.words.push((isLast ? ENDS : 0) + bytes.length);
      slice.at += Math.max(1, Math.ceil(bytes.length / size)) * size;
      return at;
    });
    const list = JOBS_SIZE / 4 / lanes;
    kernel.place(
      JOBS,
      slices
        .flatMap(({ words }) => [...words, ...new Array(list - words.length).fill(0)])
        .flatMap((word) => littleEndian(word, 4)),
    );
    const digests = isLast ? places.map((at, i) => [at, wanted[i]]) : [];
    const open = [
      [WORKERS, WORKERS + WORKERS_SIZE],
      [INPUT, INPUT + INPUT_SIZE],
    ];
    kernel.call("many", [], { leaves: digests, open, what: `lengths ${lengths.slice(0, 20)}` });
  };
  if (parts > 0)
    run(
      messages.map((bytes) => bytes.slice(0, parts * size)),
      false,
    );
  run(
    messages.map((bytes) => bytes.slice(parts * size)),
    true,
  );
}

function* manyProofs(isFull) {
  for (const [name, keyLength, flags] of [
    ["many BLAKE2s", 0, 0],
    ["many BLAKE2s keyed", 32, LAST_NODE],
  ]) {
    const mode = blake2Mode("blake2s-lanes", 32, keyLength, flags);
    const lists = [
      [0],
      [1],
      [64],
      [65],
      [0, 0, 0, 0],
      [64, 65, 63, 1],
      [200, 0, 1, 128, 129, 64, 5, 6, 7],
      range(0, 24).map((i) => (i * 331) % 1025),
    ];
    if (isFull) lists.push(...range(0, 60).map((i) => range(0, 3 + (i % 9)).map((j) => (i * 37 + j * 211) % 700)));
    const cut = [
      [[130], 2],
      [[200, 300, 129, 193], 2],
      [[65, 500, 64 * 5], 1],
    ];
    const builds = { builds: ["simd128", "bun"] };
    yield [
      "blake2s-lanes",
      name,
      "many",
      [...lists.map((list) => [list]), ...cut].map((args) => (kernel) => proveMany(kernel, mode, ...args)),
      builds,
    ];
  }
}

export function* proofs(isFull) {
  yield* treeProofs(isFull);
  yield* extendableProofs(isFull);
  yield* manyProofs(isFull);
}
