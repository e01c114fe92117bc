// BLAKE3: pieces that are longer than those of the proofs go around the loops of `update` and `hash` more often. No branch and no address
// depends on content, so what a length does with its bytes is the same for every content, and a wrong place or counter shows on random
// bytes: here the module runs as an engine runs it. Every length of a piece up to the whole input area must give what short pieces
// give, which are proved.
import { areas, Different } from "./kernel.mjs";
import { algorithms } from "./sequences.mjs";
import { BLOCK_3 as BLOCK } from "./specification.mjs";
import { isTerm } from "./terms.mjs";
import { random } from "./values.mjs";

const { PARAMETERS, STATE, ONESHOT, INPUT, INPUT_SIZE, OUTPUT } = areas;

/** A module in an engine, with parameters of random bytes where they may be any. */
function start({ bytes }, name, { parameters }) {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes));
  const memory = new Uint8Array(exports.memory.buffer);
  const next = random(name.length);
  const own = parameters().map((byte) => (isTerm(byte) ? next(256) : byte));
  const content = Uint8Array.from({ length: INPUT_SIZE }, () => next(256));
  const outputLength = 200;
  const output = () => Buffer.from(memory.subarray(OUTPUT, OUTPUT + outputLength)).toString("hex");
  return {
    begin() {
      memory.set(own, PARAMETERS);
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
      exports.finalize(STATE, outputLength);
      return output();
    },
    hash(length) {
      memory.set(own, PARAMETERS);
      memory.set(content.subarray(0, length), INPUT);
      exports.hash(length, outputLength);
      if (memory.subarray(INPUT, INPUT + length).some(Boolean))
        throw new Different(`hash of ${length} bytes leaves some of them in the input area`);
      return output();
    },
  };
}

function requireSame(what, actual, expected) {
  if (actual !== expected) throw new Different(`${what} gives ${actual}, short pieces give ${expected}`);
}

/** After `before` bytes, a piece for each of `rests` past the end of a block; only every `step`th block is taken. */
function provePieces(kernel, name, algorithm, before, rests, step) {
  const engine = start(kernel, name, algorithm);
  engine.begin();
  for (let at = 0; at < before; at += BLOCK) engine.update(at, Math.min(at + BLOCK, before));
  const first = engine.state();
  let whole = first;
  for (let from = 0; from < INPUT_SIZE; from += BLOCK) {
    for (const rest of from % (step * BLOCK) === 0 ? rests : []) {
      engine.restore(whole);
      engine.update(from, from + rest);
      const expected = engine.digest();
      engine.restore(first);
      engine.update(0, from + rest);
      requireSame(`a piece of ${from + rest} bytes after ${before}`, engine.digest(), expected);
    }
    engine.restore(whole);
    engine.update(from, from + BLOCK);
    whole = engine.state();
  }
}

/** `hash` of every so many lengths. */
function proveHash(kernel, name, algorithm, step) {
  const engine = start(kernel, name, algorithm);
  engine.begin();
  let whole = engine.state();
  for (let length = 0; length <= INPUT_SIZE; length += step) {
    const from = Math.max(0, Math.ceil(length / BLOCK) - 1) * BLOCK;
    engine.begin();
    engine.restore(whole);
    engine.update(from, length);
    if (length - from === BLOCK) whole = engine.state();
    requireSame(`hash of ${length} bytes`, engine.hash(length), engine.digest());
  }
}

export function* proofs(isFull) {
  for (const [name, algorithm] of Object.entries(algorithms)) {
    if (algorithm.module !== "blake3") continue;
    const starts = [0, 1, BLOCK, 8 * BLOCK + 3, ...(isFull ? [BLOCK - 1, BLOCK + 1, 3073, 65_472] : [])];
    const rests = isFull ? [0, 1, BLOCK / 2, BLOCK] : [1, BLOCK];
    yield [
      algorithm.module,
      name,
      "long pieces",
      [
        ...starts.map((before) => (kernel) => provePieces(kernel, name, algorithm, before, rests, isFull ? 1 : 8)),
        (kernel) => proveHash(kernel, name, algorithm, isFull ? 1 : 16),
      ],
    ];
  }
}
