// BLAKE3: three modes, extended output, seeks, subtrees.
import {
  all,
  around,
  ascending,
  edges,
  hashOfHex,
  hex,
  KIB,
  lengths,
  MIB,
  PATTERN,
  range,
  row,
  sweeps,
} from "./documents.mjs";
import { ask } from "./sources.mjs";

const modes = {
  hash: {},
  keyed: { key: hex(32, (i) => 0x60 + i) },
  derive: { context: "blake-simd 2025-01-01 00:00:00 test vectors" },
};
const MODES = Object.keys(modes);
const digest = ({ options, ...fields }) => ask("blake3", { ...fields, ...options });

/** The three modes side by side; at the edges of the first chunks with output of more than two blocks. */
function modeCases() {
  const extended = [0, 1, 2, 3, ...edges(64), ...edges(KIB, 4), 1000];
  const powers = range(0, 12).map((power) => KIB << power);
  const chunks = [3, 5, 6, 7, 9, 15, 17, 31, 33, 63, 65, 127, 129].map((count) => count * KIB);
  const near = [...powers, ...chunks].flatMap((size) => around(size, -1, 0, 1));
  const sizes = ascending(...extended, ...lengths(64), ...around(KIB, -65, -64, -63, 63, 64, 65), ...near);
  return Promise.all(
    sizes.map(async (input) => {
      const length = extended.includes(input) ? 131 : 32;
      const outputs = MODES.map(async (mode) => [mode, await digest({ input, length, options: modes[mode] })]);
      return { input, ...Object.fromEntries(await Promise.all(outputs)) };
    }),
  );
}

/** Other keys, and contexts from empty to longer than a chunk. */
const others = [
  ...["00", "ff"].map((byte) => ({ key: byte.repeat(32) })),
  ...["", "a", "\u00e9\u6f22\u{1f511}", "b".repeat(64), "c".repeat(1024), "d".repeat(1025)].map((context) => ({
    context,
  })),
];

/**
 * Reads at edges of blocks, of groups of four, of positions of 32 and 53 bits and of block numbers of 32; and up to the
 * end.
 */
function reads() {
  const powers = [31n, 32n, 38n, 53n, 63n].map((power) => 2n ** power);
  const positions = [
    ...[0, 1, ...around(64, -1, 0, 1), ...around(256, -1, 0, 1), ...around(16 * KIB, -1, 0, 1)].map(BigInt),
    ...powers.flatMap((power) => [-256n, -65n, -64n, -1n, 0n, 1n].map((distance) => power + distance)),
  ];
  const last = [1, 63, 64, 200, 1000].map((length) => [2n ** 64n - 1n - BigInt(length), length]);
  return [...positions.map((position) => [position, 200]), ...last].map(([position, length], i) => [
    { mode: MODES[i % 3], input: [1, 64, 1025, 4096][i % 4], position: String(position) },
    length,
  ]);
}

function subtrees() {
  const shapes = [1, 64, 1023, 1024, 1025, 2047, 2048, 3072, 4096, 5000, 16384, 65537].map((size) => [0n, size]);
  for (const offset of [KIB, 3 * KIB, 2 ** 32 - KIB, 2 ** 42 - KIB, 2 ** 53 - KIB].map(BigInt))
    for (const size of [1, 1023, 1024]) shapes.push([offset, size]);
  const aligned = [
    2 * KIB,
    4 * KIB,
    16 * KIB,
    MIB,
    2 ** 32,
    2 ** 42,
    2 ** 42 + 16 * KIB,
    2 ** 53,
    2 ** 63,
    2 ** 63 + 2 ** 62,
  ];
  for (const offset of aligned.map(BigInt))
    for (const size of [1, 1025, 2048, 16 * KIB]) if (size <= (offset & -offset)) shapes.push([offset, size]);
  // No input is longer than 2^64 - 1, so the last chunk there can be is one byte short.
  shapes.push([2n ** 64n - 1024n, 1023]);
  return shapes.map(([offset, input], i) => ({ mode: MODES[i % 3], offset: String(offset), input }));
}

const chain = ({ mode, ...fields }) => ask("chaining-value", { ...fields, ...modes[mode] });

/** Two chaining values become their parent's, or the root's output. */
async function merge(mode, size) {
  const [left, right] = await Promise.all([0, size].map((offset) => chain({ mode, offset, input: size })));
  const request = { left, right, ...modes[mode] };
  const parent = await ask("parent", request);
  return { mode, left, right, parent, root: await ask("root", { ...request, length: 131 }) };
}

function leftSizes() {
  const whole = [1, 2, 3, 10, 21, 22, 42, 43, 52].map((power) => 1024n << BigInt(power));
  const sizes = whole.flatMap((size) => [size - 1n, size, size + 1n]);
  return [1025n, ...sizes, 2n ** 63n, 2n ** 63n + 1n, 2n ** 64n - 2n].map((size) => ({ size: String(size) }));
}

async function blake3() {
  const long = MODES.flatMap((mode) =>
    [...[KIB, 16 * KIB].flatMap((n) => around(n, -1, 0, 1)), ...around(64 * KIB, -1, 1), MIB].map((length) =>
      row(1025, { length, ...modes[mode] }),
    ),
  );
  const chunks = [...range(0, 8), 12, 2 ** 22 - 1, 2 ** 22, 3 * 2 ** 21, 2 ** 43, 2 ** 53].map(BigInt);
  const offsets = [...chunks, 2n ** 54n - 1n].map((count) => ({ offset: String(count * 1024n) }));
  const everyLength = await Promise.all(MODES.map((mode) => sweeps(digest, modes[mode])));
  return {
    algorithm: "blake3",
    pattern: PATTERN,
    modes,
    modeCases: await modeCases(),
    cases: await all(
      others.flatMap((options) => [row(0, options), row(1025, options)]),
      "digest",
      digest,
    ),
    long: await all(long, "sha256", async (each) => hashOfHex([await digest(each)])),
    sweeps: everyLength.flat(),
    xof: await Promise.all(
      reads().map(async ([{ mode, ...fields }, length]) => ({
        mode,
        ...fields,
        output: await digest({ ...fields, length, options: modes[mode] }),
      })),
    ),
    subtrees: await all(subtrees(), "chainingValue", chain),
    merges: await Promise.all(MODES.flatMap((mode) => [merge(mode, 1024), merge(mode, 4096)])),
    leftSizes: await all(leftSizes(), "leftSize", ({ size }) => ask("left-length", { length: size })),
    // By the rule a subtree at offset 0 may have any length; that is written as 0.
    longestSubtrees: await all(offsets, "longest", ({ offset }) => ask("max-length", { offset })),
    large: await all(
      around(4 * KIB * MIB, -1, 0, 1).map((input) => row(input)),
      "digest",
      digest,
    ),
  };
}

export const makers = [blake3];
