// BLAKE2b and BLAKE2s with every parameter, BLAKE2bp and BLAKE2sp, BLAKE2Xb and BLAKE2Xs. Words have `w` bits, so that
// w is also the longest digest in bytes, and half a block.
import {
  all,
  around,
  ascending,
  edges,
  hashOfHex,
  KIB,
  keyOf,
  labelsOf,
  lengths,
  MIB,
  PATTERN,
  range,
  row,
  sweeps,
  written,
} from "./documents.mjs";
import { ask } from "./sources.mjs";

const requestOf = ({ options, ...fields }) => ({ ...fields, ...options });

/** Every value of a tree parameter at its bounds. */
function bounds(w) {
  const longest = w === 64 ? 2n ** 64n - 1n : 2n ** 48n - 1n;
  const powers = [31n, 32n, 47n, 53n, 63n].map((power) => 2n ** power);
  const offsets = [0n, 1n, ...powers, 2n ** 32n - 1n, 2n ** 48n - 1n, 2n ** 53n - 1n, 2n ** 53n + 1n, 2n ** 64n - 1n];
  return {
    fanout: [0, 1, 2, 255],
    maxDepth: [1, 2, 255],
    maxLeafLength: [0, 1, 2 ** 31, 2 ** 32 - 1],
    nodeOffset: offsets.filter((offset) => offset <= longest).sort((a, b) => (a < b ? -1 : 1)),
    nodeDepth: [0, 1, 255],
    innerHashLength: [0, 1, w - 1, w],
    lastNode: [false, true],
  };
}

function* serialCases(w, sizes) {
  for (const size of ascending(...lengths(2 * w))) yield [size];
  for (const length of range(1, w)) yield [sizes[length % 10], { length }];
  for (const length of range(1, w)) yield [sizes[length % 10], { key: keyOf(length), length: 32 }];
  for (const size of sizes) yield [size, { key: keyOf(w) }];
  for (const length of range(1, w / 4)) {
    const { salt, personal } = labelsOf(length);
    yield [3, { length: 32, salt }];
    yield [3, { length: 32, personal }];
    yield [2 * w, { length: 20, key: keyOf(length), salt, personal }];
  }
  const tree = Object.entries(bounds(w));
  for (const [name, values] of tree) for (const value of values) yield [3, { length: 32, [name]: value }];
  const most = Object.fromEntries(tree.map(([name, values]) => [name, values.at(-1)]));
  for (const size of sizes) {
    yield [size, { lastNode: true }];
    yield [size, { length: w - 1, key: keyOf(5), ...labelsOf(w / 4), ...most }];
  }
}

/** As if `count` bytes had left the chaining value as it was: counters near their ends, without the hours. */
function serialPresets(w) {
  const block = BigInt(2 * w);
  const counts = [31n, 32n, 53n, 64n].map((power) => 2n ** power).flatMap((end) => [end - 2n * block, end - block]);
  const sizes = [1, 2 * w, 2 * w + 1, 4 * w + 1, 10 * w + 3];
  // BLAKE2s has no third counter word.
  const fits = (count, size) => w === 64 || count + BigInt(size) < 2n ** 64n;
  return counts.flatMap((count) => sizes.filter((size) => fits(count, size)).map((input) => presetRow(count, input)));
}

const presetRow = (count, input) => ({ count: String(count), input });

/** The two-level tree of hashlib's documentation: leaves of equal size under one root. */
async function tree(name, w, [pattern, input, maxLeafLength, fanout, root]) {
  const message = new Uint8Array(input).map((_, i) => (pattern === "counting" ? i % 251 : 0));
  const shape = { fanout, maxDepth: 2, maxLeafLength, innerHashLength: w };
  const node = (pieces, bytes, place) =>
    all([{ ...pieces, options: { ...shape, ...place } }], "digest", ({ options }) =>
      ask(name, { message: bytes, ...options }),
    );
  const starts = range(0, Math.ceil(input / maxLeafLength) - 1).map((i) => i * maxLeafLength);
  const leaves = starts.map((from, nodeOffset) => {
    const to = Math.min(from + maxLeafLength, input);
    return node({ from, to }, message.subarray(from, to), { nodeOffset, nodeDepth: 0, lastNode: to === input });
  });
  const nodes = (await Promise.all(leaves)).flat();
  const joined = Buffer.from(nodes.map(({ digest }) => digest).join(""), "hex");
  const children = nodes.map((_, i) => i);
  nodes.push(...(await node({ children }, joined, { nodeOffset: 0, nodeDepth: 1, lastNode: true, ...root })));
  return { pattern, input, nodes };
}

const TREES = [
  ["zeros", 6000, 4096, 2, { length: 32 }],
  ["counting", 5 * KIB + 1, KIB, 0],
];

async function serial(name, w) {
  const block = 2 * w;
  const sizes = [0, 1, 3, ...around(block, -1, 0, 1), ...around(2 * block, -1, 0, 1), 1000];
  const digest = (each) => ask(name, requestOf(each));
  const rows = (inputs) => inputs.map((input) => row(input));
  return {
    algorithm: name,
    pattern: PATTERN,
    cases: await all(
      [...serialCases(w, sizes)].map((each) => row(...each)),
      "digest",
      digest,
    ),
    sweeps: [...(await sweeps(digest)), ...(await sweeps(digest, { key: keyOf(w) }, 4097))],
    trees: await Promise.all(TREES.map((each) => tree(name, w, each))),
    presets: await all(serialPresets(w), "digest", digest),
    chains: await all(rows([block - 1, block + 1, 200, 1000]), "chain", (each) => ask(`${name}-chain`, each)),
    // Counters past 2^32 for real.
    large: await all(rows(around(4 * KIB * MIB, -1, 0, 1, 2 * block + 1)), "digest", digest),
  };
}

// ---- leaves ----

async function parallel(name, w, leaves) {
  const block = 2 * w;
  const stripe = block * leaves;
  const near = around(stripe, -1, 0, 1);
  const sizes = [0, 1, block, stripe - block, ...near, 2 * stripe, 2 * stripe + 1, 5000];
  const cases = [
    ...ascending(...lengths(stripe), ...edges(block, leaves + 1)).map((size) => [size]),
    ...range(1, w).map((length) => [sizes[length % 10], { length }]),
    ...range(1, w).map((length) => [sizes[length % 10], { length: 32 - (length % 4), key: keyOf(length) }]),
    ...sizes.map((size) => [size, { key: keyOf(w) }]),
  ];
  // As if `count` bytes, the same to each leaf, had left every chaining value as it was.
  const counts = [2 ** 32, 2 ** 32 * leaves].flatMap((end) => [end - 2 * stripe, end - stripe]);
  const presets = counts.flatMap((count) =>
    [1, stripe, stripe + 1, 3 * stripe - block + 1].map((input) => presetRow(count, input)),
  );
  const digest = (each) => ask(name, requestOf(each));
  return {
    algorithm: name,
    pattern: PATTERN,
    cases: await all(
      cases.map((each) => row(...each)),
      "digest",
      digest,
    ),
    sweeps: [...(await sweeps(digest)), ...(await sweeps(digest, { key: keyOf(w) }, 4097))],
    presets: await all(presets, "digest", digest),
  };
}

// ---- extendable ----

function* extendableCases(w) {
  for (const size of ascending(...lengths(2 * w))) if (size <= 64 * KIB + 1) yield [size, { length: w }];
  for (const length of [1, 2, 3, ...edges(w), 255, 256, 257]) yield [3, { length }];
  for (const length of range(1, w)) yield [length % 5, { length: 32 + (length % 3), key: keyOf(length) }];
  for (const length of range(1, w / 4)) {
    const { salt, personal } = labelsOf(length);
    yield [3, { length: w + 1, salt }];
    yield [3, { length: w + 1, personal }];
    yield [2 * w, { length: 100, key: keyOf(length), salt, personal }];
  }
}

/** Reads of an output of unknown length, which ends where the 32-bit block number does. */
function reads(w) {
  const end = 2 ** 32 * w;
  const middles = [2 ** 31, 2 ** 32, 2 ** 31 * w].flatMap((middle) => around(middle, -w, -1, 0, 1));
  const starts = [0, 1, ...around(w, -1, 0, 1), ...around(4 * w, -1, 0, 1), 16 * KIB - 1, ...middles];
  const kinds = [{}, { key: keyOf(w) }, { salt: labelsOf(w / 4).salt }];
  return [...starts, end - 4 * w, end - 100].map((position, i) => ({
    ...row(2 * w + 1, kinds[i % 3]),
    position: String(position),
  }));
}

async function extendable(name, w) {
  const declared = (request) => ask(name, { ...request, total: request.length });
  // BLAKE2Xs declares a length in 16 bits, of which all ones mean an unknown one.
  const long = [KIB, 16 * KIB, 64 * KIB].flatMap((length) =>
    around(length, ...(length > 16 * KIB ? [-2] : []), -1, 0, 1),
  );
  const short = long.filter((length) => length < 2 ** (w / 2) - 1);
  const sweeps = [{}, { key: keyOf(w) }].flatMap((options) =>
    [1, 129, 257, 385].map((from) => ({ input: 3, from, to: from + 127, ...written(options) })),
  );
  return {
    algorithm: name,
    pattern: PATTERN,
    cases: await all(
      [...extendableCases(w)].map((each) => row(...each)),
      "digest",
      (each) => declared(requestOf(each)),
    ),
    long: await all(
      short.map((length) => row(3, { length })),
      "sha256",
      async (each) => hashOfHex([await declared(requestOf(each))]),
    ),
    sweeps: await all(sweeps, "sha256", async ({ input, from, to, options }) =>
      hashOfHex(await Promise.all(range(from, to).map((length) => declared({ input, length, ...options })))),
    ),
    xof: await all(reads(w), "output", (each) => ask(name, { ...requestOf(each), length: 100 })),
  };
}

export const makers = [
  () => serial("blake2b", 64),
  () => serial("blake2s", 32),
  () => parallel("blake2bp", 64, 4),
  () => parallel("blake2sp", 32, 8),
  () => extendable("blake2xb", 64),
  () => extendable("blake2xs", 32),
];
