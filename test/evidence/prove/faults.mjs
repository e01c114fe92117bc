// Changes of the shipped modules, byte by byte: faults, which the proofs must refuse, and rewrites that compute the
// same, which they must accept. A place is found by its instructions, so that a new build has it, too.
import { bytesOfModule, latenciesOf } from "./kernel.mjs";
import { readModule } from "./machine/module.mjs";
import { assemble, leb } from "./machine/opcodes.mjs";
import { casesOf, prove, rowsFor } from "./run.mjs";

const is =
  (...ops) =>
  (ins) =>
    ops.includes(ins.op);
const constant =
  (...values) =>
  (ins) =>
    /^i(32|64).const$/.test(ins.op) && values.includes(Number(ins.value));
/** A load of a word of the message. */
const word = (op) => (ins) => ins.op === op && ins.n < 64;

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
/** A copy with more code at a place: the function and the code section become longer. */
function insert(bytes, at, code) {
  const { functions, codeSection } = readModule(bytes);
  const part = (from, to) => [...bytes.subarray(from, to)];
  const bodies = functions.map(({ body: [from, to] }) =>
    from <= at && at < to ? [...part(from, at), ...code, ...part(at, to)] : part(from, to),
  );
  const all = [...leb(bodies.length), ...bodies.flatMap((body) => [...leb(body.length), ...body])];
  const [from, to] = codeSection;
  return Uint8Array.from([...part(0, from), 10, ...leb(all.length), ...all, ...part(to)]);
}

/** More code at the start of an export. */
const atExport = (name, code) => (bytes) => {
  const { functions, exports } = readModule(bytes);
  return insert(bytes, functions[exports[name]].code[0].at, assemble(code));
};

/** More code at the start of the function that compresses a piece's blocks, or of each round of its loop. */
const atBlocks = (isInLoop, code) => (bytes) => {
  const { code: own } = readModule(bytes).functions[0];
  return insert(bytes, own[isInLoop ? own.findIndex(({ op }) => op === "loop") + 1 : 0].at, assemble(code));
};
const [BLOCKS, COUNT, T0, T1] = [1, 3, 4, 5]; // its locals

/** One more, or so many, in the byte that is `offset` bytes behind an instruction of a place. */
const increased =
  (patterns, which = 0, offset = 1, by = 1) =>
  (bytes) => {
    const at = find(bytes, ...patterns)[which].at + offset;
    return write(bytes, at, bytes[at] + by);
  };
/** Other instructions instead of one. */
const replaced = (patterns, which, code) => (bytes) =>
  write(bytes, find(bytes, ...patterns)[which].at, ...assemble(code));

/** Flips a bit of a word that has been loaded into a local, if it has one value of 2^32: without a branch. */
function rareFault(bytes) {
  const [, { n: local }, { at }] = find(bytes, word("i32.load"), is("local.set"), is("local.get"), is("i32.load"));
  const difference = `local.get ${local} i32.const ${0xdeadbeef | 0} i32.xor`;
  const isZero = `${difference} i32.const 1 i32.sub ${difference} i32.const -1 i32.xor i32.and i32.const 31 i32.shr_u`;
  return insert(bytes, at, assemble(`${isZero} local.get ${local} i32.xor local.set ${local}`));
}

/** The module, its build, and how to change it. */
export const faults = {
  "another rotation, 32 bits": ["blake2s", "baseline", increased([is("i32.const"), is("i32.rotl", "i32.rotr")])],
  "another rotation, 64 bits": ["blake2b", "baseline", increased([is("i64.const"), is("i64.rotl", "i64.rotr")])],
  "a rotation to the other side": [
    "blake256",
    "baseline",
    replaced([constant(20, 25, 12, 7), is("i32.rotl")], 1, "i32.rotr"),
  ],
  "a lane's shift by one more": ["blake256", "simd128", increased([is("i32.const"), is("i32x4.shl", "i64x2.shl")])],
  "a byte of a shuffle": [
    "blake512",
    "simd128",
    (b) => {
      const [{ at, bytes }] = find(b, is("i8x16.shuffle"));
      return write(b, at + 2, (bytes[0] + 1) % 32);
    },
  ],
  "a word of rows in another place": [
    "blake3",
    "simd128",
    increased([(ins) => is("i8x16.shuffle")(ins) && ins.bytes[0] === 12], 0, 2, -4),
  ],
  "a half of the counter of rows": ["blake3", "bun", increased([is("i32x4.replace_lane")], 0, 2, -1)],
  "a vector's sum becomes a difference": ["blake256", "simd128", replaced([is("i32x4.add")], 0, "i32x4.sub")],
  "a sum becomes a difference": ["blake256", "baseline", replaced([is("i32.add"), is("local.tee")], 0, "i32.sub")],
  "an exclusive or becomes an or": [
    "blake2s",
    "baseline",
    replaced([is("i32.xor"), is("local.tee", "i32.const")], 0, "i32.or"),
  ],
  "an exclusive or of vectors becomes an or": ["blake256", "simd128", replaced([is("v128.xor")], 0, "v128.or")],
  "another word of the message": [
    "blake2b",
    "baseline",
    increased([(ins) => word("i64.load")(ins) && ins.n >= 8], 0, 2, -8),
  ],
  "another local": ["blake512", "baseline", increased([is("local.get"), is("local.get"), is("i64.add")])],
  "a constant of the algorithm": ["blake256", "simd128", increased([is("v128.const")], 0, 5)],
  "a wipe left out": ["blake2b", "baseline", replaced([is("memory.fill")], 0, "drop drop drop")],
  "a wipe left out after BLAKE3's subtrees": ["blake3", "baseline", replaced([is("memory.fill")], 0, "drop drop drop")],
  "a copy left out": ["blake512", "simd128", replaced([is("memory.copy")], 0, "drop drop drop nop")],
  "a counter of other steps": [
    "blake2s",
    "baseline",
    increased([constant(64, -64), is("i32.add", "i64.add", "i32.sub")]),
  ],
  "another mask": ["blake3", "baseline", increased([constant(63, -64, 15, 1023, -1024), is("i32.and")])],
  "a comparison off by one": [
    "blake256",
    "baseline",
    (b) => {
      const [, { at }] = findAll(b, is("i32.const"), is("i32.lt_s", "i32.lt_u", "i32.gt_s", "i32.gt_u"))[0];
      return write(b, at, b[at] + 4);
    },
  ],
  "a branch left out": [
    "blake256",
    "baseline",
    (b) => write(b, findAll(b, is("br_if"))[1][0].at, ...assemble("drop nop")),
  ],
  "one value of a word in 2^32": ["blake2s", "baseline", rareFault],
  "a byte left out of a piece of 100 after 37": [
    "blake2b",
    "baseline",
    atExport(
      "update",
      "local.get 2 local.get 0 i32.load 2 4 i32.const 37 i32.eq local.get 2 i32.const 100 i32.eq i32.and i32.sub local.set 2",
    ),
  ],
  "a byte left out of messages of more than 40 000": [
    "blake2s",
    "baseline",
    atExport("hash", "local.get 0 local.get 0 i32.const 40000 i32.gt_u i32.sub local.set 0"),
  ],
  "zeros, as many as a piece is long, up to the state of a hasher": [
    "blake2s",
    "baseline",
    atExport("update", "i32.const 6096 i32.const 0 local.get 2 memory.fill 0"),
  ],
  "another hasher's chaining value on the C stack": [
    "blake2b",
    "baseline",
    atExport("hash", "i32.const 1300 i32.const 20512 i32.const 64 memory.copy 0 0"),
  ],
  "a word of each block on the C stack": [
    "blake2s",
    "baseline",
    atBlocks(true, `i32.const 1300 local.get ${BLOCKS} i32.load 2 0 i32.store 2 0`),
  ],
  "the last of more than 300 blocks left out": [
    "blake2s",
    "baseline",
    atBlocks(false, `local.get ${COUNT} local.get ${COUNT} i32.const 300 i32.gt_u i32.sub local.set ${COUNT}`),
  ],
  "a carry left out": [
    "blake2s",
    "baseline",
    atBlocks(true, `local.get ${T1} local.get ${T0} i32.const -64 i32.eq i32.sub local.set ${T1}`),
  ],
  "the block after the one at byte 20 032": [
    "blake2s",
    "baseline",
    atBlocks(
      true,
      `local.get ${BLOCKS} local.get ${BLOCKS} i32.const ${0x10000 + 20_032} i32.eq i32.const 6 i32.shl i32.add local.set ${BLOCKS}`,
    ),
  ],
};

export const equivalents = {
  "a sum the other way around": [
    "blake2s",
    "baseline",
    (b) => {
      const [first, second] = find(b, is("local.get"), is("local.get"), is("i32.add"));
      const bytes = [...b.subarray(second.at, second.at + 2), ...b.subarray(first.at, first.at + 2)];
      return write(b, first.at, ...bytes);
    },
  ],
  "a rotation to the other side by the rest": [
    "blake2s",
    "baseline",
    (b) => {
      const [{ at, value }] = find(b, is("i32.const"), is("i32.rotl"));
      return write(b, at, ...assemble(`i32.const ${32 - value} i32.rotr`));
    },
  ],
  "a place in the message, inverted twice in each round": [
    "blake2s",
    "baseline",
    atBlocks(true, `local.get ${BLOCKS} i32.const -1 i32.xor i32.const -1 i32.xor local.set ${BLOCKS}`),
  ],
  "shifts brought together by an exclusive or": [
    "blake512",
    "simd128",
    replaced([is("i64x2.shr_u", "i64x2.shl"), is("v128.or")], 1, "v128.xor"),
  ],
};

/**
 * What the proofs of a module find in a changed one, by one of so many cases of each row: first by one of each, since
 * most faults show in any.
 */
export async function findingOf([module, build, change], every) {
  const bytes = change(await bytesOfModule(module, build));
  new WebAssembly.Module(bytes); // a fault that no engine accepts would prove nothing
  const chosen = rowsFor(build, module).map((row) => [row, casesOf(row, false, 1).filter((_, i) => i % every === 0)]);
  const firsts = chosen.map(([row, cases]) => [row, cases.slice(0, 1)]);
  const others = chosen.map(([row, cases]) => [row, cases.slice(1)]);
  for (const [row, cases] of [...firsts, ...others]) {
    for (const latency of latenciesOf(module, build)) {
      const { found } = prove(bytes, row, cases, latency, 20_000_000);
      if (found !== undefined) return `${row.what}: ${found}`;
    }
  }
  return undefined;
}
