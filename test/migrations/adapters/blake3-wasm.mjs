import { once } from "node:events";
import blake3Wasm from "blake3-wasm";
import { bytes, oneOf, random, TEXTS } from "./random.mjs";

await blake3Wasm.load();
export const theirs = { "blake3-wasm": blake3Wasm };

const KEY = bytes(32);
const INTERNAL = [
  "HashRaw",
  "MAX_SCRATCH_SIZE",
  "WasmHasher",
  "getWasm",
  "hashOneShot",
  "inputToArray",
  "scratch",
  "setWasm",
];

export const calls = [
  (blake3) =>
    Object.keys(blake3)
      .sort()
      .filter((name) => !INTERNAL.includes(name)),
  (blake3) => [blake3.defaultHashLength, blake3.maxHashBytes],
  ...TEXTS.map((text) => (blake3) => [blake3.hash(text), blake3.createHash().update(text).digest("hex")]),
  ...["hex", "base64", "latin1", "utf16le"].map(
    (encoding) => (blake3) => blake3.createHash().update("6162", encoding).digest(encoding),
  ),
  (blake3) => blake3.createHash().digest(undefined, { length: 64 }),
  (blake3) => {
    const reader = blake3.createHash().reader();
    reader.position = 2n ** 64n - 5n;
    const output = new Uint8Array(9);
    return [reader.read(3), reader.readInto(output), output, reader.position, reader.readInto(output), reader.read(2)];
  },
  (blake3) => {
    const parts = blake3.createHash().update("abc").reader()[Symbol.iterator]();
    return [1, 2, 3].map(() => Buffer.from(parts.next().value));
  },
  async (blake3) => {
    const hasher = blake3.createKeyed(KEY);
    hasher.write("ab");
    hasher.end("6364", "hex");
    return (await once(hasher, "data"))[0];
  },
];

export const errors = [
  ...[0, 31].map((length) => (blake3) => blake3.keyedHash(KEY.subarray(0, length), "abc")),
  ...[-1n, 2n ** 64n].map((position) => (blake3) => {
    blake3.createHash().reader().position = position;
  }),
  (blake3) => {
    const hasher = blake3.createHash();
    hasher.dispose();
    hasher.update("abc");
  },
];

export function draw() {
  const [name, create, ...before] = oneOf([
    ["hash", "createHash"],
    ["keyedHash", "createKeyed", bytes(32)],
    ["keyedHash", "createKeyed", "a key of thirty-two bytes, as it"],
    ["deriveKey", "createDeriveKey", oneOf(["example.com 2026", bytes(random(200)), ""])],
  ]);
  return { name, create, before, length: random(400), position: BigInt(oneOf([random(999), 2 ** 40 + random(999)])) };
}

export const hash = (blake3, { name, create, before, length }, input) => [
  blake3[name](...before, input),
  blake3[name](...before, input, { length }),
  blake3[create](...before)
    .update(input)
    .digest("base64", { length }),
  blake3[create](...before)
    .update(input)
    .digest({ length }),
];

/** With readers of what was hashed before each piece. A reader's `readInto` there reads what the hasher has by now. */
export function open(blake3, { create, before, length, position }) {
  const hasher = blake3[create](...before);
  const readers = [];
  return {
    update(piece) {
      readers.push(hasher.reader());
      hasher.update(piece);
    },
    digest() {
      const read = readers.slice(-9).map((reader) => {
        reader.position = position;
        return [reader.read(length), reader.read(9), reader.position];
      });
      const output = new Uint8Array(length);
      const last = [hasher.digest("hex"), hasher.reader().readInto(output), output, hasher.digest()];
      hasher.dispose();
      return [...read, ...last];
    },
  };
}

export const forms = (piece) => [piece, new Uint8Array(piece), new Uint8Array(piece).buffer];
