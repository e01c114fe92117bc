// The other proofs do not take every combination of lengths. No branch and no address depends on content, so what a length does with
// its bytes is the same for every content, and a wrong place or counter shows on random bytes: here the module runs as an engine runs
// it. BLAKE3 takes every length of a message or a piece, up to the whole input area; the others take every pair of bytes that wait and
// bytes that come. All must give what pieces of at most a block give.
import { areas, Different } from "../kernel.mjs";
import { random } from "../machine/evaluate.mjs";
import { isTerm } from "../machine/terms.mjs";
import { BLOCK_3, range } from "../specification.mjs";
import { algorithms } from "./algorithms.mjs";
import { all } from "./sequences.mjs";

const { PARAMETERS, STATE, ONESHOT, INPUT, INPUT_SIZE, OUTPUT } = areas;

/** A module in an engine: what the algorithm leaves open, such as a key, is random, and so is the content. */
function start({ bytes }, { parameters: parametersOf, outputs }) {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes));
  const memory = new Uint8Array(exports.memory.buffer);
  const next = random(bytes.length);
  const parameters = parametersOf().map((byte) => (isTerm(byte) ? next(256) : byte));
  const content = Uint8Array.from({ length: INPUT_SIZE + BLOCK_3 }, () => next(256));
  const size = outputs.at(-1);
  const output = () => Buffer.from(memory.buffer, OUTPUT, size).toString("hex");
  const begin = () => memory.set(parameters, PARAMETERS);
  return {
    init() {
      begin();
      exports.init(STATE);
    },
    state: () => memory.slice(STATE, ONESHOT),
    restore: (state) => memory.set(state, STATE),
    /** Adds a part of the content. */
    update(from, to) {
      memory.set(content.subarray(from, to), INPUT);
      exports.update(STATE, INPUT, to - from);
    },
    digest() {
      exports.finalize(STATE, size);
      return output();
    },
    hash(length) {
      begin();
      memory.set(content.subarray(0, length), INPUT);
      exports.hash(length, size);
      if (memory.subarray(INPUT, INPUT + length).some(Boolean))
        throw new Different(`hash of ${length} bytes leaves some of them in the input area`);
      return output();
    },
  };
}

/** For each length up to `end`, in blocks, of a message that begins with this state: calls `check` with it and what short pieces give. */
function inBlocks(engine, first, block, end, check) {
  let whole = first;
  for (let at = 0; at <= end; at += block) {
    check(at, (length) => {
      engine.restore(whole);
      engine.update(at, length);
      return engine.digest();
    });
    engine.restore(whole);
    engine.update(at, at + block);
    whole = engine.state();
  }
}

function requireSame(what, actual, expected) {
  if (actual !== expected) throw new Different(`${what} gives ${actual}, short pieces give ${expected}`);
}

/** Every length that is `rest` bytes longer than whole blocks, of `hash` and of a piece after `before` bytes. */
function proveLengths(kernel, of, { before, rest }) {
  const engine = start(kernel, of);
  engine.init();
  for (let at = 0; at < before; at += BLOCK_3) engine.update(at, Math.min(at + BLOCK_3, before));
  const first = engine.state();
  inBlocks(engine, first, BLOCK_3, INPUT_SIZE, (at, digestOf) => {
    const length = Math.min(at + rest, INPUT_SIZE);
    const expected = digestOf(length);
    engine.restore(first);
    engine.update(0, length);
    requireSame(`a piece of ${length} bytes after ${before}`, engine.digest(), expected);
    if (before === 0) requireSame(`hash of ${length} bytes`, engine.hash(length), expected);
  });
}

/** Every piece of up to three parts after each of these numbers of bytes, and `hash` of all these messages. */
function provePairs(kernel, of, waiting) {
  const engine = start(kernel, of);
  const block = of.step;
  const longest = 3 * of.size + 1;
  engine.init();
  const empty = engine.state();
  const expected = [];
  inBlocks(engine, empty, block, of.most + longest, (at, digestOf) => {
    for (let length = at; length < at + block; length++) {
      expected.push(digestOf(length));
      requireSame(`hash of ${length} bytes`, engine.hash(length), expected[length]);
    }
  });
  for (const before of waiting) {
    engine.restore(empty);
    engine.update(0, before);
    const first = engine.state();
    for (let length = 0; length <= longest; length++) {
      engine.restore(first);
      engine.update(before, before + length);
      requireSame(`a piece of ${length} bytes after ${before}`, engine.digest(), expected[before + length]);
    }
  }
}

export function* proofs() {
  const keyed = all["BLAKE3 keyed"];
  const lists = { before: [0, 1, BLOCK_3 - 1, BLOCK_3, 8 * BLOCK_3 + 3, 3073, 65_472], rest: range(1, BLOCK_3 + 1) };
  const prove = (kernel, one) => proveLengths(kernel, keyed, one);
  yield { module: "blake3", name: "BLAKE3", what: "every length", prove, cases: { lists }, sizes: [10, 448] };
  for (const [name, of] of Object.entries(algorithms)) {
    // A tree has up to a hundred times as many pairs: one case is a share of them.
    const shares = of.leaves > 1 ? 64 : 1;
    const waiting = (share) => range(0, of.most + 1).filter((before) => before % shares === share);
    const prove = (kernel, { share }) => provePairs(kernel, of, waiting(share));
    const cases = { lists: { share: range(0, shares) } };
    yield { module: of.module, name, what: "every pair of lengths", prove, cases, sizes: [2, shares] };
  }
}
