// The other rows do not take every combination of lengths. No branch and no address depends on content, so what a
// length does with its bytes is the same for every content, and a wrong place or counter shows on random bytes: here
// the module runs as an engine runs it. Every length of a message or a piece, up to the whole input area, and (but for
// BLAKE3) every pair of bytes that wait and bytes that come must give what pieces of at most a block give. These rows
// come last, since a faulty module may have no end.
import { areas, Different } from "../kernel.mjs";
import { random } from "../machine/evaluate.mjs";
import { isTerm } from "../machine/terms.mjs";
import { range } from "../specification.mjs";

const { PARAMETERS, STATE, ONESHOT, INPUT, INPUT_SIZE, OUTPUT } = areas;
const zeros = new Uint8Array(INPUT_SIZE);

/** A module in an engine: what the algorithm leaves open, such as a key, is random, and so is the content. */
function start({ bytes, latency }, { parameters: parametersOf, outputs, step }) {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes));
  const memory = new Uint8Array(exports.memory.buffer);
  if (latency) memory[areas.VECTOR_LATENCY] = latency;
  const next = random(bytes.length);
  const parameters = parametersOf().map((byte) => (isTerm(byte) ? next(256) : byte));
  const content = new Uint8Array(INPUT_SIZE + step).map(() => next(256));
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
      if (Buffer.compare(memory.subarray(INPUT, INPUT + length), zeros.subarray(0, length)) !== 0)
        throw new Different(`hash of ${length} bytes leaves some of them in the input area`);
      return output();
    },
  };
}

/**
 * For each length up to `end`, in blocks, of a message that begins with this state: calls `check` with it and what
 * short pieces give.
 */
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

/**
 * Every length that is `rest` bytes longer than whole blocks, of `hash`, of a message in one piece, and of a piece
 * after `before` bytes.
 */
function lengths(kernel, of, { before, rest }) {
  const engine = start(kernel, of);
  for (const from of [0, before]) {
    engine.init();
    for (let at = 0; at < from; at += of.step) engine.update(at, Math.min(at + of.step, from));
    const first = engine.state();
    inBlocks(engine, first, of.step, INPUT_SIZE, (at, digestOf) => {
      const length = Math.min(at + rest, INPUT_SIZE);
      const expected = digestOf(length);
      engine.restore(first);
      engine.update(0, length);
      requireSame(`a piece of ${length} bytes after ${from}`, engine.digest(), expected);
      if (from === 0) requireSame(`hash of ${length} bytes`, engine.hash(length), expected);
    });
  }
}

/** A tree has up to a hundred times as many pairs: one case is a share of them. */
const sharesOf = ({ leaves }) => (leaves > 1 ? 64 : 1);

/** Every piece of up to three parts after each number of bytes of a share, and `hash` of all these messages. */
function pairs(kernel, of, { share }) {
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
  for (let before = share; before <= of.most; before += sharesOf(of)) {
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

export function* everyLength(name, of) {
  const { module, step, most } = of;
  const row = (what, run, lists, sizes) => ({
    module,
    name,
    what,
    run(kernel, one) {
      try {
        run(kernel, of, one);
      } catch (error) {
        if (error instanceof WebAssembly.RuntimeError) throw new Different(error.message, { cause: error });
        throw error;
      }
    },
    cases: { lists },
    sizes,
  });
  const before = most === undefined ? [1, step - 1, step, 8 * step + 3, 3073, 65_472] : [1, most];
  yield row("every length", lengths, { before, rest: range(1, step + 1) }, [2, before.length * step]);
  if (most !== undefined)
    yield row("every pair of lengths", pairs, { share: range(0, sharesOf(of)) }, [2, sharesOf(of)]);
}
