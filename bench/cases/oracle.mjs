// The right digests, from implementations that share no code with this package: @noble/hashes, and for the parallel and
// extended forms of BLAKE2 their definition over @stablelib's tree parameters.
import { blake224, blake256, blake384, blake512 } from "@noble/hashes/blake1.js";
import { blake2b, blake2s } from "@noble/hashes/blake2.js";
import { blake3 } from "@noble/hashes/blake3.js";
import { hmac } from "@noble/hashes/hmac.js";
import { md5 } from "@noble/hashes/legacy.js";
import { sha256, sha512 } from "@noble/hashes/sha2.js";
import { BLAKE2b } from "@stablelib/blake2b";
import { BLAKE2s } from "@stablelib/blake2s";
import { context, key, modes } from "./cases.mjs";
import longDigests from "./long-digests.mjs";

const contextBytes = new TextEncoder().encode(context);

/** What BLAKE2bp, sp, Xb and Xs are made of. */
const wordB = {
  Hash: BLAKE2b,
  digestLength: 64,
  blockLength: 128,
  leaves: 4,
  offset: (low, high) => ({ nodeOffsetLowBits: low, nodeOffsetHighBits: high }),
};
const wordS = {
  Hash: BLAKE2s,
  digestLength: 32,
  blockLength: 64,
  leaves: 8,
  offset: (low, high) => ({ nodeOffset: low + high * 2 ** 32 }),
};

/** algorithm -> (bytes, { key, context, length }) -> digest */
const digests = {
  blake224: (bytes) => blake224(bytes),
  blake256: (bytes) => blake256(bytes),
  blake384: (bytes) => blake384(bytes),
  blake512: (bytes) => blake512(bytes),
  blake2b: (bytes, options) => blake2b(bytes, { key: options.key }),
  blake2s: (bytes, options) => blake2s(bytes, { key: options.key }),
  blake2bp: (bytes, options) => parallel(wordB, bytes, options.key),
  blake2sp: (bytes, options) => parallel(wordS, bytes, options.key),
  blake2xb: (bytes, options) => extended(wordB, bytes, options.key, options.length),
  blake2xs: (bytes, options) => extended(wordS, bytes, options.key, options.length),
  blake3: (bytes, { key, context, length }) => blake3(bytes, { key, context, dkLen: length }),
  sha256: (bytes) => sha256(bytes),
  sha512: (bytes) => sha512(bytes),
  md5: (bytes) => md5(bytes),
};

/** The digest of one message, by its algorithm's name. */
export function digestOf(algorithm, message, options = {}) {
  return digests[algorithm](message, options);
}

/** The HMAC of one message under the key of every case. */
const hmacOf = (algorithm, message) => hmac(hmacHashes[algorithm], key, message);

const hmacHashes = { blake2b, blake2s, blake3, sha256, sha512, md5 };

/** The bytes that a case's call has to return; those of several messages one after the other. */
export function expectedDigest({ algorithm, mode, length }, input) {
  const options = {
    key: mode === "keyed" ? key : undefined,
    context: mode === "derive" ? contextBytes : undefined,
    length,
  };
  const hashOf = /hmac/i.test(mode) ? hmacOf : digestOf;
  if (mode === "growth" && input.length === 1) return fromHex(longDigests[algorithm]);
  const hashed = modes[mode].hashed?.(input) ?? input;
  const messages = Array.isArray(hashed) ? hashed : [hashed];
  const results = [];
  for (const [index, message] of messages.entries()) {
    const repeats = index > 0 && equal(message, messages[index - 1]);
    results.push(repeats ? results[index - 1] : hashOf(algorithm, message, options));
  }
  return concatenate(results);
}

export function fromHex(text) {
  return Uint8Array.from(text.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}

export function concatenate(parts) {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let position = 0;
  for (const part of parts) {
    whole.set(part, position);
    position += part.length;
  }
  return whole;
}

export function equal(a, b) {
  return a === b || (a.length === b.length && a.every((byte, index) => byte === b[index]));
}

/** The tree parameters that BLAKE2X and the parallel forms share as their starting point. */
const sequential = { fanout: 1, maxDepth: 1, leafSize: 0, nodeDepth: 0, innerDigestLength: 0, lastNode: false };

function parallel(word, bytes, secret) {
  const { Hash, digestLength, leaves, offset } = word;
  const tree = { ...sequential, fanout: leaves, maxDepth: 2, innerDigestLength: digestLength };
  const root = new Hash(digestLength, {
    key: secret,
    tree: { ...tree, ...offset(0, 0), nodeDepth: 1, lastNode: true },
  });
  dropKeyBlock(root);
  for (let index = 0; index < leaves; index++) {
    const leaf = { ...tree, ...offset(index, 0), lastNode: index === leaves - 1 };
    root.update(new Hash(digestLength, { key: secret, tree: leaf }).update(everyNthBlock(word, bytes, index)).digest());
  }
  return root.digest();
}

/** The root's parameters name the key's length, but only the leaves take the key itself. */
function dropKeyBlock(hash) {
  hash.restoreState({ ...hash.saveState(), bufferLength: 0, paddedKey: undefined });
}

function everyNthBlock({ blockLength, leaves }, bytes, first) {
  const blocks = [];
  for (let start = first * blockLength; start < bytes.length; start += leaves * blockLength) {
    blocks.push(bytes.subarray(start, start + blockLength));
  }
  return concatenate(blocks);
}

function extended({ Hash, digestLength, offset }, bytes, secret, length) {
  const rootTree = { ...sequential, ...offset(0, length) };
  const root = new Hash(digestLength, { key: secret, tree: rootTree }).update(bytes).digest();
  const tree = { ...sequential, fanout: 0, maxDepth: 0, leafSize: digestLength, innerDigestLength: digestLength };
  const parts = [];
  for (let start = 0; start < length; start += digestLength) {
    const outputTree = { ...tree, ...offset(start / digestLength, length) };
    parts.push(new Hash(Math.min(digestLength, length - start), { tree: outputTree }).update(root).digest());
  }
  return concatenate(parts);
}
