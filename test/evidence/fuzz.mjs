// Saved states and lists of checksums, changed in several places at once: each is accepted or refused with the error
// that is documented. (test/engine/saved-states-refused.test.ts has all single changes of a state,
// test/bao/hostile.test.ts those of encodings.)
//
//   npm run fuzz -- [--seconds NUMBER] [--seed NUMBER] [TARGET ...]
//
// --seconds is for each target, 10 by default; the targets are restore and check. The same seed gives a target the same
// inputs.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { crc32 } from "node:zlib";
import { algorithms, blake3, toHex, useVectorLatency } from "blake-simd";
import { restore, save } from "blake-simd/states";
import { randomFrom } from "./random.mjs";

const { values: options, positionals } = parseArgs({
  options: { seconds: { type: "string", default: "10" }, seed: { type: "string", default: "1" } },
  allowPositionals: true,
});

let random = randomFrom(Number(options.seed));
const below = (limit) => random.below(limit);
const oneOf = (list) => random.oneOf(list);
const counting = (length) => new Uint8Array(length).map((_, i) => i % 251);

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

function restoreTarget() {
  const [name, original] = oneOf(saved);
  if (below(100) === 0) useVectorLatency(oneOf([1, 2]));
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

const targets = { restore: restoreTarget, check: checkTarget };

try {
  const unknown = positionals.find((name) => !Object.hasOwn(targets, name));
  if (unknown !== undefined)
    throw new Error(`TARGET must be one of ${Object.keys(targets).join(", ")}, was ${unknown}`);
  for (const [name, target] of Object.entries(targets)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    random = randomFrom(Number(options.seed));
    const end = Date.now() + 1000 * Number(options.seconds);
    let inputs = 0;
    let accepted = 0;
    for (; Date.now() < end; inputs++) if (await target()) accepted++;
    console.log(`ok ${name}: ${inputs} inputs, ${accepted} accepted`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
