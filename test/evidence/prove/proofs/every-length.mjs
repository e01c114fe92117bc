// BLAKE3: the proofs take each number of chunks, but not each number of bytes. No branch and no address depends on content, so what a
// length does with its bytes is the same for every content, and a wrong place or counter shows on random bytes: here the module runs as
// an engine runs it. Every length of a message or a piece, up to the whole input area, must give what pieces of at most a block give,
// which are proved.
import { areas, Different } from "../kernel.mjs";
import { random } from "../machine/values.mjs";
import { BLOCK_3 as BLOCK, KEYED_HASH, range } from "../specification.mjs";

const { PARAMETERS, STATE, ONESHOT, INPUT, INPUT_SIZE, OUTPUT } = areas;

/** A module in an engine, with a random key and content. */
function start({ bytes }) {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes));
  const memory = new Uint8Array(exports.memory.buffer);
  const next = random(bytes.length);
  const parameters = [...range(0, 32).map(() => next(256)), KEYED_HASH, ...new Array(15).fill(0)];
  const content = Uint8Array.from({ length: INPUT_SIZE + BLOCK }, () => next(256));
  const output = () => Buffer.from(memory.subarray(OUTPUT, OUTPUT + 200)).toString("hex");
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
      exports.finalize(STATE, 200);
      return output();
    },
    hash(length) {
      begin();
      memory.set(content.subarray(0, length), INPUT);
      exports.hash(length, 200);
      if (memory.subarray(INPUT, INPUT + length).some(Boolean))
        throw new Different(`hash of ${length} bytes leaves some of them in the input area`);
      return output();
    },
  };
}

/** For each length, in blocks, of a message that begins with this state: calls `check` with it and what short pieces give. */
function inBlocks(engine, first, from, check) {
  let whole = first;
  for (let at = from; at <= INPUT_SIZE; at += BLOCK) {
    check(at, (length) => {
      engine.restore(whole);
      engine.update(at, length);
      return engine.digest();
    });
    engine.restore(whole);
    engine.update(at, at + BLOCK);
    whole = engine.state();
  }
}

function requireSame(what, actual, expected) {
  if (actual !== expected) throw new Different(`${what} gives ${actual}, short pieces give ${expected}`);
}

/** Every length that is `rest` bytes longer than whole blocks, of `hash` and of a piece after `before` bytes. */
function proveLengths(kernel, { before, rest }) {
  const engine = start(kernel);
  engine.init();
  for (let at = 0; at < before; at += BLOCK) engine.update(at, Math.min(at + BLOCK, before));
  const first = engine.state();
  inBlocks(engine, first, 0, (at, digestOf) => {
    const length = Math.min(at + rest, INPUT_SIZE);
    const expected = digestOf(length);
    engine.restore(first);
    engine.update(0, length);
    requireSame(`a piece of ${length} bytes after ${before}`, engine.digest(), expected);
    if (before === 0) requireSame(`hash of ${length} bytes`, engine.hash(length), expected);
  });
}

export function* proofs() {
  const lists = { before: [0, 1, BLOCK - 1, BLOCK, 8 * BLOCK + 3, 3073, 65_472], rest: range(1, BLOCK + 1) };
  yield {
    module: "blake3",
    name: "BLAKE3",
    what: "every length",
    prove: proveLengths,
    cases: { lists },
    sizes: [10, 448],
  };
}
