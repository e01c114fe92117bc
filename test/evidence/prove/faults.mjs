// Changes of the shipped modules, byte by byte: faults, which the proofs must refuse, and rewrites that compute the same, which they
// must accept. A place is found by its instructions, so that a new build has it, too.
import { BUILDS, bytesOfModule } from "./kernel.mjs";
import { LOOP, readModule } from "./machine/module.mjs";
import { casesOf, proofs, prove } from "./run.mjs";

const [CONST_32, CONST_64, GET, SET] = [0x41, 0x42, 0x20, 0x21];
const [ROTL_32, ROTR_32, ROTL_64, ROTR_64] = [119, 120, 137, 138];
const any =
  (...codes) =>
  (ins) =>
    codes.includes(ins.op);
const vector =
  (...codes) =>
  (ins) =>
    ins.op === 0xfd && codes.includes(ins.simd);
const number =
  (...values) =>
  (ins) =>
    (ins.op === CONST_32 || ins.op === CONST_64) && values.includes(Number(ins.value));

/** The instructions that match, of all places that do. */
function findAll(bytes, ...patterns) {
  const found = [];
  for (const { code } of readModule(bytes).functions) {
    for (let i = 0; i + patterns.length <= code.length; i++) {
      if (patterns.every((matches, j) => matches(code[i + j]))) found.push(code.slice(i, i + patterns.length + 1));
    }
  }
  if (found.length === 0) throw new Error("the module has no such place");
  return found;
}
/** Those of the place in the middle. */
function find(bytes, ...patterns) {
  const found = findAll(bytes, ...patterns);
  return found[found.length >> 1];
}

/** A copy with other bytes at a place. */
function write(bytes, at, ...values) {
  const copy = bytes.slice();
  copy.set(values, at);
  return copy;
}
/** A small constant, or the last byte of a code, is one byte: adds to it. */
const increase = (bytes, at, by = 1) => write(bytes, at, bytes[at] + by);

const leb = (n) => (n < 128 ? [n] : [(n % 128) | 128, ...leb(Math.floor(n / 128))]);

/** A copy with more code at a place: the function and the code section become longer. */
function insert(bytes, at, code) {
  const number = (from) => {
    let [value, unit, i] = [0, 1, from];
    for (; bytes[i] & 128; i++, unit *= 128) value += (bytes[i] & 127) * unit;
    return [value + bytes[i] * unit, i + 1];
  };
  let section = 8;
  for (; bytes[section] !== 10; ) {
    const [size, start] = number(section + 1);
    section = start + size;
  }
  const [size, start] = number(section + 1);
  let [, body] = number(start);
  for (;;) {
    const [length, first] = number(body);
    if (first + length > at) {
      const longer = [
        ...leb(length + code.length),
        ...bytes.subarray(first, at),
        ...code,
        ...bytes.subarray(at, first + length),
      ];
      const contents = [...bytes.subarray(start, body), ...longer, ...bytes.subarray(first + length, start + size)];
      return Uint8Array.from([
        ...bytes.subarray(0, section + 1),
        ...leb(contents.length),
        ...contents,
        ...bytes.subarray(start + size),
      ]);
    }
    body = first + length;
  }
}

/** Flips a bit of a word that has been loaded into a local, if it has one value of 2^32: without a branch. */
function rareFault(bytes) {
  const [, { n: local }, { at }] = find(
    bytes,
    (ins) => ins.op === 0x28 && ins.n % 4 === 0 && ins.n < 64,
    any(SET),
    any(GET),
    any(0x28),
  );
  const difference = [GET, ...leb(local), CONST_32, 0xef, 0xfd, 0xb6, 0xf5, 0x7d, 115]; // the word ^ 0xdeadbeef
  const isZero = [...difference, CONST_32, 1, 107, ...difference, CONST_32, 0x7f, 115, 113, CONST_32, 31, 118];
  return insert(bytes, at, [...isZero, GET, ...leb(local), 115, SET, ...leb(local)]);
}

/** More code at the start of an export. */
const atExport = (name, code) => (bytes) => {
  const { functions, exports } = readModule(bytes);
  return insert(bytes, functions[exports[name]].code[0].at, code);
};

/** More code at the start of the function that compresses a piece's blocks, or of each round of its loop. */
const atBlocks = (isInLoop, code) => (bytes) => {
  const { code: own } = readModule(bytes).functions[0];
  return insert(bytes, own[isInLoop ? own.findIndex(({ op }) => op === LOOP) + 1 : 0].at, code);
};
const [BLOCKS, COUNT, T0, T1] = [1, 3, 4, 5]; // its locals
const [EQUAL, GREATER, PLUS, MINUS, XOR] = [70, 75, 106, 107, 115];
const constant = (n) => [CONST_32, ...leb(n)];

const SHIFT_LEFT = vector(171, 203);
const DROP = 0x1a;
const NOP = 0x01;

/** The module, its build, and how to change it. */
export const faults = {
  "another rotation, 32 bits": [
    "blake2s",
    "baseline",
    (b) => increase(b, find(b, any(CONST_32), any(ROTL_32, ROTR_32))[0].at + 1),
  ],
  "another rotation, 64 bits": [
    "blake2b",
    "baseline",
    (b) => increase(b, find(b, any(CONST_64), any(ROTL_64, ROTR_64))[0].at + 1),
  ],
  "a rotation to the other side": [
    "blake256",
    "baseline",
    (b) => increase(b, find(b, number(20, 25, 12, 7), any(ROTL_32))[1].at),
  ],
  "a lane's shift by one more": ["blake3", "simd128", (b) => increase(b, find(b, any(CONST_32), SHIFT_LEFT)[0].at + 1)],
  "a byte of a shuffle": [
    "blake512",
    "simd128",
    (b) => {
      const [{ at, bytes }] = find(b, vector(13));
      return write(b, at + 2, (bytes[0] + 1) % 32);
    },
  ],
  "a vector's sum becomes a difference": [
    "blake256",
    "simd128",
    (b) => write(b, find(b, vector(174))[0].at + 1, 177, 1),
  ],
  "a sum becomes a difference": ["blake256", "baseline", (b) => increase(b, find(b, any(106), any(0x22))[0].at)],
  "an exclusive or becomes an or": [
    "blake2s",
    "baseline",
    (b) => increase(b, find(b, any(115), any(0x22, CONST_32))[0].at, -1),
  ],
  "an exclusive or of vectors becomes an or": [
    "blake3",
    "simd128",
    (b) => increase(b, find(b, vector(81))[0].at + 1, -1),
  ],
  "another word of the message": [
    "blake2b",
    "baseline",
    (b) => {
      const [{ at, n }] = find(b, (ins) => ins.op === 0x29 && ins.n >= 8 && ins.n < 64);
      return write(b, at + 2, n - 8);
    },
  ],
  "another local": ["blake512", "baseline", (b) => increase(b, find(b, any(GET), any(GET), any(124))[0].at + 1)],
  "a constant of the algorithm": [
    "blake256",
    "simd128",
    (b) => {
      const { at } = find(b, vector(12))[0];
      return increase(b, at + 5);
    },
  ],
  "a wipe left out": [
    "blake2b",
    "baseline",
    (b) => write(b, find(b, (ins) => ins.op === 0xfc && ins.n === 11)[0].at, DROP, DROP, DROP),
  ],
  "a wipe left out after BLAKE3's subtrees": [
    "blake3",
    "baseline",
    (b) => write(b, find(b, (ins) => ins.op === 0xfc && ins.n === 11)[0].at, DROP, DROP, DROP),
  ],
  "a copy left out": [
    "blake512",
    "simd128",
    (b) => write(b, find(b, (ins) => ins.op === 0xfc && ins.n === 10)[0].at, DROP, DROP, DROP, NOP),
  ],
  "a counter of other steps": [
    "blake2s",
    "baseline",
    (b) => increase(b, find(b, number(64, -64), any(106, 124, 107))[0].at + 1),
  ],
  "another mask": [
    "blake3",
    "baseline",
    (b) => increase(b, find(b, number(63, -64, 15, 1023, -1024), any(113))[0].at + 1),
  ],
  "a comparison off by one": [
    "blake256",
    "baseline",
    (b) => increase(b, findAll(b, any(CONST_32), any(72, 73, 74, 75))[0][1].at, 4),
  ],
  "a branch left out": ["blake256", "baseline", (b) => write(b, findAll(b, any(0x0d))[1][0].at, DROP, NOP)],
  "one value of a word in 2^32": ["blake2s", "baseline", rareFault],
  "a byte left out of a piece of 100 after 37": [
    "blake2b",
    "baseline",
    atExport("update", [
      ...[GET, 2, GET, 0, 0x28, 2, 4, CONST_32, 37, EQUAL, GET, 2, CONST_32, 0xe4, 0x00, EQUAL],
      ...[113, MINUS, SET, 2],
    ]),
  ],
  "a byte left out of messages of more than 40 000": [
    "blake2s",
    "baseline",
    atExport("hash", [GET, 0, GET, 0, CONST_32, 0xc0, 0xb8, 0x02, 75, 107, SET, 0]),
  ],
  "zeros, as many as a piece is long, up to the state of a hasher": [
    "blake2s",
    "baseline",
    atExport("update", [CONST_32, 0xd0, 0x2f, CONST_32, 0, GET, 2, 0xfc, 11, 0]),
  ],
  "another hasher's chaining value on the C stack": [
    "blake2b",
    "baseline",
    atExport("hash", [CONST_32, 0x94, 0x0a, CONST_32, 0xa0, 0xa0, 0x01, CONST_32, 0xc0, 0x00, 0xfc, 10, 0, 0]),
  ],
  "a word of each block on the C stack": [
    "blake2s",
    "baseline",
    atBlocks(true, [CONST_32, 0x94, 0x0a, GET, BLOCKS, 0x28, 2, 0, 0x36, 2, 0]),
  ],
  "the last of more than 300 blocks left out": [
    "blake2s",
    "baseline",
    atBlocks(false, [GET, COUNT, GET, COUNT, ...constant(300), GREATER, MINUS, SET, COUNT]),
  ],
  "a carry of one counter alone": [
    "blake2s",
    "baseline",
    atBlocks(true, [GET, T1, GET, T0, ...constant(0xabcd40), EQUAL, PLUS, SET, T1]),
  ],
  "the block after the one at byte 20 032": [
    "blake2s",
    "baseline",
    atBlocks(true, [
      GET,
      BLOCKS,
      GET,
      BLOCKS,
      ...constant(0x10000 + 20_032),
      EQUAL,
      ...constant(6),
      116,
      PLUS,
      SET,
      BLOCKS,
    ]),
  ],
};

export const equivalents = {
  "a sum the other way around": [
    "blake2s",
    "baseline",
    (b) => {
      const [first, second] = find(b, any(GET), any(GET), any(106));
      const bytes = [...b.subarray(second.at, second.at + 2), ...b.subarray(first.at, first.at + 2)];
      return write(b, first.at, ...bytes);
    },
  ],
  "a rotation to the other side by the rest": [
    "blake2s",
    "baseline",
    (b) => {
      const [{ at, value }, rotation] = find(b, any(CONST_32), any(ROTL_32));
      return write(write(b, at + 1, 32 - value), rotation.at, ROTR_32);
    },
  ],
  "a place in the message, inverted twice in each round": [
    "blake2s",
    "baseline",
    atBlocks(true, [GET, BLOCKS, CONST_32, 0x7f, XOR, CONST_32, 0x7f, XOR, SET, BLOCKS]),
  ],
  "shifts brought together by an exclusive or": [
    "blake512",
    "simd128",
    (b) => increase(b, find(b, vector(205, 203), vector(80))[1].at + 1),
  ],
};

/** What the proofs of a module find in a changed one, by one of so many cases of each. */
export async function findingOf([module, build, change], every) {
  const bytes = change(await bytesOfModule(module, build));
  new WebAssembly.Module(bytes); // a fault that no engine accepts would prove nothing
  for (const proof of proofs()) {
    const { module: own, builds = BUILDS } = proof;
    if (own !== module || !builds.includes(build)) continue;
    const cases = casesOf(proof, false, 1).filter((_, i) => i % every === 0);
    const { found } = prove(bytes, proof, cases, 20_000_000);
    if (found !== undefined) return found;
  }
  return undefined;
}
