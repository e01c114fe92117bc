import * as blake2b from "@stablelib/blake2b";
import * as blake2s from "@stablelib/blake2s";
import * as blake2xs from "@stablelib/blake2xs";
import { hmac } from "@stablelib/hmac";
import { bytes, LONG, oneOf, random } from "./random.mjs";

const { BLAKE2b, hash: hash2b } = blake2b;
const { BLAKE2s, hash: hash2s } = blake2s;
const { BLAKE2Xs, xof } = blake2xs;
export const theirs = { "@stablelib": { BLAKE2b, BLAKE2s, BLAKE2Xs, hash: hash2b, hash2s, xof } };

export const calls = [
  (stable) => Object.keys(stable).sort(),
  ...["BLAKE2b", "BLAKE2s"].flatMap((name) => [
    (stable) => {
      const hasher = new stable[name]();
      return [hasher.digestLength, hasher.blockSize, hasher.digest(), hasher.reset().update(LONG, 999).digest()];
    },
    (stable) => {
      const hasher = new stable[name](32, { key: LONG.subarray(0, 9) }).update(LONG);
      const state = hasher.saveState();
      hasher.cleanSavedState(state);
      return Object.values(state).some((value) => (ArrayBuffer.isView(value) ? value.some(Boolean) : value));
    },
    (stable) => hmac(stable[name], LONG.subarray(0, 50), LONG),
  ]),
  (stable) => stable.hash(LONG),
  (stable) => stable.hash2s(LONG),
  (stable) => {
    const outputs = [1, 60_000, 5503].map((length) => new Uint8Array(length));
    const xof = new stable.BLAKE2Xs().update(LONG);
    for (const output of outputs) xof.stream(output);
    return outputs;
  },
];

export const errors = [
  ...["BLAKE2b", "BLAKE2s"].flatMap((name) => [
    ...[0, -1, 65].map((length) => (stable) => new stable[name](length)),
    ...["key", "salt", "personalization"].map((option) => (stable) => new stable[name](32, { [option]: bytes(65) })),
  ]),
  ...[0, 65_536].map((length) => (stable) => new stable.BLAKE2Xs(length)),
  (stable) => new stable.BLAKE2Xs(5).stream(new Uint8Array(6)),
  (stable) => new stable.BLAKE2Xs().stream(new Uint8Array(65_536)),
];

const draw64 = () => ({ nodeOffsetHighBits: random(2 ** 32), nodeOffsetLowBits: random(2 ** 32) });
const drawTree = (most, offset) => ({
  fanout: random(256),
  maxDepth: 1 + random(255),
  leafSize: random(2 ** 32),
  nodeDepth: random(256),
  innerDigestLength: random(most + 1),
  lastNode: random(2) === 1,
  ...offset,
});

export function draw() {
  const [name, hashName, most, offset] = oneOf([
    ["BLAKE2b", "hash", 64, draw64()],
    ["BLAKE2s", "hash2s", 32, { nodeOffset: random(2 ** 31) * 2 ** 17 }],
    ["BLAKE2Xs", undefined, 32],
  ]);
  const config = {
    key: oneOf([undefined, new Uint8Array(), bytes(1 + random(most))]),
    salt: oneOf([undefined, bytes(most / 4)]),
    personalization: oneOf([undefined, bytes(most / 4)]),
    tree: offset && oneOf([undefined, drawTree(most, offset)]),
  };
  return { name, hashName, length: 1 + random(name === "BLAKE2Xs" ? 400 : most), config };
}

export function hash(stable, { name, hashName, length, config }, input) {
  const half = new stable[name](length, config).update(input, input.length >> 1);
  const output = new Uint8Array(length - 1);
  half.update(input.subarray(input.length >> 1)).finish(output);
  if (hashName) return [output, half.digest(), half.reset().digest(), stable[hashName](input, length, config)];
  return [output, stable.xof(length, input, config.key)];
}

/** With another that goes on from its state after each piece. */
export function open(stable, { name, length, config }) {
  const hasher = new stable[name](length, config);
  if (name === "BLAKE2Xs") return hasher;
  const other = new stable[name](length, config);
  return {
    update(piece) {
      const state = hasher.update(piece).saveState();
      other.restoreState(state).cleanSavedState(state);
    },
    digest: () => [hasher.digest(), hasher.digest(), other.digest()],
  };
}

export const forms = (piece) => [piece, new Uint8Array(piece)];
