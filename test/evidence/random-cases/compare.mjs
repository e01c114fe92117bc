// Combinations that no vector has: random options, messages and ways to hash them, compared with Rust's blake3,
// blake2b_simd and blake2s_simd, and with @noble/hashes. The same seed gives the same cases.
//
//   npm run random-cases -- [--seed NUMBER] [--seconds NUMBER | --cases NUMBER] [--write FILE]
//
//   --seconds   how long, 20 by default
//   --cases     how many cases
//   --write     writes cases for test/runtimes/run.mjs, which hashes them in every runtime
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { blake224, blake256, blake384, blake512 } from "@noble/hashes/blake1.js";
import { toHex } from "blake-simd";
import { Oracle } from "../../oracles/program.mjs";
import { builds, caseOf, names } from "./cases.mjs";
import { digestOf } from "./digest-of.mjs";

const { values: options } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    seconds: { type: "string", default: "20" },
    cases: { type: "string" },
    write: { type: "string" },
  },
});
for (const name of ["seed", "seconds", "cases"]) {
  const value = Number(options[name] ?? 1);
  if (!Number.isInteger(value) || value < 1)
    throw new Error(`--${name} must be an integer from 1, got ${options[name]}`);
}
const seed = Number(options.seed);
/** Every runtime makes the messages of its cases itself, of counting bytes. */
const LONGEST_WRITTEN = 70_000;

const counts = Object.fromEntries(
  names.flatMap((name) => builds.map((build) => [`${name} ${build}`, { cases: 0, bytes: 0 }])),
);
const written = [];

function requireSame(given, actual, wanted) {
  if (wanted.equals(actual)) return;
  const { number, name, way, build, latency, message } = given;
  const what = `${name} ${way} on ${build}, ${latency}, ${message.length} bytes, ${JSON.stringify(given.options)}`;
  throw new Error(`seed ${seed}, case ${number}: ${what}:\n${toHex(actual)}\n${wanted.toString("hex")}`);
}

/** As test/runtimes/suite.mjs has cases. */
function write({ name, options, message }, digest) {
  const asText = (value) => (value instanceof Uint8Array ? toHex(value) : value);
  const entries = Object.entries(options).map(([option, value]) => [option, asText(value)]);
  const [input, texts] = [message.length, Object.fromEntries(entries)];
  written.push({ algorithm: name, input, options: texts, digest: digest.toString("hex") });
}

const noble = { blake224, blake256, blake384, blake512 };
const rust = new Oracle();

async function wantedOf({ name, options, message, isCounting }) {
  if (name in noble) return Buffer.from(noble[name](message, options));
  const { context, ...others } = options;
  const { bytes } = await rust.ask(name, {
    ...(isCounting ? { input: message.length } : { message }),
    ...others,
    ...(context && { context: Buffer.from(context) }),
    ...(name.startsWith("blake2x") && { total: options.length }),
  });
  return bytes;
}

const end = Date.now() + 1000 * Number(options.seconds);
let number = 0;
for (; options.cases ? number < Number(options.cases) : Date.now() < end; number++) {
  const given = caseOf(seed, number);
  const wanted = await wantedOf(given);
  requireSame(given, digestOf(given), wanted);
  const count = counts[`${given.name} ${given.build}`];
  count.cases++;
  count.bytes += given.message.length;
  if (options.write && given.isCounting && given.message.length <= LONGEST_WRITTEN) write(given, wanted);
}
rust.end();
if (options.write) writeFileSync(options.write, JSON.stringify(written));
console.table(counts);
console.log(`${number} cases, seed ${seed}: all digests agree`);
