// Random algorithms, options, messages and ways to hash them, against independent implementations: Rust's blake3,
// blake2b_simd and blake2s_simd, Python's hashlib, dcrd's blake256 and golang.org/x/crypto in Go, and @noble/hashes.
//
//   npm run test:oracle -- [--seed NUMBER] [--seconds NUMBER] [--cases NUMBER]
//
// The same seed gives the same cases. Programs that cannot be built or run are left out and named; --require lists those that
// must be there. It ends with the number of cases and bytes for each algorithm.
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { blake384, blake512 } from "@noble/hashes/blake1.js";
import { algorithms, toHex, useBackend } from "blake-simd";
import { restore, save } from "blake-simd/states";

const { values: options } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    seconds: { type: "string", default: "20" },
    cases: { type: "string", default: "1000000000" },
    require: { type: "string", default: "rust,python,go" },
  },
});
const root = join(import.meta.dirname, "..");
const work = join(root, "build/oracles");

// ---- the programs ----

/** A program that answers a line for each line. */
class Program {
  #child;
  #lines;

  constructor(command, args) {
    this.#child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  async ask(operation, fields) {
    const words = Object.entries(fields).map(([name, value]) => `${name}=${value}`);
    this.#child.stdin.write(`${[operation, ...words].join(" ")}\n`);
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`no answer to ${operation} ${words.join(" ").slice(0, 200)}`);
    return value;
  }

  end() {
    this.#child.stdin.end();
  }
}

/** Built in a copy, so that nothing is left among the sources. */
function sourcesOf(name) {
  mkdirSync(work, { recursive: true });
  cpSync(join(root, "test/vectors/generate/oracles", name), join(work, name), { recursive: true });
  return join(work, name);
}

const starters = {
  rust() {
    const cwd = sourcesOf("rust");
    execFileSync("cargo", ["build", "--quiet", "--release"], { cwd, stdio: "ignore" });
    return new Program(join(cwd, "target/release/oracle"), []);
  },
  python: () => new Program("python3", [join(import.meta.dirname, "oracle.py")]),
  go() {
    const cwd = sourcesOf("go");
    execFileSync("go", ["build", "-tags", "purego", "-o", "oracle", "."], { cwd, stdio: "ignore" });
    return new Program(join(cwd, "oracle"), []);
  },
};

function start() {
  const programs = {};
  for (const [name, starter] of Object.entries(starters)) {
    try {
      programs[name] = starter();
    } catch (error) {
      if (options.require.split(",").includes(name)) throw error;
      console.log(`without ${name}: ${error.message.split("\n")[0]}`);
    }
  }
  return programs;
}

// ---- chance ----

let state = Number(options.seed) >>> 0;
/** A number from 0 to below `limit` (mulberry32). */
function below(limit) {
  state = (state + 0x6d2b79f5) >>> 0;
  let x = Math.imul(state ^ (state >>> 15), state | 1);
  x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
  return Math.floor((((x ^ (x >>> 14)) >>> 0) / 2 ** 32) * limit);
}
const between = (first, last) => first + below(last - first + 1);
const oneOf = (list) => list[below(list.length)];
const chance = (percent) => below(100) < percent;
const randomBytes = (length) => Uint8Array.from({ length }, () => below(256));

function randomLength() {
  const near = oneOf([0, 64, 128, 256, 512, 1024, 2048, 4096, 16384, 65536, 66560, 131072, 1 << 20]);
  return chance(50) ? below(3000) : Math.max(0, near + between(-70, 70));
}

const counting = Uint8Array.from({ length: (1 << 20) + 100 }, (_, i) => i % 251);

// ---- options, as the package and as the programs take them ----

function blake2Options(word) {
  const own = {};
  if (chance(50)) own.length = between(1, 8 * word);
  if (chance(50)) own.key = randomBytes(between(1, 8 * word));
  if (chance(30)) own.salt = randomBytes(2 * word);
  if (chance(30)) own.personal = randomBytes(2 * word);
  if (!chance(20)) return own;
  const tree = {
    fanout: between(0, 255),
    maxDepth: between(1, 255),
    maxLeafLength: below(2 ** 32),
    nodeOffset: below(2 ** 48),
    nodeDepth: below(256),
    innerHashLength: between(0, 8 * word),
    lastNode: chance(50),
  };
  return { ...own, ...tree };
}

function parallelOptions(word) {
  return {
    ...(chance(50) && { length: between(1, 8 * word) }),
    ...(chance(50) && { key: randomBytes(between(1, 8 * word)) }),
  };
}

function extendableOptions(word) {
  return {
    length: oneOf([1, 8 * word, between(1, 300), between(1, 5000)]),
    ...(chance(50) && { key: randomBytes(between(1, 8 * word)) }),
  };
}

function blake3Options() {
  const length = chance(50) ? { length: between(0, chance(80) ? 300 : 40_000) } : {};
  const mode = below(3);
  if (mode === 1) return { ...length, key: randomBytes(32) };
  if (mode === 2) return { ...length, context: `context ${below(1000)}` };
  return length;
}

const salted = (length) => () => (chance(50) ? { salt: randomBytes(length) } : {});

/** For each algorithm its options, and who knows it. */
const subjects = {
  blake224: [salted(16), ["go"]],
  blake256: [salted(16), ["go"]],
  blake384: [salted(32), ["noble"]],
  blake512: [salted(32), ["noble"]],
  blake2b: [() => blake2Options(8), ["rust", "python"]],
  blake2s: [() => blake2Options(4), ["rust", "python"]],
  blake2bp: [() => parallelOptions(8), ["rust"]],
  blake2sp: [() => parallelOptions(4), ["rust"]],
  blake2xb: [() => extendableOptions(8), ["rust", "go"]],
  blake2xs: [() => extendableOptions(4), ["rust", "go"]],
  blake3: [blake3Options, ["rust"]],
};

const hex = (value) => Buffer.from(value).toString("hex");

function fieldsOf(own, message, isCounting) {
  const fields = isCounting ? { input: message.length } : { message: hex(message) };
  for (const [name, value] of Object.entries(own)) {
    fields[name] = typeof value === "boolean" ? Number(value) : typeof value === "number" ? value : hex(value);
  }
  return fields;
}

const noble = { blake384, blake512 };

async function wanted(programs, name, own, message, isCounting) {
  const fields = fieldsOf(own, message, isCounting);
  if (name.startsWith("blake2x")) fields.total = own.length;
  const known = subjects[name][1].filter((oracle) => oracle === "noble" || programs[oracle]);
  const answers = known.map((oracle) =>
    oracle === "noble" ? hex(noble[name](message, own)) : programs[oracle].ask(name, fields),
  );
  return Promise.all(answers);
}

// ---- the package's ways ----

function hashInPieces(algorithm, own, message) {
  let hasher = algorithm.create(own);
  const largest = oneOf([1, 64, 65, 1024, 5000, 70_000]) + (message.length >> 9);
  for (let at = 0; at < message.length; ) {
    const piece = between(1, largest);
    hasher.update(message.subarray(at, at + piece));
    at += piece;
    if (chance(3)) hasher = oneOf([() => hasher.clone(), () => restore(algorithm, save(hasher)), () => hasher])();
    if (chance(2)) algorithm("another message between", {});
    if (chance(2)) hasher.digest();
    if (chance(1)) useBackend(oneOf(["baseline", "simd128"]));
  }
  return hasher;
}

/** Bytes of extendable output, read in pieces from back to front. */
function readInPieces(hasher, length) {
  const xof = hasher.xof();
  const output = new Uint8Array(length);
  for (let end = length; end > 0; ) {
    const from = Math.max(0, end - between(1, 1 + (length >> 2)));
    xof.position = from;
    xof.readInto(output.subarray(from, end));
    end = from;
  }
  return output;
}

const ways = {
  call: (algorithm, own, message) => algorithm(message, own),
  into(algorithm, own, message) {
    const length = algorithm.create(own).digestLength;
    const output = new Uint8Array(length + 5).fill(9);
    algorithm.into(output, message, own);
    if (output.subarray(length).some((byte) => byte !== 9)) throw new Error("into wrote beyond its digest");
    return output.subarray(0, length);
  },
  pieces: (algorithm, own, message) => hashInPieces(algorithm, own, message).digest(),
  many(algorithm, own, message) {
    const count = between(1, 12);
    const place = below(count);
    const messages = Array.from({ length: count }, (_, i) =>
      i === place ? message : counting.subarray(i, below(3000)),
    );
    return algorithm.many(messages, own)[place];
  },
  xof(algorithm, own, message) {
    const hasher = hashInPieces(algorithm, own, message);
    return "xof" in hasher ? readInPieces(hasher, hasher.digestLength) : hasher.digest();
  },
};

// ---- the run ----

const counts = Object.fromEntries(Object.keys(subjects).map((name) => [name, { cases: 0, bytes: 0 }]));

async function runCase(programs) {
  const name = oneOf(Object.keys(subjects));
  const own = subjects[name][0]();
  const length = randomLength();
  const isCounting = length > 4096 || chance(30);
  const message = isCounting ? counting.subarray(0, length) : randomBytes(length);
  const backend = oneOf(["baseline", "simd128"]);
  const way = oneOf(Object.keys(ways));
  useBackend(backend);
  const digests = await wanted(programs, name, own, message, isCounting && name !== "blake384" && name !== "blake512");
  const actual = toHex(ways[way](algorithms[name], own, message));
  if (digests.length === 0) throw new Error(`nobody knows ${name}`);
  for (const digest of digests) {
    if (digest === actual) continue;
    throw new Error(
      `seed ${options.seed}: ${name} ${way} on ${backend}, ${length} bytes, ${JSON.stringify(own)}:\n${actual}\n${digest}`,
    );
  }
  counts[name].cases++;
  counts[name].bytes += length;
}

const programs = start();
const end = Date.now() + 1000 * Number(options.seconds);
let cases = 0;
for (; cases < Number(options.cases) && Date.now() < end; cases++) await runCase(programs);
for (const program of Object.values(programs)) program.end();
console.table(counts);
console.log(`${cases} cases, seed ${options.seed}: all digests agree`);
