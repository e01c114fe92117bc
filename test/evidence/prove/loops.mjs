// The loops over a message's blocks: pieces and messages of any length up to the whole input area, with any counter. The remainder of
// a length modulo a block, and the number of waiting bytes, are chosen; how many blocks there are is any number (induction.mjs).
import * as blake1 from "./blake1.mjs";
import * as blake2 from "./blake2.mjs";
import { anyChain, parameters, stateOf } from "./blake2.mjs";
import { anyMode, proveSqueezeAt } from "./blake3.mjs";
import { Induction, Input, rounds, withLoops } from "./induction.mjs";
import { areas, chosen, Different, key, message, state } from "./kernel.mjs";
import * as lanes from "./lanes.mjs";
import { plus, scaled, sum, variables, wordOf } from "./numbers.mjs";
import { range } from "./ranges.mjs";
import * as spec from "./specification.mjs";
import { bytesOfWords, compress2, finish2, padded, start2 } from "./specification.mjs";
import { PAGES, proveEncoded, proveGroups } from "./subtrees.mjs";
import { bytesOf } from "./terms.mjs";

const { STATE, ONESHOT, INPUT, INPUT_SIZE, OUTPUT } = areas;

// ---- counters ----

/**
 * Any number of bytes whose addition does not carry out of the low word of the counter: `low` bytes, `high` is the other word, and a
 * state's count has `above` besides, in each half.
 */
class Count {
  constructor(w, low, high, above) {
    Object.assign(this, { w, low, high, above });
  }
  after(bytes) {
    return new Count(this.w, plus(this.low, typeof bytes === "number" ? sum(bytes) : bytes), this.high, this.above);
  }
  toString() {
    return "any number of blocks";
  }
  get words() {
    return [wordOf(this.w, this.low), wordOf(this.w, this.high)];
  }
  get inBits() {
    return [wordOf(this.w, scaled(this.low, 8n)), wordOf(this.w, this.high)];
  }
  get bytes() {
    const [low, high] = this.above;
    return [plus(this.low, low), high].flatMap((half) => bytesOf(wordOf(64, half), 8));
  }
}
const NOTHING = sum(0);
const countOf = (w, bytes) => new Count(w, sum(bytes), NOTHING, [NOTHING, NOTHING]);

/** How many bytes make the low word of the counter carry, as a power of 2; and a counter after any blocks, of two variables. */
const counters = {
  BLAKE2: {
    bits: (w) => w,
    highs: (w) => 2n ** BigInt(w) - 1n,
    count: (w, low, high) => new Count(w, low, high, w === 64 ? [NOTHING, high] : [scaled(high, 2n ** 32n), NOTHING]),
  },
  // Of BLAKE-512's high word a state's count has the lowest three bits, here 5, in its low half.
  BLAKE: {
    bits: (w) => w - 3,
    highs: (w) => 2n ** (w === 64 ? 61n : 32n) - 1n,
    count: (w, low, high) =>
      w === 64
        ? new Count(w, low, plus(scaled(high, 8n), sum(5)), [sum(5n << 61n), high])
        : new Count(w, low, high, [scaled(high, 2n ** 29n), NOTHING]),
  },
};

// ---- calls ----

/** A call with a message of `length` bytes and any number of blocks of `size`, after any number of blocks of 2 * w. */
function begin(family, w, length, size, leaves = 1) {
  const most = Math.floor((INPUT_SIZE - length) / size);
  const { bits, highs, count } = counters[family];
  const blocks = 2n ** BigInt(bits(w)) / BigInt(2 * w * leaves) - 2n ** 12n;
  const [turns, number, high] = rounds(most, blocks, highs(w) / BigInt(leaves * leaves));
  const whole = count(w, scaled(number, BigInt(2 * w)), high);
  return { turns, whole, n: plus(sum(length), scaled(turns.all, BigInt(size))) };
}

/** Runs a call whose first round takes the bytes from `first` on; the specification has been computed. */
function run(kernel, { turns, n, input, start, step, any, times = 1 }, prepare, call) {
  const induction = new Induction(kernel.machine, input, turns, { start, step, any });
  prepare();
  kernel.place(INPUT, message(input.inMemory));
  withLoops(kernel, input, induction, () => call(wordOf(32, n)));
  if (induction.count !== times)
    throw new Different(`there are ${induction.count} loops over blocks, must be ${times}`);
}

/** `n` bytes of message, of which round number i of the loop takes `size` from `first` on. */
function inputOf(n, first, size) {
  const input = new Input(n, first + 2 * size);
  const at = (i) => plus(sum(first), scaled(i, BigInt(size)));
  return { input, blockAt: (i) => input.bytesAt(at(i), size), restAt: (i, length) => input.bytesAt(at(i), length) };
}
const steps = (i, size) => scaled(plus(i, sum(1)), BigInt(size));

function callUpdate(kernel, loop, at, before, after, what) {
  const prepare = () => {
    kernel.begin();
    kernel.place(at, lanes.defined(before));
  };
  run(kernel, loop, prepare, (n) => kernel.call("update", [at, INPUT, n], { leaves: [[at, after]], what }));
  if (loop.input.writes > 0) throw new Different(`${what}: update writes into the input area`);
}

function callHash(kernel, loop, own, digest, scratch = []) {
  const leaves = [
    [OUTPUT, digest],
    [INPUT, new Array(loop.input.inMemory).fill(0)],
  ];
  const call = (n) => kernel.call("hash", [n, digest.length], { leaves, scratch });
  run(kernel, loop, () => kernel.begin(own), call);
  loop.input.requireWiped();
}

// ---- BLAKE-256 and BLAKE-512 ----

function proveUpdate1(kernel, mode, at, buffered, length) {
  const { w } = mode;
  const size = 2 * w;
  const { turns, whole, n } = begin("BLAKE", w, length, size);
  const first = buffered ? size - buffered : 0;
  const { input, blockAt, restAt } = inputOf(n, first, size);
  const before = blake1.anyState(mode, whole.after(buffered), buffered);
  const [start] = blake1.absorb(w, before.chain, before.salt, whole, [...before.waiting, ...message(first)]);
  const done = buffered ? whole.after(size) : whole;
  const step = (h, i) => spec.compress1(w, h, before.salt, blockAt(i), done.after(steps(i, size)).inBits);
  const any = anyChain(w, 3000);
  const end = done.after(scaled(turns.all, BigInt(size)));
  const [h, rest] = blake1.absorb(w, any, before.salt, end, restAt(turns.all, length - first));
  const after = blake1.stateOf(mode, whole.after(plus(n, sum(buffered))), h, before.salt, rest);
  const what = `${buffered} waiting, ${length} bytes and any blocks`;
  callUpdate(kernel, { turns, n, input, start, step, any }, at, before.bytes, after, what);
}

function proveHash1(kernel, mode, length) {
  const { w } = mode;
  const size = 2 * w;
  const { turns, n } = begin("BLAKE", w, length, size);
  const { input, blockAt, restAt } = inputOf(n, 0, size);
  const [start, salt] = [spec.bigEndianWords(chosen(w), w), spec.bigEndianWords(key(w / 2), w)];
  const count = (bytes) => countOf(w, 0).after(bytes);
  const step = (h, i) => spec.compress1(w, h, salt, blockAt(i), count(steps(i, size)).inBits);
  const any = anyChain(w, 3000);
  const end = count(scaled(turns.all, BigInt(size)));
  const digest = spec.finish1(w, any, salt, restAt(turns.all, length), end, blake1.lastBit());
  callHash(kernel, { turns, n, input, start, step, any }, blake1.parameters(mode), digest);
}

// ---- BLAKE2, and BLAKE2X, whose messages are the same ----

function proveUpdate2(kernel, mode, at, buffered, length) {
  const { w, prefix } = mode;
  const size = 2 * w;
  const { turns, whole, n } = begin("BLAKE2", w, length, size);
  const first = size - buffered;
  const { input, blockAt, restAt } = inputOf(n, first, size);
  const [chain, waiting, any] = [anyChain(w), state(buffered, 1000), anyChain(w, 3000)];
  const count = whole.after(buffered - prefix);
  const done = whole.after(size);
  const start = compress2(w, chain, [...waiting, ...message(first)], done.words, false, false);
  const step = (h, i) => compress2(w, h, blockAt(i), done.after(steps(i, size)).words, false, false);
  const end = done.after(scaled(turns.all, BigInt(size)));
  const [h, rest] = blake2.absorb(w, any, end, restAt(turns.all, length - first));
  const after = stateOf(mode, count.after(n), h, rest);
  const what = `${buffered} waiting, ${length} bytes and any blocks`;
  callUpdate(kernel, { turns, n, input, start, step, any }, at, stateOf(mode, count, chain, waiting), after, what);
}

/** An extendable output's message goes through `update`, in which a first block waits. */
function proveHash2(kernel, mode, length) {
  const { w, prefix, flags, total } = mode;
  const size = 2 * w;
  const isExtendable = mode.more !== undefined;
  const { turns, n } = begin("BLAKE2", w, length, size);
  const own = mode.block();
  const first = isExtendable && prefix === 0 ? size : 0;
  const { input, blockAt, restAt } = inputOf(n, first, size);
  const before = [...padded(mode.key(), prefix), ...message(first)];
  const done = countOf(w, before.length);
  const start = before.length > 0 ? compress2(w, start2(w, own), before, done.words, false, false) : start2(w, own);
  const step = (h, i) => compress2(w, h, blockAt(i), done.after(steps(i, size)).words, false, false);
  const any = anyChain(w, 3000);
  const end = done.after(scaled(turns.all, BigInt(size)));
  const rest = restAt(turns.all, length - first);
  const value = bytesOfWords(finish2(w, any, rest, end, flags & blake2.LAST_NODE), w);
  const digest = isExtendable ? spec.output2(w, own, value, Math.min(total ?? 65, 65)) : value;
  const scratch = isExtendable ? [[ONESHOT, ONESHOT + 0x1000]] : [];
  callHash(kernel, { turns, n, input, start, step, any }, parameters(mode), digest, scratch);
}

// ---- BLAKE2bp and BLAKE2sp ----

/** The loop over stripes, of which each leaf takes a block; as many leaves at a time as the build has lanes. */
function stripes(kernel, mode, { turns, n }, first, start, done) {
  const { w, leaves, stripe } = mode;
  const size = 2 * w;
  const { input, blockAt, restAt } = inputOf(n, first, stripe);
  const split = (words) => range(0, leaves).map((leaf) => words.slice(8 * leaf, 8 * (leaf + 1)));
  const step = (words, i) => lanes.compressStripe(mode, split(words), blockAt(i), done.after(steps(i, size))).flat();
  const any = range(0, leaves).flatMap((leaf) => anyChain(w, 3000 + w * leaf));
  const end = done.after(scaled(turns.all, BigInt(size)));
  const own = { turns, n, input, start: start.flat(), step, any, times: leaves / lanesOf(kernel) };
  return { loop: own, restOf: (length) => lanes.absorbStripes(mode, split(any), end, restAt(turns.all, length)) };
}

/** How many leaves a vector of the build has. */
function lanesOf({ machine }) {
  if (machine.functions.every(({ code }) => code.every(({ simd }) => simd < 0))) return 1;
  return 16 / machine.word;
}

function proveTreeUpdate(kernel, mode, at, buffered, length) {
  const { w, leaves, stripe, prefix } = mode;
  const own = begin("BLAKE2", w, length, stripe, leaves);
  const { whole, n } = own;
  const [root, waiting] = [anyChain(w, 4000), state(buffered, 1000)];
  const chains = range(0, leaves).map((leaf) => anyChain(w, w * leaf));
  const all = (one) => scaled(one, BigInt(leaves));
  const count = new Count(w, all(whole.low), NOTHING, whole.above.map(all)).after(buffered - prefix);
  // As much of the message as fills the waiting bytes up to whole stripes.
  const first = (stripe - (buffered % stripe)) % stripe;
  let [starts, done] = [chains, whole];
  for (let data = [...waiting, ...message(first)]; data.length > 0; data = data.slice(stripe)) {
    done = done.after(2 * w);
    starts = lanes.compressStripe(mode, starts, data.slice(0, stripe), done);
  }
  const { loop, restOf } = stripes(kernel, mode, own, first, starts, done);
  const [ends, rest] = restOf(length - first);
  const before = lanes.treeState(mode, count, root, chains, waiting);
  const after = lanes.treeState(mode, count.after(n), root, ends, rest);
  callUpdate(kernel, loop, at, before, after, `${buffered} waiting, ${length} bytes and any stripes`);
}

function proveTreeHash(kernel, mode, length) {
  const { w, leaves, stripe, prefix } = mode;
  const own = begin("BLAKE2", w, length, stripe);
  const done = countOf(w, prefix / leaves);
  const first = range(0, leaves).map(lanes.leafStart(mode));
  const start = prefix ? lanes.compressStripe(mode, first, lanes.keyStripe(mode), done) : first;
  const { loop, restOf } = stripes(kernel, mode, own, 0, start, done);
  const [ends, rest, t] = restOf(length);
  const digest = lanes.finishLeaves(mode, lanes.rootOf(mode), ends, rest, t);
  callHash(kernel, loop, parameters(mode), digest, [[ONESHOT, ONESHOT + 0x1000]]);
}

// ---- the last block, with any counter ----

/** At least a block came before. */
const proveEnd = (family, prove) => (kernel, mode, at, buffered) =>
  prove(kernel, mode, at, begin(family, mode.w, 0, 2 * mode.w).whole.after(2 * mode.w), buffered);
const proveEnd1 = proveEnd("BLAKE", blake1.proveFinalize);
const proveEnd2 = proveEnd("BLAKE2", blake2.proveFinalize);

// ---- BLAKE3's output, from any place on ----

/** The number of the first block has any 32 bits in its high word, and in its low one `bits` in the highest six and any below. */
function proveSqueeze3(kernel, bits, from, length) {
  const [low, high] = variables([[0n], [2n ** 26n - 2n ** 10n]], [[0n], [2n ** 26n - 1n]]);
  const first = new Count(32, plus(low, sum(bits * 2 ** 26)), high, [NOTHING, NOTHING]);
  const words = [plus(scaled(low, 64n), sum(from)), plus(scaled(high, 64n), sum(bits))].map((one) => wordOf(32, one));
  proveSqueezeAt(kernel, anyMode(), words, first, from, length, 64);
}

// ---- chunks of BLAKE3, from any number on ----

function proveChunks(kernel, prove, length, per) {
  const [low, high] = variables([[0n], [2n ** 32n - 2n ** 10n]], [[0n], [2n ** 32n - 1n]]);
  prove(kernel, length, per, new Count(32, low, high, [NOTHING, NOTHING]));
}

// ---- cases ----

/** All waiting bytes with some lengths, some with all lengths; without `isFull` a few of both. */
function pairs(waiting, lengths, isFull) {
  const some = (list) => list.filter((_, i) => i % 100 === 0 || i === list.length - 1);
  if (!isFull) return some(waiting).flatMap((b) => some(lengths).map((n) => [b, n]));
  return [
    ...waiting.flatMap((b) => some(lengths).map((n) => [b, n])),
    ...some(waiting).flatMap((b) => lengths.map((n) => [b, n])),
  ];
}

const of = (prove, mode, list) => list.map((args) => (kernel) => prove(kernel, mode, ...args));
const atPlaces = (prove, mode, list) =>
  list.map((args, i) => (kernel) => prove(kernel, mode, i % 2 ? ONESHOT : STATE, ...args));
/** Lengths from one on, with each remainder modulo a size, or with some. */
const remainders = (from, size, isFull) =>
  range(from, from + size)
    .filter((_, i) => isFull || i % 61 === 0 || i === size - 1)
    .map((n) => [n]);

function* singleProofs(name, mode, isFull) {
  const { module, w } = mode;
  const size = 2 * w;
  const isFirst = name.startsWith("BLAKE-");
  const waiting = isFirst ? range(0, size) : range(1, size + 1);
  const [hash, update, end] = isFirst ? [proveHash1, proveUpdate1, proveEnd1] : [proveHash2, proveUpdate2, proveEnd2];
  yield [module, name, "any blocks of hash", of(hash, mode, remainders((mode.more ? 2 : 1) * size + 1, size, isFull))];
  if (mode.prefix > 0 || mode.more) return; // of `update` and `finalize` a key changes nothing but the count
  yield [
    module,
    name,
    "any blocks of update",
    atPlaces(update, mode, pairs(waiting, range(2 * size + 1, 3 * size + 1), isFull)),
  ];
  const some = waiting.filter((b) => isFull || b % 16 < 2).map((b) => [b]);
  yield [module, name, "finalize after any blocks", atPlaces(end, mode, some)];
}

function* treeProofs(module, w, keyLength, isFull) {
  const name = `BLAKE2${w === 64 ? "bp" : "sp"}${keyLength ? " keyed" : ""}`;
  const mode = lanes.treeMode(module, w, keyLength);
  const { stripe } = mode;
  const max = lanes.most(mode);
  const each = (from) => range(from, from + stripe).filter((_, i) => i % (isFull ? 8 : 255) === 0);
  const lengths = isFull ? range(max + 1, max + stripe + 1) : each(max + 1);
  const hashes = lengths.map((n) => [n]);
  yield [module, name, "any stripes of hash", of(proveTreeHash, mode, hashes)];
  const updates = pairs(each(max - stripe + 1), each(max + stripe + 1), isFull);
  if (keyLength === 0) yield [module, name, "any stripes of update", atPlaces(proveTreeUpdate, mode, updates)];
}

function* proofs3(isFull) {
  const cases = (prove, list) => list.map((args) => (kernel) => prove(kernel, ...args));
  const lengths = isFull ? [1, 1024, 1025, 3000, 4096, 9000, 17_000, 20_000, 65_536] : [1, 1025, 4096, 9000];
  const chunks = [proveGroups, proveEncoded].flatMap((prove) => lengths.map((n, i) => [prove, n, 2 ** (i % 3)]));
  const options = { options: { pages: PAGES } };
  yield ["blake3-subtrees", "subtrees", "chunks from any number on", cases(proveChunks, chunks), options];
  const places = [0, 37, 63].flatMap((bits) =>
    [0, 1, 63].flatMap((from) => [1, 64, 129, 520].map((n) => [bits, from, n])),
  );
  const some = places.filter((_, i) => isFull || i % 5 === 0);
  yield ["blake3", "BLAKE3", "squeeze from any place", cases(proveSqueeze3, some)];
}

export function* proofs(isFull) {
  for (const [name, mode] of [
    ...Object.entries(blake1.modes),
    ["BLAKE2b", blake2.blake2Mode("blake2b", 64, 0, 0)],
    ["BLAKE2b keyed", blake2.blake2Mode("blake2b", 64, 64, blake2.LAST_NODE)],
    ["BLAKE2s", blake2.blake2Mode("blake2s", 32, 0, 0)],
    ["BLAKE2s keyed", blake2.blake2Mode("blake2s", 32, 32, blake2.LAST_NODE)],
    ["BLAKE2Xb", lanes.extendableMode("blake2b-lanes", 64, 0, 300)],
    ["BLAKE2Xb keyed", lanes.extendableMode("blake2b-lanes", 64, 64)],
    ["BLAKE2Xs", lanes.extendableMode("blake2s-lanes", 32, 0, 300)],
    ["BLAKE2Xs keyed", lanes.extendableMode("blake2s-lanes", 32, 32)],
  ])
    yield* singleProofs(name, mode, isFull);
  for (const [module, w] of lanes.KINDS)
    for (const keyLength of [0, w]) yield* treeProofs(module, w, keyLength, isFull);
  yield* proofs3(isFull);
}
