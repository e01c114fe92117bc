// Hostile input for what parses: saved states, hexadecimal, Bao encodings, and lists of checksums. Valid inputs are changed at
// random; each must be accepted or refused with the error that is documented, and never give what the original would not.
//
//   npm run fuzz -- [--seconds NUMBER] [--seed NUMBER] [TARGET ...]
//
// --seconds is for each target, 10 by default; the targets are restore, fromHex, bao and check. The same seed gives a target
// the same inputs.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { algorithms, blake3, fromHex, toHex } from "blake-simd";
import { BaoDecodeStream, BaoEncodeStream, IntegrityError, outboard } from "blake-simd/bao";
import { restore, save } from "blake-simd/states";
import { chanceFrom } from "./chance.mjs";

const { values: options, positionals } = parseArgs({
  options: { seconds: { type: "string", default: "10" }, seed: { type: "string", default: "1" } },
  allowPositionals: true,
});

let chance = chanceFrom(Number(options.seed));
const below = (limit) => chance.below(limit);
const oneOf = (list) => chance.oneOf(list);
const counting = (length) => Uint8Array.from({ length }, (_, i) => i % 251);

const changes = [
  (bytes) => bytes.with(below(bytes.length), below(256)),
  (bytes) => bytes.map((byte, i) => (i === below(bytes.length) ? byte ^ (1 << below(8)) : byte)),
  (bytes) => bytes.slice(0, below(bytes.length)),
  (bytes) => Uint8Array.from([...bytes, ...bytes.slice(0, below(40))]),
  (bytes) => {
    const copy = bytes.slice();
    return copy.copyWithin(below(copy.length), below(copy.length), below(copy.length));
  },
  (bytes) => {
    const copy = bytes.slice();
    return copy.fill(oneOf([0, 255, 128]), below(copy.length), below(copy.length));
  },
];

function changed(bytes) {
  let result = bytes;
  for (let i = below(3); i >= 0 && result.length > 0; i--) result = oneOf(changes)(result);
  return result;
}

const same = (a, b) => Buffer.compare(a, b) === 0;
function require(condition, what) {
  if (!condition) throw new Error(`seed ${options.seed}: ${what}`);
}

// ---- the targets: each returns whether the input was accepted ----

const names = Object.keys(algorithms);
const saved = names.flatMap((name) =>
  [0, 1, 64, 128, 1000, 5000].map((length) => [name, save(algorithms[name].create().update(counting(length)))]),
);

/** The checksum of a state, which a forger would make right. */
function withChecksum(bytes) {
  const copy = bytes.slice();
  if (copy.length > 4) new DataView(copy.buffer).setUint32(copy.length - 4, crc32(copy.subarray(0, -4)), true);
  return copy;
}

function crc32(bytes) {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let i = 0; i < 8; i++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

function restoreTarget() {
  const [name, original] = oneOf(saved);
  const bytes = below(3) > 0 ? withChecksum(changed(original)) : changed(original);
  const neighbour = algorithms[name].create().update("neighbour");
  try {
    const hasher = restore(algorithms[name], bytes);
    require(same(save(hasher), bytes), `${name}: a state that is accepted must be saved again as it was`);
    if (hasher.digestLength < 10_000) hasher.update(counting(300)).digest();
    return true;
  } catch (error) {
    require(error instanceof RangeError && error.message.startsWith("restore: "), `${name}: ${error.stack}`);
    return false;
  } finally {
    require(same(neighbour.digest(), algorithms[name]("neighbour")), `${name}: another hasher was touched`);
  }
}

function fromHexTarget() {
  const text = Buffer.from(changed(Buffer.from(toHex(counting(below(70)))))).toString(oneOf(["latin1", "utf8"]));
  const valid = /^(?:[0-9a-f]{2})*$/i.test(text);
  try {
    const bytes = fromHex(text);
    require(valid && toHex(bytes) === text.toLowerCase(), `fromHex took ${JSON.stringify(text)}`);
    return true;
  } catch (error) {
    require(!valid &&
      (error instanceof RangeError ||
        error instanceof TypeError ||
        error instanceof SyntaxError), `fromHex: ${error.stack}`);
    return false;
  }
}

async function through(stream, bytes) {
  const pieces = [];
  const writer = stream.writable.getWriter();
  const fed = (async () => {
    for (let at = 0; at < bytes.length; ) {
      const piece = 1 + below(5000);
      await writer.write(bytes.subarray(at, at + piece));
      at += piece;
    }
    await writer.close();
  })().catch((error) => error);
  let failure;
  try {
    for await (const piece of stream.readable) pieces.push(piece);
  } catch (error) {
    failure = error;
  }
  await fed;
  return { output: Buffer.concat(pieces), failure };
}

const contents = [0, 1, 1024, 1025, 5000, 40_000].map(counting);
const shapes = [
  { format: "bao", group: 1024 },
  { format: "bao", group: 4096 },
  { format: "iroh", group: 16_384 },
];
const ranges = [{}, { start: 0, end: 1 }, { start: 1500, end: 3000 }, { start: 30_000 }];

async function encode(content, { format, group }, range) {
  const tree = outboard(content, { group });
  return (await through(new BaoEncodeStream(tree, { format, ...range }), content)).output;
}

const encodings = await Promise.all(
  contents.flatMap((content) =>
    shapes.flatMap((shape) =>
      ranges.map(async (range) => {
        const other = content.map((byte, i) => (i === content.length >> 1 ? byte ^ 1 : byte));
        const [encoding, forged] = await Promise.all([content, other].map((each) => encode(each, shape, range)));
        return { content, options: { ...shape, ...range }, encoding, forged };
      }),
    ),
  ),
);

/** The encoding of one of the contents, mostly changed, or that of a content with another byte, whose nodes agree with it. */
function hostileEncoding({ content, encoding, forged }) {
  const kind = below(20);
  if (kind === 0) return Uint8Array.from(encoding);
  return kind === 1 && content.length > 0 ? Uint8Array.from(forged) : changed(Uint8Array.from(encoding));
}

/**
 * Whatever comes, only bytes of the range go out, and an end without an error means all of them. The length that a slice's
 * header claims is proven only if the range reaches the end.
 */
async function baoTarget() {
  const chosen = oneOf(encodings);
  const { content, options, encoding, forged } = chosen;
  const bytes = hostileEncoding(chosen);
  const { start = 0, end = content.length } = options;
  const wanted = content.subarray(start, end);
  const decoder = new BaoDecodeStream(blake3(content), options);
  const { output, failure } = await through(decoder, bytes);
  require(same(output, wanted.subarray(0, output.length)), "bao gave bytes that are not the content's");
  require(decoder.length === undefined ||
    decoder.length === content.length, `bao took ${decoder.length} as the length`);
  if (same(bytes, encoding)) require(!failure, `bao refused an encoding: ${failure?.stack}`);
  else if (same(bytes, forged)) require(failure && output.length === 0, "bao took another content's encoding");
  else if (failure)
    require(failure instanceof IntegrityError || failure instanceof RangeError, `bao: ${failure.stack}`);
  else
    require(same(output, wanted) &&
      same(bytes.subarray(8), encoding.subarray(8)) &&
      end < content.length, "bao took another");
  return !failure;
}

const folder = mkdtempSync(join(tmpdir(), "blake-simd-"));
writeFileSync(join(folder, "a"), "hello");
const list = Buffer.from(
  [
    `${toHex(blake3("hello"))}  a`,
    `BLAKE3 (a) = ${toHex(blake3("hello"))}`,
    `BLAKE2b (a) = ${toHex(algorithms.blake2b("hello"))}`,
    `${toHex(blake3("hello"))} *a`,
    "",
  ].join("\n"),
);
const command = new URL("../../dist/cli/blakesum.cjs", import.meta.url).pathname;

/** A list that was changed never makes the command fail otherwise than with status 1 and a message. */
function checkTarget() {
  writeFileSync(join(folder, "list"), changed(Uint8Array.from(list)));
  const { status, stderr, signal } = spawnSync(process.execPath, [command, "--check", "list"], {
    cwd: folder,
    encoding: "utf8",
    timeout: 30_000,
  });
  require(signal === null && (status === 0 || status === 1), `--check ended with ${status ?? signal}: ${stderr}`);
  require(!/\n {4}at /.test(stderr), `--check threw: ${stderr}`);
  return status === 0;
}

const targets = { restore: restoreTarget, fromHex: fromHexTarget, bao: baoTarget, check: checkTarget };

try {
  const unknown = positionals.find((name) => !Object.hasOwn(targets, name));
  if (unknown !== undefined)
    throw new Error(`TARGET must be one of ${Object.keys(targets).join(", ")}, was ${unknown}`);
  for (const [name, target] of Object.entries(targets)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    chance = chanceFrom(Number(options.seed));
    const end = Date.now() + 1000 * Number(options.seconds);
    let inputs = 0;
    let accepted = 0;
    for (; Date.now() < end; inputs++) if (await target()) accepted++;
    console.log(`ok ${name}: ${inputs} inputs, ${accepted} accepted`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
