// No number that a stranger wrote sizes an allocation or a loop: each place where one comes in, with numbers that no
// bytes back. An allocation of that size would throw another error, and a loop would not end.
import { blake3, toHex } from "blake-simd";
import {
  BaoDecodeStream,
  BaoEncodeStream,
  fetchVerified,
  nodesOf,
  Outboard,
  outboard,
  outboardOf,
  outboardOfGroups,
  rangeOf,
  VerifiedRangeStream,
} from "blake-simd/bao";
import {
  chainingValue,
  leftSubtreeLength,
  maxSubtreeLength,
  partsOf,
  SubtreeCollector,
  SubtreeHasher,
} from "blake-simd/hazmat";
import { Blake3Pool } from "blake-simd/parallel";
import { restore, save } from "blake-simd/states";
import { digestOf } from "blake-simd/streams";
import { describe, expect, it } from "vitest";
import { blakesum, write } from "../support/blakesum.ts";

const NUMBERS = [2 ** 53 - 1, 10 ** 12];
const content = new Uint8Array(100_000).map((_, i) => i % 251);
const tree = outboard(content, { group: 1024 });
const { root } = tree;
const zeros = new Uint8Array(4096);

const integer = (n) => new Uint8Array(new BigUint64Array([BigInt(n)]).buffer);
const concat = (...parts) => Uint8Array.from(parts.flatMap((part) => [...part]));
const through = (stream, bytes) => new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer();

/** The parts of an outboard that a root of zeros has: nothing in it is right. */
const wrongParts = (n) => Outboard.fromParts([{ start: 8, bytes: zeros }], { root, length: n, group: 1024 });

/** A server that gives `headerOf`'s outboard, and zeros as long as asked for, up to a limit. */
const server =
  (claim, change = (headers) => headers) =>
  async (_, { headers }) => {
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.Range);
    const body = new Uint8Array(Math.min(last - first + 1, 2 ** 20));
    if (first === "0") body.set(integer(claim));
    const own = change({ "Content-Range": `bytes ${first}-${last}/*` });
    return new Response(body, { status: 206, headers: own });
  };
const fetched = async (options) => {
  const stream = await fetchVerified("https://a.example/content", { root, ...options });
  return new Response(stream).arrayBuffer();
};
const remote = (options) => ({ url: "https://a.example/nodes", group: 1024, ...options });

const pool = new Blake3Pool({ threads: 0 });

/** A file that has a piece of zeros after the other, up to a limit, whatever its size says. */
const claimed = (n, limit) => ({
  fd: -5,
  stat: async () => ({ size: BigInt(n), dev: 1n, ino: 1n, isFile: () => true }),
  async read(target, at, length, position) {
    const bytesRead = position < limit ? length : 0;
    target.fill(0, at, at + bytesRead);
    return { bytesRead };
  },
});

function crc32(bytes) {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let i = 0; i < 8; i++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

/** A saved state with changes and a checksum that is right. */
function forged(state, change, length = state.length) {
  const bytes = new Uint8Array(length);
  bytes.set(state.subarray(0, Math.min(length, state.length) - 4));
  const view = new DataView(bytes.buffer);
  change(view);
  view.setUint32(length - 4, crc32(bytes.subarray(0, -4)), true);
  return bytes;
}

/** A state of a collector that has no value, of 140 bytes, which claims other numbers. */
const collectorState = (length, partLength, group, offset = 0) =>
  forged(
    new SubtreeCollector(5000, 1024).save(),
    (view) => {
      view.setUint32(28, 140 - 32 - 72 - 4, true);
      for (const [i, n] of [offset, length, partLength, group].entries())
        view.setBigUint64(72 + 8 * i, BigInt(n), true);
    },
    140,
  );

const halfOf = (n) => 2 ** Math.ceil(Math.log2(n) - 1);
const first = (iterable) => JSON.stringify(iterable[Symbol.iterator]().next().value);

/** What is called, and what comes of it: the end of an error's message, or a value. `right` is for both numbers. */
const rows = [
  ["nodesOf, all of it", (n) => `${nodesOf({ length: n, group: 1024 }).length} run`, "1 run"],
  ...["bao", "iroh", "post-order"].map((format) => [
    `nodesOf in ${format}, from the middle on`,
    (n) => nodesOf({ length: n, group: 1024, format }, { start: Math.floor(n / 2) }).length < 64,
    "true",
  ]),
  ["rangeOf", (n) => rangeOf({ length: n, group: 1024 }, { start: 5 }).start, "0"],
  [
    "a header of an encoding that ends",
    (n) => through(new BaoDecodeStream(root), integer(n)),
    "ended early, at byte 0",
  ],
  [
    "a header of an encoding",
    (n) => through(new BaoDecodeStream(root), concat(integer(n), zeros)),
    "the node of the tree",
  ],
  [
    "a header of iroh's response to a range at the end",
    (n) => through(new BaoDecodeStream(root, { format: "iroh", start: n - 1 }), concat(integer(n), zeros)),
    "the node of the tree",
  ],
  ["a header of an outboard", (n) => Outboard.from(concat(integer(n), zeros), { root }), "input ended early"],
  ["the length of an outboard", (n) => Outboard.from(zeros, { root, length: n, format: "iroh" }), "input ended early"],
  ["the length of an outboard's parts", (n) => through(new VerifiedRangeStream(wrongParts(n)), content), "the node of"],
  [
    "the length of parts, encoded from the end on",
    (n) => through(new BaoEncodeStream(wrongParts(n), { start: n - 1 }), content),
    "the node of the tree",
  ],
  [
    "the offset of an outboard's part",
    (n) => {
      const part = Outboard.fromParts([{ start: n, bytes: zeros }], { root, length: content.length, group: 1024 });
      return through(new VerifiedRangeStream(part), content);
    },
    "must hold the range's nodes",
  ],
  ["the length of an object of groups", (n) => outboardOfGroups(zeros, { root, length: n }), "values must have"],
  [
    "a remote outboard's header",
    (n) => fetched({ outboard: remote(), fetch: server(n) }),
    "the node of the tree over byte 0 does not match",
  ],
  [
    "a remote outboard's header, for the end",
    (n) => fetched({ outboard: remote(), fetch: server(n), start: n - 5 }),
    "the node of the tree over byte 0 does not match",
  ],
  ...["iroh", "post-order"].map((format) => [
    `a remote outboard's length, in ${format}`,
    (n) => fetched({ outboard: remote({ format, length: n }), fetch: server(n) }),
    "the node of the tree over byte 0 does not match",
  ]),
  [
    "Content-Length",
    (n) => fetched({ outboard: tree, fetch: server(n, (own) => ({ ...own, "Content-Length": `${n}` })) }),
    "content from byte 0 does not match",
  ],
  [
    "the length in Content-Range",
    (n) => fetched({ outboard: tree, fetch: server(n, () => ({ "Content-Range": `bytes 0-99999/${n}` })) }),
    "must have Content-Range",
  ],
  [
    "the end in Content-Range",
    (n) => fetched({ outboard: tree, fetch: server(n, () => ({ "Content-Range": `bytes 0-${n}/*` })) }),
    "must have Content-Range",
  ],
  [
    "Content-Length of a hashed response",
    async (n) => {
      const source = new Response(content, { headers: { "Content-Length": `${n}` } });
      return toHex(await digestOf(blake3, source)) === toHex(root);
    },
    "true",
  ],
  ["parts in a saved collector", (n) => SubtreeCollector.restore(collectorState(n, 65536, 0)), "must have"],
  [
    "groups in a saved collector",
    (n) => SubtreeCollector.restore(collectorState(n, halfOf(n), halfOf(n / 2 ** 26))),
    "must have bytes 1,",
  ],
  [
    "groups in a saved collector that is right",
    (n) => {
      const saved = new SubtreeCollector(n, halfOf(n), { group: 1024 }).save();
      return first(SubtreeCollector.restore(saved).missing);
    },
    '{"offset":0',
  ],
  [
    "the offset in a saved collector",
    (n) => SubtreeCollector.restore(collectorState(4096, 1024, 0, n)),
    "offset must be|state must have bytes 1,",
  ],
  [
    "the length of a part in a saved collector",
    (n) => SubtreeCollector.restore(collectorState(5000, n, 0)),
    "partLength",
  ],
  ["a group in a saved collector", (n) => SubtreeCollector.restore(collectorState(5000, 1024, n)), "group must be"],
  [
    "the digest length in a saved hasher",
    (n) =>
      restore(
        blake3,
        forged(save(blake3.create()), (view) => view.setBigUint64(16, BigInt(n), true)),
      ).digest(),
    "length must be a number of bytes that can be allocated",
  ],
  [
    "the byte count in a saved hasher",
    (n) =>
      restore(
        blake3,
        forged(save(blake3.create()), (view) => {
          const state = 32 + view.getUint32(24, true);
          view.setBigUint64(state + 16, BigInt(n), true);
        }),
      ),
    "state must have",
  ],
  ...[24, 28].map((at) => [
    `the length at byte ${at} of a saved hasher`,
    (n) =>
      restore(
        blake3,
        forged(save(blake3.create()), (view) => view.setUint32(at, n % 2 ** 32, true)),
      ),
    "state must have",
  ]),
  ...[0, 2 ** 21].flatMap((limit) => [
    [
      `the size of a file of ${limit} bytes, by a pool`,
      (n) => pool.hash(claimed(n, limit)),
      "the file became shorter|length must be a number of bytes that can be allocated",
    ],
    [
      `the size of a file of ${limit} bytes, for an outboard`,
      (n) => outboardOf(claimed(n, limit), { pool, group: 1024 }),
      "the file became shorter|length must be a number of bytes that can be allocated",
    ],
  ]),
  ["the parts of an object", (n) => first(partsOf(n, 1024)), '{"offset":0,"length":1024}'],
  [
    "the offset of a part",
    (n) => new SubtreeCollector(5000, 1024).set(n, new Uint8Array(32)),
    "offset must be that of a part",
  ],
  ["a subtree's offset", (n) => chainingValue(zeros, { offset: n - (n % 1024) }), "input must have at most|^[\\d,]+$"],
  ["a hasher's offset", (n) => new SubtreeHasher({ offset: n - (n % 1024) }).update("a").chainingValue().length, "32"],
  ["the length of a left subtree", (n) => leftSubtreeLength(n) < n, "true"],
  ["the length of a subtree at an offset", (n) => maxSubtreeLength(n - (n % 1024)) >= 1024, "true"],
  [
    "a position of extendable output",
    (n) => {
      const xof = blake3.create().xof();
      xof.position = n;
      return xof.read(5).length;
    },
    "5",
  ],
].flatMap(([name, call, right]) => NUMBERS.map((number) => ({ name, number, call, right })));

it.each(rows)("$name: $number", { timeout: 10_000 }, async ({ call, number, right }) => {
  const result = await (async () => call(number))().then(String, String);
  expect(result).toMatch(new RegExp(right));
});

describe.each([10n ** 12n, 2n ** 53n - 1n, 2n ** 64n - 1n])("the command, given %d", (number) => {
  const hash = "0".repeat(64);
  const header = () => write("claim", new Uint8Array(new BigUint64Array([number]).buffer));
  const list = (text) => write("list", text);

  it.each([
    [
      ["bao", "slice", "999000", "10", "claim"],
      header,
      /claim: slice: (input ended early|the header must hold .*below 2\^53)/,
    ],
    [["bao", "decode", hash, "claim"], header, /input ended early|length, below 2\^53/],
    [
      ["bao", "decode", hash, "claim", "--start=5"],
      header,
      /slice: (input ended early|the header must hold .*below 2\^53)/,
    ],
    [["bao", "decode", hash, "claim", "--outboard=claim"], header, /input ended early|length, below 2\^53/],
    [["bao", "decode-slice", hash, "5", "5", "claim"], header, /input ended early|length, below 2\^53/],
    [["--merge=5000", "1024", "list"], () => list(`${number}+1024 ${hash}\n`), /line 1: (must be|offset|the part)/],
    [["--merge=5000", "1024", "list"], () => list(`0+${number} ${hash}\n`), /line 1: (must be|the part at 0 has 1024)/],
    [["--check", "list"], () => list(`BLAKE2b-${number} (claim) = ${hash}\n`), /no .*checksum|format/],
    [["--check", "list"], () => list(`BLAKE3-${number} (claim) = ${hash}\n`), /no .*checksum|format/],
  ])("%j", async (args, prepare, message) => {
    prepare();
    const { status, stderr } = await blakesum(args);
    expect(status).toBe(1);
    expect(stderr).toMatch(message);
  });
});
