// BLAKE3. A state stands for a message if it has its length, the chunk in progress as a chaining value and waiting bytes, and the
// values of the whole subtrees before that. These are the binary digits of their number of chunks, the largest first; if no chunk
// is in progress, the last of them may still be in parts: a subtree, and then one more of the size of the last.
import { any, anyFlags, areas, key, message, state } from "./kernel.mjs";
import { around, range, some } from "./ranges.mjs";
import * as spec from "./specification.mjs";
import { BLOCK_3 as BLOCK, bytesOfWords, CHUNK_3 as CHUNK, littleEndian, padded, wordsOf } from "./specification.mjs";
import { bytesOf, or } from "./terms.mjs";

const { STATE, ONESHOT, ROOT, JOBS, OUTPUT, INPUT } = areas;
const VALUE = 32;
const [BUFFERED_AT, DEPTH_AT, STACK_AT, STACK_END] = [4, 164, 176, 176 + 55 * VALUE];

/** Any key, which may be the initial value, and any flags: so they are those of each mode. */
export const anyMode = () => ({ flags: anyFlags(), key: () => key(VALUE) });

const parameters = ({ flags, key }, origin = 0n) => [
  ...key(),
  ...bytesOf(flags, 4),
  0,
  0,
  0,
  0,
  ...littleEndian(origin, 8),
];
const keyOf = ({ key }) => wordsOf(key(), 32);
const bytesIn = (words) => bytesOfWords(words, 32);
const ones = (n) => n.toString(2).replaceAll("0", "").length;

/** The sizes of the subtrees on a stack of so many, after so many chunks. */
function sizesOf(chunks, depth) {
  let sizes = [...chunks.toString(2)]
    .reverse()
    .flatMap((digit, i) => (digit === "1" ? [1n << BigInt(i)] : []))
    .reverse();
  while (sizes.length < depth) {
    const last = sizes.at(-1);
    if (last === 1n) throw new Error(`no ${depth} subtrees make ${chunks} chunks`);
    sizes = [...sizes.slice(0, -1), last / 2n, last / 2n];
  }
  return sizes;
}

/** The first chunk and the size of each. */
const placesOf = (sizes) => sizes.map((size, i) => [sizes.slice(0, i).reduce((a, b) => a + b, 0n), size]);

/** The state's bytes: `values` on the stack, `blocks` blocks of the chunk in `chain`. */
const stateOf = ({ key, flags }, { origin, count, values, chain, blocks, waiting }) => [
  ...[STACK_AT + VALUE * values.length, waiting.length, 0].flatMap((n) => littleEndian(n, 4)),
  ...bytesOf(flags, 4),
  ...littleEndian(count, 16),
  ...key(),
  ...bytesIn(chain),
  ...waiting,
  ...any(BLOCK - waiting.length),
  ...[blocks, values.length].flatMap((n) => littleEndian(n, 4)),
  ...littleEndian(origin, 8),
  ...values.flatMap(bytesIn),
];

const blocksOf = (rest) => (rest > 0 ? Math.ceil(rest / BLOCK) - 1 : 0);

/**
 * Any state after so many chunks and `rest` bytes of the next, with a stack of this depth; and its tree with more bytes after it: all
 * values that are known, and the nodes of chunks.
 */
function anyState(mode, { origin = 0n, chunks, rest, depth = ones(chunks) }) {
  const blocks = blocksOf(rest);
  const sizes = sizesOf(chunks, depth);
  const values = sizes.map((_, i) => wordsOf(state(VALUE, 5000 + VALUE * i), 32));
  const chain = blocks > 0 ? wordsOf(state(VALUE), 32) : keyOf(mode);
  const waiting = state(rest - blocks * BLOCK, 1000);
  const count = chunks * BigInt(CHUNK) + BigInt(rest);
  const known = new Map(placesOf(sizes).map(([from, size], i) => [`${from} ${size}`, values[i]]));
  const treeWith = (input) => {
    const data = [...waiting, ...input];
    const first = CHUNK - blocks * BLOCK; // bytes of the chunk in progress that are in `data`, at most
    const chunkAt = (t) => {
      if (t === chunks) return spec.chunk3(chain, mode.flags, data.slice(0, first), origin + t, blocks);
      const at = first + Number(t - chunks - 1n) * CHUNK;
      return spec.chunk3(keyOf(mode), mode.flags, data.slice(at, at + CHUNK), origin + t);
    };
    const subtreeAt = (from, n) => known.get(`${from} ${n}`);
    const node = (from, n) => spec.tree3(keyOf(mode), mode.flags, from, n, chunkAt, subtreeAt);
    const value = (from, n) => subtreeAt(from, n) ?? spec.chainingValue(node(from, n));
    // Whether all of these subtrees can be made: what is known as one value cannot be parted again.
    const canMake = (all) =>
      placesOf(all).every(
        ([from, n]) => !placesOf(sizes).some(([at, size]) => at <= from && from + n <= at + size && n < size),
      );
    return { node, value, canMake, data, first };
  };
  const bytes = stateOf(mode, { origin, count, values, chain, blocks, waiting });
  return { bytes, count, chain, blocks, treeWith, origin, chunks, rest };
}

function placeState(kernel, at, bytes) {
  const end = bytes.indexOf(undefined);
  if (end === -1) return kernel.place(at, bytes);
  const next = bytes.lastIndexOf(undefined) + 1;
  kernel.place(at, bytes.slice(0, end));
  kernel.place(at + next, bytes.slice(next));
}

/** The chaining value and the waiting bytes of the last chunk: `rest` bytes of chunk number `t`. */
function inProgress(mode, before, input, t, rest) {
  const { data, first } = before.treeWith(input);
  const blocks = blocksOf(rest);
  const isSame = t === before.chunks;
  const at = isSame ? 0 : first + Number(t - before.chunks - 1n) * CHUNK;
  let [chain, done] = isSame ? [before.chain, before.blocks] : [keyOf(mode), 0];
  let bytes = data.slice(at);
  for (; done < blocks; done++, bytes = bytes.slice(BLOCK)) {
    const flags = or(32, mode.flags, done === 0 ? spec.CHUNK_START : 0);
    chain = spec.compress3(chain, bytes.slice(0, BLOCK), before.origin + t, BLOCK, flags).slice(0, 8);
  }
  return { chain, blocks, waiting: bytes };
}

/** The states after a given number of bytes: with a chunk in progress, or without. */
const formsOf = (count) => {
  const [chunks, rest] = [count / BigInt(CHUNK), Number(count % BigInt(CHUNK))];
  if (rest > 0) return [{ chunks, rest, depth: ones(chunks) }];
  if (chunks === 0n) return [{ chunks, rest, depth: 0 }];
  return [{ chunks: chunks - 1n, rest: CHUNK, depth: ones(chunks - 1n) }, ...withoutRest(chunks)];
};

function proveUpdate(kernel, mode, at, start, length) {
  const before = anyState(mode, start);
  const input = message(length);
  kernel.begin();
  placeState(kernel, at, before.bytes);
  kernel.place(INPUT, input);
  const count = before.count + BigInt(length);
  const { value, canMake } = before.treeWith(input);
  const bytesAfter = ({ chunks, rest, depth }) => {
    const sizes = sizesOf(chunks, depth);
    const values = placesOf(sizes).map(([from, size]) => value(from, size));
    const none = { chain: keyOf(mode), blocks: 0, waiting: [] };
    const chunk = rest > 0 ? inProgress(mode, before, input, chunks, rest) : none;
    return stateOf(mode, { origin: before.origin, count, values, ...chunk });
  };
  // Of a message of whole chunks a state has several forms; which one it is, is the kernel's choice.
  const forms = formsOf(count)
    .filter(({ chunks, depth }) => chunks >= before.chunks && canMake(sizesOf(chunks, depth)))
    .map((form) => ({ ...form, bytes: bytesAfter(form) }));
  const leaves = (memory) => {
    const [depth, buffered] = [memory.load(at + DEPTH_AT, 4), memory.load(at + BUFFERED_AT, 4)];
    const form = forms.find((one) => one.depth === depth && one.rest > 0 === buffered > 0);
    return [[at, (form ?? forms[0]).bytes]];
  };
  const scratch = [[at + STACK_AT, at + STACK_END]];
  kernel.call("update", [at, INPUT, length], {
    leaves,
    scratch,
    what: `after ${start.chunks} chunks and ${start.rest} bytes`,
  });
}

const chunksIn = ({ chunks, rest }) => (rest > 0 || chunks === 0n ? chunks + 1n : chunks);
const nodeBytes = ({ h, block, t, length, flags }) => [
  ...bytesIn(h),
  ...padded(block, BLOCK),
  ...littleEndian(length, 4),
  ...bytesOf(flags, 4),
  ...littleEndian(t, 8),
];

function proveFinalize(kernel, mode, at, start, length) {
  const before = anyState(mode, start);
  const node = before.treeWith([]).node(0n, chunksIn(start));
  const what = `after ${start.chunks} chunks and ${start.rest} bytes`;
  const begin = () => {
    kernel.begin();
    placeState(kernel, at, before.bytes);
  };
  begin();
  kernel.call("finalize", [at, length], {
    leaves: [
      [at, before.bytes],
      [OUTPUT, spec.output3(node, length)],
    ],
    what,
  });
  begin();
  kernel.call("chain", [at], {
    leaves: [
      [at, before.bytes],
      [OUTPUT, bytesIn(spec.chainingValue(node))],
    ],
    what,
  });
  begin();
  const root = nodeBytes({ ...node, flags: or(32, node.flags, spec.ROOT) });
  kernel.call("root", [at], {
    leaves: [
      [at, before.bytes],
      [ROOT, root],
    ],
    what,
  });
}

function proveInit(kernel, mode, at, origin) {
  kernel.begin(parameters(mode, origin));
  const bytes = anyState(mode, { origin, chunks: 0n, rest: 0 }).bytes;
  kernel.call("init", [at], { leaves: [[at, bytes]] });
}

function proveJoin(kernel, mode, at, origin) {
  const values = message(2 * VALUE);
  const [left, right] = [values.slice(0, VALUE), values.slice(VALUE)].map((bytes) => wordsOf(bytes, 32));
  kernel.begin(parameters(mode, origin));
  kernel.place(INPUT, values);
  const start = { origin, count: 0n, values: [left, right], chain: keyOf(mode), blocks: 0, waiting: [] };
  const bytes = stateOf(mode, start);
  kernel.call("join", [at], {
    leaves: [
      [at, bytes],
      [INPUT, new Array(2 * VALUE).fill(0)],
    ],
  });
  const node = spec.parent3(keyOf(mode), mode.flags, left, right);
  const root = nodeBytes({ ...node, flags: or(32, node.flags, spec.ROOT) });
  kernel.call("root", [at], {
    leaves: [
      [at, bytes],
      [ROOT, root],
    ],
  });
  kernel.call("chain", [at], {
    leaves: [
      [at, bytes],
      [OUTPUT, bytesIn(spec.chainingValue(node))],
    ],
  });
  kernel.call("finalize", [at, 33], {
    leaves: [
      [at, bytes],
      [OUTPUT, spec.output3(node, 33)],
    ],
  });
}

/** Any root, which came from a chunk or a parent. */
/** From byte `from` on after block `first`; these are the words of that position. */
export function proveSqueezeAt(kernel, mode, [low, high], first, from, length, blockLength) {
  const node = {
    h: wordsOf(state(VALUE), 32),
    block: state(blockLength, 1000),
    t: 0n,
    length: blockLength,
    flags: or(32, mode.flags, spec.ROOT),
  };
  kernel.begin();
  const bytes = nodeBytes(node);
  kernel.place(ROOT, bytes);
  const leaves = [
    [ROOT, bytes],
    [OUTPUT, spec.output3(node, length, from, first)],
  ];
  kernel.call("squeeze", [low, high, length], { leaves });
}
const proveSqueeze = (kernel, mode, from, ...rest) =>
  proveSqueezeAt(kernel, mode, [(from % 2 ** 32) | 0, Math.floor(from / 2 ** 32)], 0n, from, ...rest);

function proveHash(kernel, mode, length, outputLength) {
  const input = message(length);
  kernel.begin(parameters(mode));
  kernel.place(INPUT, input);
  const output = spec.blake3(mode.key(), mode.flags, input, outputLength);
  const leaves = [
    [INPUT, new Array(length).fill(0)],
    [OUTPUT, output],
  ];
  // A message of a chunk has its value in OUTPUT, of which the digest may be a part.
  const open = [[OUTPUT, OUTPUT + VALUE]];
  const scratch = [
    [ONESHOT, ONESHOT + STACK_END],
    [INPUT + length, INPUT + length + BLOCK],
  ];
  kernel.call("hash", [length, outputLength], { leaves, scratch, open });
}

function proveMany(kernel, mode, lengths) {
  kernel.begin(parameters(mode));
  const messages = [];
  let at = INPUT;
  for (const length of lengths) {
    messages.push(message(length, at));
    kernel.place(at, messages.at(-1));
    at += Math.max(1, Math.ceil(length / BLOCK)) * BLOCK;
  }
  kernel.place(
    JOBS,
    lengths.flatMap((length) => littleEndian(length, 4)),
  );
  const digests = messages.flatMap((bytes) => spec.blake3(mode.key(), mode.flags, bytes, VALUE));
  const leaves = [
    [OUTPUT, digests],
    [INPUT, new Array(at - INPUT).fill(0)],
  ];
  const scratch = [[OUTPUT + digests.length, OUTPUT + digests.length + VALUE]];
  kernel.call("many", [lengths.length], { leaves, scratch, what: `lengths ${lengths.slice(0, 20)}` });
}

/** States with so many chunks: with a chunk in progress, or with each way in which the last subtree can be in parts. */
const withRest = (chunks, rests) => rests.map((rest) => ({ chunks: BigInt(chunks), rest }));
function withoutRest(number) {
  const chunks = BigInt(number);
  if (chunks === 0n) return [{ chunks, rest: 0 }];
  const zeros = chunks.toString(2).match(/0*$/)[0].length;
  return range(1, zeros + 1).map((parts) => ({ chunks, rest: 0, depth: ones(chunks) + parts }));
}

const RESTS = [1, 64, 65, 512, 1023, 1024];
const LATE = [2n ** 32n - 2n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 32n + 6n, 2n ** 53n - 1n, 2n ** 53n + 4n];

/** How many bytes of a chunk may come after so many chunks: all after none and after three. */
function restsAfter(chunks, isFull) {
  if (isFull && (chunks === 0 || chunks === 3)) return range(1, CHUNK + 1);
  return isFull || chunks < 2 ? RESTS : [1, 64, 1024];
}

function updates(isFull) {
  const early = [0, 1, 2, 3, 4, 7, 8].flatMap((chunks) => [
    ...withoutRest(chunks),
    ...withRest(chunks, restsAfter(chunks, isFull)),
  ]);
  const late = LATE.flatMap((chunks) => [...withoutRest(chunks), ...withRest(chunks, [1, 1024])]);
  const pieces = ({ chunks, rest }) => {
    const left = CHUNK - rest;
    const near = [0, 1, BLOCK - (rest % BLOCK || (rest ? BLOCK : 0)), left, left + 1, left + BLOCK + 1, left + CHUNK];
    const far = [left + CHUNK + 1, left + 2 * CHUNK, left + 3 * CHUNK + 1, left + 4 * CHUNK, left + 5 * CHUNK + 129];
    const many =
      chunks < 4n && (isFull ? RESTS.includes(rest) : rest < 2)
        ? [...far, ...(isFull ? [left + 8 * CHUNK, left + 9 * CHUNK + 64] : [])]
        : far.slice(0, isFull ? 1 : 0);
    return [...new Set([...near, ...many])].filter((n) => n >= 0);
  };
  const cases = [...early, ...late].flatMap((start) => pieces(start).map((n) => [start, n]));
  const areas = [withoutRest(0)[0], { chunks: 64n, rest: 1 }, { chunks: 3n, rest: 1024 }].map((start) => [
    start,
    65536,
  ]);
  const origins = [8n, 2n ** 32n - 8n, 2n ** 53n].flatMap((origin) =>
    [1, 1025, 5000, 8192].map((n) => [{ origin, chunks: 0n, rest: 0 }, n]),
  );
  return [...cases, ...origins, ...(isFull ? areas : [])];
}

function finals(isFull) {
  const numbers = isFull ? [...range(0, 33), 63, 64, 65] : [...range(0, 9), 15, 16];
  const states = [...numbers, ...LATE, 2n ** 54n - 1n].flatMap((chunks, i) => [
    ...withoutRest(chunks),
    ...withRest(chunks, i < 8 ? restsAfter(chunks, isFull) : [1, 64, 1024]),
  ]);
  const outputs = [32, 1, 64, 65, 131, 256];
  return states.map((start, i) => [start, outputs[i % outputs.length]]);
}

const squeezes = (isFull) => {
  const from = [0, 1, 63, 64, 200, 2 ** 32 - 1, 2 ** 38 - 70, 2 ** 38, 2 ** 52];
  const lengths = [1, 64, 128, 129, 300, 520];
  const all = from.flatMap((at) => lengths.map((n, i) => [at, n, [64, 1, 0][i % 3]]));
  return isFull
    ? [
        ...all,
        ...range(0, 321).flatMap((n) => [
          [0, n, 64],
          [n, 257, 64],
        ]),
        [0, 16384, 64],
      ]
    : all;
};

const hashes = (isFull) => {
  const lengths = isFull
    ? [
        ...range(0, 4097),
        ...range(5, 65)
          .flatMap((n) => around(n * CHUNK))
          .filter((n) => n <= 65536),
      ]
    : [...range(0, 131), ...around(256, 512, 1024, 2048, 3072, 4096), 5000, 8192, 9217];
  const outputs = isFull ? [0, 31, 33, 64, 65, 128, 129, 256, 257, 1000, 16384] : [31, 64, 129, 257];
  return [...lengths.map((n) => [n, 32]), ...outputs.flatMap((n) => [3, 1024, 1025].map((length) => [length, n]))];
};

const manies = (isFull) => {
  const mixed = (count, first, step) => range(0, count).map((i) => (first + step * i) % 1025);
  const short = [
    [],
    [0],
    [1],
    [64],
    [65],
    [1024],
    [0, 0],
    [1, 1024],
    [64, 65, 63],
    [1024, 1024, 1024, 1024],
    [1, 2, 3, 4, 5, 6, 7, 8, 9],
  ];
  const long = [mixed(24, 0, 331), mixed(10, 1000, 64)];
  return isFull
    ? [
        ...short,
        ...long,
        ...range(0, 40).map((i) => mixed(5 + (i % 20), i, 211)),
        new Array(64).fill(1024),
        new Array(511).fill(64),
      ]
    : [...short, ...long];
};

const place = (i) => (i % 2 ? ONESHOT : STATE);

export function* proofs(isFull) {
  const prefix = ["blake3", "BLAKE3"];
  const cases = (prove, list) => list.map((args) => (kernel) => prove(kernel, anyMode(), ...args));
  const atPlaces = (prove, list) => list.map((args, i) => (kernel) => prove(kernel, anyMode(), place(i), ...args));
  const origins = [0n, 8n, 2n ** 53n].map((origin) => [origin]);
  yield [...prefix, "hash", cases(proveHash, hashes(isFull))];
  yield [...prefix, "init", atPlaces(proveInit, origins)];
  yield [...prefix, "join", atPlaces(proveJoin, origins)];
  const many = manies(isFull).map((lengths) => [lengths]);
  yield [...prefix, "many", cases(proveMany, many), { builds: ["simd128", "bun"] }];
  yield [...prefix, "update", atPlaces(proveUpdate, some(updates(isFull), 8, isFull))];
  yield [...prefix, "finalize, chain, root", atPlaces(proveFinalize, some(finals(isFull), 2, isFull))];
  yield [...prefix, "squeeze", cases(proveSqueeze, squeezes(isFull))];
}
