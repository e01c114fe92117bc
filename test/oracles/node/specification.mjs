// The proofs' specification as a second source of what one package alone offers.
import * as spec from "../../evidence/prove/specification.mjs";

const { bytesOfWords, IV, padded, range, wordsOf, ZERO } = spec;
const at = (count) => spec.after(ZERO, count);

export const blake512 = ({ message, salt, count }) =>
  spec.finish1(64, IV[64], spec.bigEndianWords(padded(salt, 32), 64), message, at(count), 1);

/** BLAKE2bp or BLAKE2sp, each leaf as if its part of `count` bytes had left its chaining value as it was. */
export function blake2p(w, { message, count }) {
  const leaves = spec.leavesOf(w);
  const block = padded([w, 0, leaves, 2], w);
  block[w === 64 ? 17 : 15] = w; // the inner length
  const finish = (data, leaf, depth, t, isLast) =>
    spec.finish2(w, spec.start2(w, spec.nodeBlock(w, block, leaf, depth)), data, t, isLast);
  const value = (leaf) =>
    finish(spec.leafMessage(w, message, leaf), leaf, 0, at(count / BigInt(leaves)), leaf === leaves - 1);
  return finish(range(0, leaves).flatMap(value), 0, 1, ZERO, true);
}

/** BLAKE2Xb or BLAKE2Xs of unknown length from a position on. */
export function blake2x(w, { message, key, salt, personal, position, length }) {
  const head = [w, key.length, 1, 1, ...padded([], 8), ...new Array(w / 16).fill(255)];
  const block = [...padded(head, w / 2), ...padded(salt, w / 4), ...padded(personal, w / 4)];
  return spec.output2(w, block, spec.blake2(w, block, key, message), length, Number(position));
}

function modeOf({ key, context }) {
  if (key.length > 0) return [wordsOf(key, 32), spec.KEYED_HASH];
  if (context.length === 0) return [IV[32], 0];
  const derived = spec.blake3(bytesOfWords(IV[32], 32), 32, context, 32);
  return [wordsOf(derived, 32), spec.DERIVE_KEY];
}

const parentOf = (given) => spec.parent3(...modeOf(given), wordsOf(given.left, 32), wordsOf(given.right, 32));
const chainOf = (node) => bytesOfWords(spec.chainingValue(node), 32);
const outputOf = (node, { length, position }) => spec.output3(node, length, Number(position % 64n), at(position / 64n));

/** BLAKE3's output from a position on. */
export const output = (given) => outputOf(spec.message3(...modeOf(given), given.message), given);
export const chainingValue = (given) =>
  chainOf(spec.message3(...modeOf(given), given.message, at(given.offset / 1024n)));
export const parent = (given) => chainOf(parentOf(given));
export const root = (given) => outputOf(parentOf(given), given);
