import * as hashWasm from "hash-wasm";
import { bytes, LONG, oneOf, random, TEXTS } from "./random.mjs";

export const theirs = { "hash-wasm": hashWasm };

const EMPTY = new Uint8Array();

const NAMES = ["BLAKE2b", "BLAKE2s", "BLAKE3"];

const withKey = (name, key) => async (wasm) => [
  await wasm[name.toLowerCase()]("abc", 256, key),
  (await wasm[`create${name}`](256, key)).digest(),
];

export const calls = [
  (wasm) => Object.keys(wasm).filter((name) => /blake/i.test(name)),
  ...TEXTS.map((text) => (wasm) => Promise.all([wasm.blake3(text), wasm.blake2b(text), wasm.blake2s(text, 8, "key")])),
  ...NAMES.map((name) => async (wasm) => {
    const hasher = await wasm[`create${name}`]();
    return [hasher.digestSize, hasher.blockSize, hasher.update("abc").digest(), hasher.init().digest("binary")];
  }),
  ...[EMPTY, bytes(31), "short"].flatMap((key) => [withKey("BLAKE2b", key), withKey("BLAKE2s", key)]),
  (wasm) => wasm.blake3(LONG, 8 * 16_384),
];

export const errors = [
  ...[EMPTY, "", bytes(31), bytes(33), "short"].map((key) => withKey("BLAKE3", key)),
  ...[withKey("BLAKE2b", bytes(65)), withKey("BLAKE2s", bytes(33))],
  ...NAMES.flatMap((name) => [
    (wasm) => wasm[`create${name}`]().then((hasher) => hasher.load(EMPTY)),
    ...["digest", "update", "save"].map((method) => async (wasm) => {
      const hasher = await wasm[`create${name}`]();
      hasher.update("abc").digest();
      hasher[method]("abc");
    }),
    ...[7, -8, 8.5, 0, null, "a"].flatMap((bits) => [
      (wasm) => wasm[name.toLowerCase()]("abc", bits),
      (wasm) => wasm[`create${name}`](bits),
    ]),
    ...[null, undefined, 5, 0, {}, [], true].map((input) => (wasm) => wasm[name.toLowerCase()](input)),
    ...[null, undefined, 5, 0, {}, []].map(
      (input) => (wasm) => wasm[`create${name}`]().then((hasher) => void hasher.update(input)),
    ),
    ...[5, 0, {}, [], true, new ArrayBuffer(32)].flatMap((key) => [
      (wasm) => wasm[name.toLowerCase()]("abc", 256, key),
      (wasm) => wasm[`create${name}`](256, key),
    ]),
  ]),
  (wasm) => wasm.blake2b("abc", 520),
  (wasm) => wasm.blake2s("abc", 264),
];

export function draw() {
  const [name, most, ...keys] = oneOf([
    ["BLAKE2b", 64, bytes(1 + random(64)), "a key", EMPTY],
    ["BLAKE2s", 32, bytes(1 + random(32)), "é", new Uint16Array([1, 515])],
    ["BLAKE3", 300, bytes(32), "a key of thirty-two bytes, as it"],
  ]);
  return { name, bits: 8 * (1 + random(most)), key: oneOf([null, undefined, ...keys]) };
}

export async function hash(wasm, { name, bits, key }, input) {
  const hasher = await wasm[`create${name}`](bits, key);
  const twice = [1, 2].map(() => hasher.init().update(input).digest("binary"));
  return [await wasm[name.toLowerCase()](input, bits, key), ...twice, hasher.blockSize, hasher.digestSize];
}

export async function open(wasm, { name, bits, key }) {
  const [hasher, other] = [await wasm[`create${name}`](bits, key), await wasm[`create${name}`](bits, key)];
  return {
    update: (piece) => other.load(hasher.update(piece).save()),
    digest: () => [hasher.digest("hex"), other.digest("binary"), other.init().digest()],
  };
}

export const forms = (piece) => [piece, new Uint8Array(piece), new Uint16Array(piece), new Uint32Array(piece)];
