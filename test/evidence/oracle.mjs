// Random algorithms, options, messages and ways to hash them, against independent implementations: Rust's blake3,
// blake2b_simd and blake2s_simd, Python's hashlib, dcrd's blake256 and golang.org/x/crypto in Go, and @noble/hashes.
//
//   npm run test:oracle -- [--seed NUMBER] [--seconds NUMBER | --cases NUMBER | --bytes NUMBER] [--engines NAME,...]
//
//   --seconds   how long, 20 by default
//   --cases     how many cases
//   --bytes     as many cases as bring each algorithm to this many bytes on each build, baseline and simd128
//   --engines   of node, node22, node24, node26, deno, bun, chromium, firefox and webkit: all hash the same cases, of which
//               --cases or --bytes gives the number; by default this Node alone. Except for node and the browsers they need
//               `npm ci --prefix test/runtimes`
//
// The same seed gives the same cases. Programs that cannot be built or run are left out and named; --require lists those that
// must be there. It ends with the number of cases and bytes for each algorithm and build.
import { parseArgs } from "node:util";
import * as main from "blake-simd";
import * as states from "blake-simd/states";
import { builds, caseOf, names } from "./oracle/cases.mjs";
import { digestOf } from "./oracle/digest-of.mjs";
import { engineNames, runEngine } from "./oracle/engines.mjs";
import { Programs } from "./oracle/programs.mjs";

const { values: options } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    seconds: { type: "string" },
    cases: { type: "string" },
    bytes: { type: "string" },
    engines: { type: "string" },
    require: { type: "string", default: "rust,python,go" },
  },
});
for (const name of ["seed", "seconds", "cases", "bytes"]) {
  const value = Number(options[name] ?? 1);
  if (!Number.isInteger(value) || value < 1)
    throw new Error(`--${name} must be an integer from 1, got ${options[name]}`);
}
const seed = Number(options.seed);
/** Cases whose digests the programs compute at the same time as others. */
const AT_ONCE = 50;

const counts = Object.fromEntries(
  names.flatMap((name) => builds.map((build) => [`${name} ${build}`, { cases: 0, bytes: 0 }])),
);

function count({ name, build, message }) {
  const own = counts[`${name} ${build}`];
  own.cases++;
  own.bytes += message.length;
}

function requireSame(engine, given, actual, wanted) {
  if (wanted.equals(actual)) return;
  const { number, name, way, build, message } = given;
  const what = `${name} ${way} on ${build}, ${message.length} bytes, ${JSON.stringify(given.options)}`;
  const digests = `${Buffer.from(actual).toString("hex")}\n${wanted.toString("hex")}`;
  throw new Error(`${engine}, seed ${seed}, case ${number}: ${what}:\n${digests}`);
}

/** The cases, while a condition holds. */
function* casesWhile(goesOn) {
  for (let number = 0; goesOn(number); number++) {
    const given = caseOf(seed, number);
    yield given;
    count(given);
  }
}

function untilEnough() {
  if (options.cases) return (number) => number < Number(options.cases);
  if (options.bytes) return () => Object.values(counts).some(({ bytes }) => bytes < Number(options.bytes));
  const end = Date.now() + 1000 * Number(options.seconds ?? 20);
  return () => Date.now() < end;
}

/** Compares in this process; returns the number of cases. */
async function compareHere(programs) {
  let cases = 0;
  for (const given of casesWhile(untilEnough())) {
    requireSame("here", given, digestOf({ main, states }, given), await programs.digestOf(given));
    cases++;
  }
  return cases;
}

/** What the programs say of all cases. */
async function wantedDigests(programs) {
  const pending = [];
  for (const given of casesWhile(untilEnough())) {
    pending.push(programs.digestOf(given));
    if (pending.length % AT_ONCE === 0) await Promise.all(pending.slice(-AT_ONCE));
  }
  return Promise.all(pending);
}

async function compareEngine(engine, wanted) {
  const start = Date.now();
  let number = 0;
  await runEngine(engine, { seed, count: wanted.length }, (digests) => {
    for (let at = 0; at < digests.length; at += wanted[number++].length) {
      const actual = digests.subarray(at, at + wanted[number].length);
      if (!wanted[number].equals(actual)) requireSame(engine, caseOf(seed, number), actual, wanted[number]);
    }
    // Digests of no bytes, after the last that has some.
    while (wanted[number]?.length === 0) number++;
  });
  if (number !== wanted.length) throw new Error(`${engine}: ${number} digests of ${wanted.length}`);
  console.log(`${engine}: ${number} cases in ${Math.round((Date.now() - start) / 1000)} s, all digests agree`);
}

async function compareEngines(programs, engines) {
  const wanted = await wantedDigests(programs);
  for (const engine of engines) await compareEngine(engine, wanted);
  return wanted.length;
}

const engines = options.engines?.split(",") ?? [];
const unknown = engines.find((name) => !engineNames.includes(name));
if (unknown !== undefined) throw new Error(`--engines must be of ${engineNames.join(", ")}, got ${unknown}`);
if (engines.length > 0 && !options.cases && !options.bytes) throw new Error("--engines needs --cases or --bytes");

const programs = new Programs(options.require.split(","));
const cases = await (engines.length > 0 ? compareEngines(programs, engines) : compareHere(programs));
programs.end();
console.table(counts);
console.log(`${cases} cases, seed ${seed}: all digests agree`);
