// What is measured: algorithms x modes x sizes. Adding one of them is adding an entry here.

/** digestLength: bytes of the default digest; extendable: any output length; longest: its limit; grows: whether modes
 *  "growth" and "apart" measure it, which is once for each kernel. */
export const algorithms = {
  blake224: { digestLength: 28 },
  blake256: { digestLength: 32, grows: true },
  blake384: { digestLength: 48 },
  blake512: { digestLength: 64, grows: true },
  blake2b: { digestLength: 64, keyable: true, grows: true },
  blake2s: { digestLength: 32, keyable: true, grows: true },
  blake2bp: { digestLength: 64, keyable: true },
  blake2sp: { digestLength: 32, keyable: true },
  blake2xb: { digestLength: 64, keyable: true, extendable: true, longest: 2 ** 32 - 2 },
  blake2xs: { digestLength: 32, keyable: true, extendable: true, longest: 65534 },
  blake3: { digestLength: 32, keyable: true, derivable: true, extendable: true, longest: Infinity, grows: true },
};

/** Hashes of other families, for a comparison only. */
const otherAlgorithms = {
  sha256: { digestLength: 32 },
  sha512: { digestLength: 64 },
  md5: { digestLength: 16 },
};

export const KiB = 1024;
export const MiB = 1024 * KiB;

export const key = pattern(32);
export const context = "blake-simd bench 2026-11-21 derive key";
export const pieceLength = 1000;
const manyCount = 16;

/** The most bytes in all of these messages: for longer ones, the number of calls makes no difference. */
const manyTotal = 64 * MiB;

/** What the modes "growth" and "apart" hash: this many bytes, in messages of the case's size. */
const growthTotal = 256 * MiB;

const oneMessage = (size) => pattern(size);

/** The longest message of these modes. */
export const longMessage = () => repeated(growthTotal);

/**
 * These modes share their rounds, since they are compared: the cost of length, and that of memory beyond the caches.
 * `messagesOf(size)` returns a function that gives the message which begins at a position.
 */
const growth = (title, messagesOf) => ({
  title,
  each: true,
  together: "growth",
  kinds: ["ours"],
  fits: ({ grows }, size) => grows && size >= MiB && growthTotal % size === 0,
  input(size) {
    const messageAt = messagesOf(size);
    return Array.from({ length: growthTotal / size }, (_, index) => messageAt(index * size));
  },
  bytes: () => growthTotal,
});

/** A call as programs write it; `written` returns its source for an algorithm and a size. */
const used = (written, more) => ({
  title: written("hash", "message"),
  written,
  fits: () => true,
  input: oneMessage,
  bytes: (size) => size,
  ...more,
});

/** A text of `size` letters. */
const letters = (size) => "hello world ".repeat(Math.ceil(size / 12)).slice(0, size);

const encoder = new TextEncoder();

/** How often each of the two hashers of "turns" is given its piece. */
export const turns = 50;

const repeatedPiece = (piece) => {
  const whole = new Uint8Array(turns * piece.length);
  for (let turn = 0; turn < turns; turn++) whole.set(piece, turn * piece.length);
  return whole;
};

/** What the modes "long" and "xof64" read, in bytes. */
const longOutput = 64;

/**
 * title: for the table; fits: whether an algorithm has the mode at a size; input: what the timed call is given;
 * bytes: how many bytes one call works through; each: the input is a list, and a rival that does not offer the mode
 * hashes one message after the other; together: the name of a group of cases that share their rounds; kinds: of the
 * rivals that take part, if not all do; hashed: what is hashed of the input, if not the input itself; length: bytes of
 * output, if not the digest's; waits: whether a call has finished only when its promise has; decode: the digest's bytes
 * from text that is not hexadecimal; written: the call, for the modes of `usedCases`.
 */
export const modes = {
  hash: { title: "one-shot", fits: () => true, input: oneMessage, bytes: (size) => size },
  keyed: {
    title: "one-shot with a 32-byte key",
    fits: ({ keyable }) => keyable,
    input: oneMessage,
    bytes: (size) => size,
  },
  derive: { title: "key derivation", fits: ({ derivable }) => derivable, input: oneMessage, bytes: (size) => size },
  stream: {
    title: `one hasher fed in pieces of ${pieceLength} bytes`,
    fits: () => true,
    input: oneMessage,
    bytes: (size) => size,
  },
  typed: {
    title: "one hasher fed with 32-bit numbers",
    fits: (_, size) => size > 0 && size % 4 === 0,
    input: oneMessage,
    bytes: (size) => size,
  },
  save: {
    title: "save the state of a hasher that has taken the input, restore it, digest",
    fits: () => true,
    input: oneMessage,
    // The cost of saving does not depend on what went in, so it is reported only in ns.
    bytes: () => 0,
  },
  many: {
    title: `${manyCount} messages of that size`,
    fits: (_, size) => manyCount * size <= manyTotal,
    each: true,
    input: (size) => Array.from({ length: manyCount }, (_, index) => pattern(size, index)),
    bytes: (size) => manyCount * size,
  },
  xof: {
    title: "output of that size from 64 bytes of input",
    fits: ({ extendable, longest }, size) => extendable && size > 0 && size <= longest,
    input: () => pattern(64),
    bytes: (size) => size,
  },
  growth: growth("256 MiB in messages of that size, the same one again and again", (size) => {
    const message = repeated(size);
    return () => message;
  }),
  apart: growth("256 MiB in messages of that size, one after the other in memory", (size) => {
    const memory = longMessage();
    return (position) => memory.subarray(position, position + size);
  }),
  create: used((hash, message) => `${hash}.create().update(${message}).digest("hex")`),
  reset: used((hash, message) => `hasher.reset().update(${message}).digest("hex"), ${hash}`),
  base64: used((hash, message) => `${hash}.create().update(${message}).digest("base64")`, {
    decode: (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)),
  }),
  text: used((hash, message) => `${hash}.hex(${message} of text)`, {
    input: letters,
    hashed: (text) => encoder.encode(text),
  }),
  long: used((hash, message) => `${hash}.hex(${message}, { length: ${longOutput} })`, {
    fits: ({ extendable }) => extendable,
    length: longOutput,
  }),
  xof64: used((hash, message) => `${hash}.create().update(${message}).xof().read(${longOutput})`, {
    fits: ({ extendable }) => extendable,
    length: longOutput,
  }),
  turns: used((hash, message) => `two ${hash} hashers in turn, ${2 * turns} updates of ${message}`, {
    input: (size) => [pattern(size), pattern(size, 1)],
    hashed: (pieces) => pieces.map(repeatedPiece),
    bytes: (size) => 2 * turns * size,
  }),
  createHash: used((hash, message) => `createHash("${hash}").update(${message}).digest("hex")`),
  hmac: used((hash, message) => `hmac(${hash}, key, ${message})`),
  hmacReset: used((hash, message) => `mac.reset().update(${message}).digest(), ${hash}`),
  createHmac: used((hash, message) => `createHmac("${hash}", key).update(${message}).digest("hex")`),
  file: used((hash, message) => `hashFile(${hash}, path), ${message}`, { waits: true }),
  body: used((hash, message) => `digestOf(${hash}, new Response(text)), ${message}`, {
    input: letters,
    hashed: (text) => encoder.encode(text),
    waits: true,
  }),
  blob: used((hash, message) => `digestOf(${hash}, blob), ${message}`, { waits: true }),
  bytes: used((hash, message) => `digestOf(${hash}, bytes), ${message}`, { waits: true }),
  through: used((hash, message) => `new HashStream(${hash}), ${message}`, { waits: true }),
};

/** Calls as programs write them, by their modes and lengths: what `--used` measures. */
export const usedCases = [
  { algorithms: ["blake3", "blake2b"], modes: ["create"], sizes: [64] },
  { algorithms: ["blake3"], modes: ["create"], sizes: [KiB] },
  { algorithms: ["blake3"], modes: ["reset", "base64"], sizes: [64] },
  { algorithms: ["blake2b"], modes: ["createHash"], sizes: [64, KiB, 16 * KiB] },
  { algorithms: ["blake2s"], modes: ["hmac", "hmacReset", "createHmac"], sizes: [64] },
  { algorithms: ["blake3"], modes: ["long", "xof64"], sizes: [32] },
  { algorithms: ["blake2b"], modes: ["turns"], sizes: [64] },
  { algorithms: ["blake2b"], modes: ["text"], sizes: [10] },
  { algorithms: ["blake3"], modes: ["file"], sizes: [1000, MiB] },
  { algorithms: ["blake3"], modes: ["body", "blob", "bytes"], sizes: [11] },
  { algorithms: ["blake3"], modes: ["through"], sizes: [16 * MiB] },
];

/** The one-shot hashes that SHA-256 is compared with. */
export const shaCases = [{ algorithms: ["blake3", "blake2b"], modes: ["hash"], sizes: [64, KiB, 64 * KiB, MiB] }];

/** Named lists for --size; "survey" holds the sizes of the published tables of other packages too. */
export const sizeSets = {
  first: [0, 64, KiB, 16 * KiB, MiB, 16 * MiB],
  readme: [64, KiB, 64 * KiB, MiB],
  survey: [0, 3, 32, 64, 100, 1000, KiB, 3268, 8192, 10_000, 16_384, 100_000, 1_000_000, 3_145_728, 16 * MiB],
};

/** Bytes that repeat with period 251, so that swapped blocks or chunks show in the digest. */
export function pattern(size, start = 0) {
  const bytes = new Uint8Array(size);
  for (let index = 0; index < size; index++) bytes[index] = (index + start) % 251;
  return bytes;
}

/** The same MiB over and over, so that the messages of "apart" are alike and checked quickly. */
function repeated(size) {
  const bytes = new Uint8Array(size);
  bytes.set(pattern(MiB));
  for (let filled = MiB; filled < size; filled *= 2) bytes.copyWithin(filled, 0, filled);
  return bytes;
}

/** Every case of the lists, with what a rival's builder may need to know about it. */
export function listCases({ algorithms: names, modes: modeNames, sizes }) {
  const known = { ...algorithms, ...otherAlgorithms };
  const all = names.flatMap((algorithm) =>
    modeNames.flatMap((mode) => sizes.map((size) => ({ algorithm, mode, size }))),
  );
  return all
    .filter(({ algorithm, mode, size }) => modes[mode].fits(known[algorithm], size))
    .map((item) => ({
      ...item,
      bytes: modes[item.mode].bytes(item.size),
      length: outputLength(known[item.algorithm], item),
    }));
}

function outputLength({ digestLength }, { mode, size }) {
  return mode === "xof" ? size : (modes[mode].length ?? digestLength);
}

/** The cases in the order they came, those together that share their rounds. */
export function groupsOf(cases) {
  const groups = new Map();
  for (const item of cases) {
    const { algorithm, mode, size } = item;
    const name = [algorithm, modes[mode].together ?? `${mode} ${size}`].join(" ");
    groups.set(name, [...(groups.get(name) ?? []), item]);
  }
  return [...groups.values()];
}

/** "1 KiB", "16 MiB", "3268 B": a larger unit only if it divides the size. */
export function sizeName(size) {
  if (size > 0 && size % MiB === 0) return `${size / MiB} MiB`;
  if (size > 0 && size % KiB === 0) return `${size / KiB} KiB`;
  return `${size} B`;
}

/** The number of bytes that "64", "64B", "16 KiB" or "1MiB" names. */
export function parseSize(text) {
  const [, count, unit] = /^\s*(\d+)\s*(B|KiB|MiB)?\s*$/i.exec(text) ?? [];
  if (count === undefined) throw new RangeError(`not a size: "${text}" (write it as 64, 16KiB or 1MiB)`);
  return Number(count) * { b: 1, kib: KiB, mib: MiB }[(unit ?? "B").toLowerCase()];
}
