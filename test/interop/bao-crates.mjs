// blake-simd/bao against the Rust crates bao and bao-tree: random lengths, groups, ranges and chunkings, byte for byte,
// both ways; and encodings with something changed, of which both must take and refuse the same. Then `blakesum bao` on
// files.
//
//   node test/interop/bao-crates.mjs [CASES] [SEED]     needs cargo
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { BaoDecodeStream, BaoEncodeStream, IntegrityError, Outboard, outboard } from "../../dist/bao.js";
import { blake3, toHex } from "../../dist/index.js";
import { randomFrom } from "../evidence/random.mjs";
import { Oracle } from "../oracles/program.mjs";

const cases = Number(process.argv[2] ?? 10_000);
const seed = Number(process.argv[3] ?? Date.now() % 2 ** 31);
const CHUNK = 1024;
const LEVELS = [0, 1, 2, 4, 6, 8, 10];

const { below, oneOf: one } = randomFrom(seed);

/** The content that the crates' program makes itself: 32-bit counters from a seed on. */
function content(seed, length) {
  const words = new Uint32Array(Math.ceil(length / 4));
  for (let i = 0; i < words.length; i++) words[i] = seed + i;
  return new Uint8Array(words.buffer, 0, length);
}

/** Short and long, and around what matters: chunks, groups, powers of two of them. */
function randomLength() {
  const near = 2 ** below(20) + below(3) - 1;
  return one([
    () => below(5000),
    () => below(200_000),
    () => near,
    () => CHUNK * below(300),
    () => CHUNK * below(40) + 1,
  ])();
}

const randomRange = (length) => {
  const start = below(length + 1 + below(2) * 5000);
  return { start, end: start + one([0, 1, below(3000), below(length + 2000)]) };
};

const partOf = ({ start, end }) => ({ start, count: end - start });

/** Writes bytes in pieces of random sizes; returns what came out, and the error. */
async function through(stream, bytes) {
  const writer = stream.writable.getWriter();
  const size = one([1 + below(80), 1 + below(3000), 1 + below(100_000), 2 ** 30]);
  const write = async () => {
    for (let at = 0; at < bytes.length; ) {
      const count = Math.min(bytes.length - at, size < 80 && bytes.length > 20_000 ? 900 + size : size);
      await writer.write(bytes.subarray(at, at + count));
      at += count;
    }
    await writer.close();
  };
  const written = write().catch(() => {});
  const parts = [];
  let error;
  try {
    for await (const part of stream.readable) parts.push(part);
  } catch (reason) {
    error = reason;
  }
  await written;
  return { bytes: Buffer.concat(parts), error };
}

async function right(stream, bytes) {
  const { bytes: out, error } = await through(stream, bytes);
  if (error) throw error;
  return out;
}

const oracle = new Oracle();
const same = (what, ours, theirs) =>
  assert.ok(
    Buffer.from(ours).equals(Buffer.from(theirs)),
    `${what} differs: ${ours.length} bytes here, ${theirs.length} there`,
  );

async function checkOutboards(input, message) {
  const level = one(LEVELS);
  const group = CHUNK << level;
  const ours = outboard(message, { group });
  const [pre, post] = [await oracle.ask("pre", { ...input, level }), await oracle.ask("post", { ...input, level })];
  same("root", ours.root, blake3(message));
  same("pre-order outboard", ours.toBytes("iroh"), pre.bytes);
  same("post-order outboard", ours.toBytes("post-order"), post.bytes);
  const options = { root: ours.root, length: message.length, group };
  Outboard.from(post.bytes, { ...options, format: "post-order" }).check();
  same("outboard read", Outboard.from(pre.bytes, { ...options, format: "iroh" }).toBytes("post-order"), post.bytes);
  if (level === 0) same("bao's outboard", ours.toBytes("bao"), (await oracle.ask("outboard", input)).bytes);
}

async function checkCombined(input, message) {
  const tree = outboard(message, { group: CHUNK });
  const theirs = await oracle.ask("encode", input);
  same("combined encoding", await right(new BaoEncodeStream(tree), message), theirs.bytes);
  same("decoded", await right(new BaoDecodeStream(tree.root, { group: CHUNK }), theirs.bytes), message);
}

async function checkSlice(input, message) {
  const tree = outboard(message, { group: CHUNK });
  const range = randomRange(message.length);
  const theirs = await oracle.ask("slice", { ...input, ...partOf(range) });
  same("slice", await right(new BaoEncodeStream(tree, range), message), theirs.bytes);
  const wanted = message.subarray(range.start, range.end);
  same("slice decoded", await right(new BaoDecodeStream(tree.root, { group: CHUNK, ...range }), theirs.bytes), wanted);
}

/** What our ranges of bytes are in chunks, as bao-tree takes them. */
function chunkRanges(ranges) {
  const chunks = ranges.map(({ start, end }) => {
    const from = Math.floor(start / CHUNK);
    return `${from}-${end === undefined ? "" : Math.max(from + 1, Math.ceil(end / CHUNK))}`;
  });
  return chunks.join(",");
}

async function checkResponse(input, message) {
  const level = one(LEVELS);
  const group = CHUNK << level;
  const tree = outboard(message, { group });
  const ranges = Array.from({ length: 1 + below(4) }, () => (below(8) ? randomRange(message.length) : { start: 0 }));
  const theirs = await oracle.ask("response", { ...input, level, ranges: chunkRanges(ranges) });
  const ours = await right(new BaoEncodeStream(tree, { format: "iroh", ranges }), message);
  same("response", ours.subarray(8), theirs.bytes);
  assert.equal(ours.readBigUInt64LE(), BigInt(message.length));
  const wanted = new Uint8Array(message.length);
  for (const { start, end } of ranges) wanted.fill(1, start, end);
  const decoded = await right(new BaoDecodeStream(tree.root, { format: "iroh", group, ranges }), ours);
  same(
    "response decoded",
    decoded,
    message.filter((_, i) => wanted[i]),
  );
}

/** One thing about an encoding changed: a bit, its end, its beginning, a piece of it. */
function changed(bytes) {
  const copy = Buffer.from(bytes);
  const at = below(copy.length);
  const change = below(5);
  if (change === 0) return copy.subarray(0, at);
  if (change === 1) copy.writeBigUInt64LE(BigInt(below(2 ** 31)) << BigInt(below(30)));
  else if (change === 2) copy.copy(copy, at, below(copy.length));
  else if (change === 3)
    return Buffer.concat([copy.subarray(0, at), copy.subarray(Math.min(copy.length, at + 1 + below(2000)))]);
  else copy[at] ^= 1 << below(8);
  return copy;
}

/**
 * bao gives no byte that is wrong; we give the same number, and fail where it does. It does not look at what follows
 * the end.
 */
async function checkHostile(input, message) {
  const tree = outboard(message, { group: CHUNK });
  const root = toHex(tree.root);
  const range = randomRange(message.length);
  const slice = changed((await oracle.ask("slice", { ...input, ...partOf(range) })).bytes);
  const theirs = await oracle.ask("decode-slice", { root, ...partOf(range), message: slice });
  const ours = await through(new BaoDecodeStream(root, { group: CHUNK, ...range }), slice);
  if (ours.error) assert.ok(ours.error instanceof IntegrityError, ours.error);
  const trailing = ours.error?.reason === "trailing";
  assert.equal(!ours.error || trailing, theirs.done, `${ours.error} where bao ${theirs.done ? "goes on" : "stops"}`);
  same("what comes before the error", ours.bytes, theirs.bytes);
  same("what was given", ours.bytes, message.subarray(range.start, range.start + ours.bytes.length));
}

const COMMAND = resolve(import.meta.dirname, "../../dist/cli/blakesum.cjs");
const RANGES = [
  { start: 0, count: 0 },
  { start: 1024, count: 1 },
  { start: 5, count: 10 },
  { start: 2000, count: 100_000 },
  { start: 999_999_999, count: 5 },
];

/** Each call's standard output, or what it wrote to the file `out`, is what the crate gives. */
async function checkCommand(folder, length, ranges) {
  const input = { seed: below(2 ** 31), input: length };
  const message = content(input.seed, length);
  const hash = toHex(blake3(message));
  const made = { content: message };
  for (const [name, operation] of Object.entries({ encoded: "encode", nodes: "outboard" }))
    made[name] = (await oracle.ask(operation, input)).bytes;
  for (const [name, bytes] of Object.entries(made)) writeFileSync(join(folder, name), bytes);
  const run = (line, stdin = "") =>
    spawnSync(process.execPath, [COMMAND, "bao", ...line.split(" ")], {
      cwd: folder,
      input: stdin,
      maxBuffer: 2 ** 26,
    });
  function prints(wanted, line, stdin) {
    const { status, stdout, stderr } = run(line, stdin);
    assert.equal(status, 0, `${line}: ${stderr}`);
    same(line, line.endsWith("out") ? readFileSync(join(folder, "out")) : stdout, wanted);
  }
  prints(Buffer.from(`${hash}\n`), "hash content");
  prints(Buffer.from(`${hash}\n`), "hash", message);
  prints(made.encoded, "encode content out");
  prints(made.encoded, "encode - out", message);
  prints(made.nodes, "encode content --outboard=out");
  prints(made.nodes, "outboard content out");
  prints(made.nodes, "outboard -", message);
  prints(message, `decode ${hash} encoded`);
  prints(message, `decode ${hash}`, made.encoded);
  prints(message, `decode ${hash} content --outboard=nodes`);
  prints(message, `decode ${hash} --outboard=nodes`, message);
  for (const { start, count } of ranges) {
    const slice = (await oracle.ask("slice", { ...input, start, count })).bytes;
    const part = message.subarray(start, start + count);
    prints(slice, `slice ${start} ${count} encoded out`);
    prints(slice, `slice ${start} ${count} content --outboard=nodes`);
    prints(part, `decode-slice ${hash} ${start} ${count}`, slice);
    prints(part, `decode ${hash} encoded --start=${start} --count=${count}`);
    prints(part, `decode ${hash} content --outboard=nodes --start=${start} --count=${count}`);
  }
  const wrong = Buffer.from(made.encoded);
  wrong[((wrong.length * 2) / 3) | 0] ^= 1;
  const theirs = await oracle.ask("decode-slice", { root: hash, start: 0, count: length, message: wrong });
  const ours = run(`decode ${hash}`, wrong);
  assert.deepEqual([ours.status, theirs.done], [1, false]);
  same("what comes before what is wrong", ours.stdout, theirs.bytes);
}

const checks = [
  checkOutboards,
  checkCombined,
  checkSlice,
  checkSlice,
  checkResponse,
  checkResponse,
  checkHostile,
  checkHostile,
];
try {
  for (let i = 0; i < cases; i++) {
    const first = below(2 ** 31);
    const message = content(first, randomLength());
    const check = checks[i % checks.length];
    await check({ seed: first, input: message.length }, message).catch((error) => {
      console.error(`case ${i}, ${check.name}, ${message.length} bytes, seed ${seed}`);
      throw error;
    });
  }
  const folder = mkdtempSync(join(tmpdir(), "blake-simd-bao-"));
  try {
    for (const length of [0, 1025]) await checkCommand(folder, length, RANGES.slice(0, 2));
    await checkCommand(folder, 3_000_001, RANGES);
  } finally {
    rmSync(folder, { recursive: true });
  }
  console.log(`${cases} cases agree with bao 0.13.1 and bao-tree 0.16.0, seed ${seed}`);
} finally {
  oracle.end();
}
