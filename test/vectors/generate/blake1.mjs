// BLAKE-224 to BLAKE-512.
import { all, around, ascending, hex, lengths, MIB, PATTERN, row, sweeps } from "./documents.mjs";
import { ask } from "./sources.mjs";

const requestOf = ({ options, ...fields }) => ({ ...fields, ...options });

/** As if `count` bytes had left the chaining value as it was: counters near their ends, without the hours. */
function presets(isSmall, block) {
  // The counter counts bits: a 32-bit word of it ends at 2^29 bytes, a 64-bit one at 2^61. Two words of 32 bits count
  // no further.
  const ends = isSmall ? [2n ** 29n, 2n ** 32n, 2n ** 61n] : [2n ** 29n, 2n ** 61n, 2n ** 62n];
  const room = isSmall ? 2n ** 61n : 2n ** 125n;
  const counts = ends.flatMap((end) => [end - 2n * BigInt(block), end - BigInt(block)]);
  const sizes = [1, block - 1, block, block + 1, 5 * block + 3];
  return counts.flatMap((count) =>
    sizes.filter((size) => count + BigInt(size) < room).map((input) => ({ count: String(count), input })),
  );
}

function casesOf(isSmall, block) {
  // The length field begins 9 or 17 bytes before the end of a block.
  const padding = [0, 1, 2].flatMap((n) => around(n * block + block - (isSmall ? 9 : 17), -1, 0, 1));
  const size = block / 4;
  const salts = [hex(size, (i) => i), "ff".repeat(size), hex(size, (i) => 7 * i + 11)];
  const salted = [0, 1, ...padding, block - 1, block, block + 1, 1000, 4097];
  return [
    ...ascending(...lengths(block), ...padding).map((input) => row(input)),
    ...salts.flatMap((salt) => salted.map((input) => row(input, { salt }))),
  ];
}

async function blake1(bits) {
  const name = `blake${bits}`;
  const isSmall = bits < 300;
  const block = isSmall ? 64 : 128;
  const digest = (each) => ask(name, requestOf(each));
  const document = {
    algorithm: name,
    pattern: PATTERN,
    cases: await all(casesOf(isSmall, block), "digest", digest),
    sweeps: await sweeps(digest),
    presets: await all(presets(isSmall, block), "digest", digest),
  };
  if (!isSmall) return document;
  const chains = [block - 1, block + 1, 200, 1000].flatMap((input) => [
    row(input),
    row(input, { salt: hex(16, (i) => i) }),
  ]);
  return {
    ...document,
    chains: await all(chains, "chain", (each) => ask(`${name}-chain`, requestOf(each))),
    large: await all(
      around(512 * MIB, -1, 0, 1, 65).map((input) => row(input)),
      "digest",
      digest,
    ),
  };
}

export const makers = [224, 256, 384, 512].map((bits) => () => blake1(bits));
