// Writes down, as text, the states of every algorithm in situations that have none written down yet. What is written
// stays as it is: it stands for the states that people keep, which every later release must read.
//
//   node test/states/write.mjs
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { algorithms } from "blake-simd";
import { save } from "blake-simd/states";

const VERSION = 1;
const AREA = 65536;

const bytes = (length) => Buffer.from(new Uint8Array(length).map((_, i) => 255 - 3 * i)).toString("hex");
const message = (length) => new Uint8Array(length).map((_, i) => i % 251);

// Options as JSON holds them: bytes as hex, a bigint as its digits.
const blake1 = (saltLength) => ({ plain: {}, salted: { salt: bytes(saltLength) } });
const blake2 = (word) => ({
  plain: {},
  keyed: { key: bytes(8 * word) },
  "short key, short digest": { key: bytes(5), length: 20 },
  "salted, personal": { salt: bytes(2 * word), personal: bytes(word) },
  "tree parameters": {
    key: bytes(9),
    salt: bytes(3),
    fanout: 2,
    maxDepth: 255,
    maxLeafLength: 4_294_967_295,
    nodeOffset: String(2n ** (word === 8 ? 64n : 48n) - 2n),
    nodeDepth: 7,
    innerHashLength: 8 * word,
    lastNode: true,
  },
});
const leaves = (word) => ({ plain: {}, keyed: { key: bytes(8 * word) }, "short digest": { length: 17 } });
const extendable = (word) => ({
  plain: {},
  keyed: { key: bytes(8 * word), length: 200 },
  "salted, personal": { salt: bytes(2 * word), personal: bytes(2 * word), length: 99 },
});

const OPTIONS = {
  blake224: blake1(16),
  blake256: blake1(16),
  blake384: blake1(32),
  blake512: blake1(32),
  blake2b: blake2(8),
  blake2s: blake2(4),
  blake2bp: leaves(8),
  blake2sp: leaves(4),
  blake2xb: extendable(8),
  blake2xs: extendable(4),
  blake3: {
    plain: {},
    keyed: { key: bytes(32) },
    "derive key": { context: bytes(40) },
    "long digest": { length: 1000 },
  },
};

function lengths({ blockLength }) {
  return {
    empty: 0,
    "mid-block": 5,
    "one block": blockLength,
    "block and byte": blockLength + 1,
    "block boundary": 8 * blockLength,
    "chunk boundary": 1024,
    "mid-chunk": 2500,
    "one input area": AREA,
    "beyond the input area": AREA + 5 * 1024 + 77,
  };
}

function situations(algorithm) {
  return Object.entries(OPTIONS[algorithm.algorithm]).flatMap(([kind, options]) =>
    Object.entries(lengths(algorithm)).map(([place, length]) => ({ about: `${kind}, ${place}`, options, length })),
  );
}

/** Options as the algorithm takes them. */
function taken(options) {
  const entries = Object.entries(options).map(([name, value]) => {
    if (name === "nodeOffset") return [name, BigInt(value)];
    return [name, typeof value === "string" ? Uint8Array.from(Buffer.from(value, "hex")) : value];
  });
  return Object.fromEntries(entries);
}

function writeDown(algorithm, { about, options, length }) {
  const state = save(algorithm.create(taken(options)).update(message(length)));
  return { about, options, length, state: Buffer.from(state).toString("hex") };
}

for (const algorithm of Object.values(algorithms)) {
  const file = join(import.meta.dirname, `${algorithm.algorithm}.v${VERSION}.json`);
  const written = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
  const missing = situations(algorithm).filter(({ about }) => !written.some((entry) => entry.about === about));
  const all = [...written, ...missing.map((situation) => writeDown(algorithm, situation))];
  writeFileSync(file, `${JSON.stringify(all, null, 2)}\n`);
  console.log(`${algorithm.algorithm}: ${missing.length} written, ${all.length} in all`);
}
