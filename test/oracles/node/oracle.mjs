// Answers one request per line, "operation name=value ...", with lower-case hex.
import { createInterface } from "node:readline";
import { blake224, blake256, blake384, blake512 } from "@noble/hashes/blake1.js";
import { blake3 } from "@noble/hashes/blake3.js";
import { BLAKE2b } from "@stablelib/blake2b";
import { BLAKE2s } from "@stablelib/blake2s";
import cryptocoin from "blake-hash/lib/index.js";
import * as specified from "./specification.mjs";

const noble = { blake224, blake256, blake384, blake512 };
const counting = new Uint8Array(251 * 16384).map((_, i) => i % 251);

function number(request, name, absent = 0n) {
  return name in request ? BigInt(request[name]) : absent;
}

function bytes(request, name) {
  return name in request ? new Uint8Array(Buffer.from(request[name], "hex")) : undefined;
}

function input(request) {
  return bytes(request, "message") ?? counting.subarray(0, Number(number(request, "input")));
}

function blake1(name, request) {
  return noble[name](input(request), { salt: bytes(request, "salt") });
}

function words(value, count) {
  return Array.from({ length: count }, (_, i) => Number((value >> BigInt(32 * i)) & 0xffffffffn));
}

// This one takes no salt and no counter from outside, but keeps both in plain sight.
function blake1Preset(name, request) {
  const engine = new cryptocoin[name.replace("b", "B")]();
  const salt = bytes(request, "salt");
  if (salt) engine._s = engine._s.map((_, i) => Buffer.from(salt).readUInt32BE(4 * i));
  engine._length = words(number(request, "count") * 8n, engine._length.length);
  engine.update(input(request));
  return engine.digest();
}

// The two classes differ in how they take a node offset and where they keep the counter.
const b = {
  create: (length, config) => new BLAKE2b(length, config),
  width: 64,
  offset: (value) => ({ nodeOffsetLowBits: words(value, 2)[0], nodeOffsetHighBits: words(value, 2)[1] }),
  preset: (hasher, count) => hasher._ctr.set(words(count, 4)),
};
const s = {
  create: (length, config) => new BLAKE2s(length, config),
  width: 32,
  offset: (value) => ({ nodeOffset: Number(value) }),
  preset: (hasher, count) => ([hasher._ctr0, hasher._ctr1] = words(count, 2)),
};

function blake2Preset(variant, request) {
  const hasher = variant.create(variant.width);
  variant.preset(hasher, number(request, "count"));
  return hasher.update(input(request)).digest();
}

function tree(variant, fields) {
  const { offset = 0n, ...others } = fields;
  return { leafSize: 0, lastNode: false, innerDigestLength: variant.width, ...variant.offset(offset), ...others };
}

// Of every stripe of `leaves` blocks, leaf number `index` hashes its own block.
function stripe(message, index, leaves, block) {
  const own = [];
  for (let at = index * block; at < message.length; at += leaves * block) {
    own.push(message.subarray(at, Math.min(at + block, message.length)));
  }
  return Buffer.concat(own);
}

function leafHash(variant, request, index, leaves) {
  const shape = { fanout: leaves, maxDepth: 2, nodeDepth: 0, offset: BigInt(index), lastNode: index === leaves - 1 };
  const length = Number(number(request, "length", BigInt(variant.width)));
  const hasher = variant.create(length, { key: bytes(request, "key"), tree: tree(variant, shape) });
  variant.preset(hasher, number(request, "count") / BigInt(leaves));
  hasher.update(stripe(input(request), index, leaves, hasher.blockSize));
  const output = new Uint8Array(variant.width);
  hasher.finish(output);
  return output;
}

function parallel(variant, request, leaves) {
  const shape = { fanout: leaves, maxDepth: 2, nodeDepth: 1, lastNode: true };
  const root = variant.create(Number(number(request, "length", BigInt(variant.width))), { tree: tree(variant, shape) });
  // The root names the key's length in its parameters, yet hashes no key block.
  root._state[0] ^= (bytes(request, "key")?.length ?? 0) << 8;
  for (let index = 0; index < leaves; index++) root.update(leafHash(variant, request, index, leaves));
  return root.digest();
}

function extendedRoot(variant, request, total) {
  const shape = { fanout: 1, maxDepth: 1, nodeDepth: 0, innerDigestLength: 0, offset: total << 32n };
  const config = { key: bytes(request, "key"), ...labels(variant, request), tree: tree(variant, shape) };
  return variant.create(variant.width, config).update(input(request)).digest();
}

// A shorter label is padded with zeros to a quarter of the digest.
function padded(variant, label) {
  return label && new Uint8Array(variant.width / 4).map((_, i) => label[i] ?? 0);
}

function labels(variant, request) {
  const salt = padded(variant, bytes(request, "salt"));
  return { salt, personalization: padded(variant, bytes(request, "personal")) };
}

function extendedBlock(variant, request, root, total, index, length) {
  const offset = (total << 32n) | BigInt(index);
  const shape = { fanout: 0, maxDepth: 0, nodeDepth: 0, leafSize: variant.width, offset };
  return variant
    .create(length, { ...labels(variant, request), tree: tree(variant, shape) })
    .update(root)
    .digest();
}

function extended(variant, request, unknown) {
  const total = number(request, "total", unknown);
  const root = extendedRoot(variant, request, total);
  const length = Number(number(request, "length"));
  const blocks = [];
  for (let at = 0; at < length; at += variant.width) {
    const rest = total === unknown ? variant.width : Math.min(variant.width, Number(total) - at);
    blocks.push(extendedBlock(variant, request, root, total, at / variant.width, rest));
  }
  return Buffer.concat(blocks).subarray(0, length);
}

function blake3Output(request) {
  const context = bytes(request, "context");
  const options = { key: bytes(request, "key"), context, dkLen: Number(number(request, "length", 32n)) };
  return blake3(input(request), options);
}

/** A request for the specification. */
function givenIn(request) {
  const lists = ["key", "salt", "personal", "context", "left", "right"].map((name) => [
    name,
    [...(bytes(request, name) ?? [])],
  ]);
  const numbers = ["count", "position", "offset"].map((name) => [name, number(request, name)]);
  const length = Number(number(request, "length", 32n));
  return { message: [...input(request)], length, ...Object.fromEntries([...lists, ...numbers]) };
}

const fromSpecification = {
  blake512: specified.blake512,
  blake2bp: (given) => specified.blake2p(64, given),
  blake2sp: (given) => specified.blake2p(32, given),
  blake2xb: (given) => specified.blake2x(64, given),
  blake2xs: (given) => specified.blake2x(32, given),
  blake3: specified.output,
  "chaining-value": specified.chainingValue,
  parent: specified.parent,
  root: specified.root,
};

const operations = {
  "blake2b-preset": (request) => blake2Preset(b, request),
  "blake2s-preset": (request) => blake2Preset(s, request),
  blake2bp: (request) => parallel(b, request, 4),
  blake2sp: (request) => parallel(s, request, 8),
  blake2xb: (request) => extended(b, request, 0xffffffffn),
  blake2xs: (request) => extended(s, request, 0xffffn),
  blake3: blake3Output,
};
for (const [name, compute] of Object.entries(fromSpecification)) {
  operations[`specified-${name}`] = (request) => compute(givenIn(request));
}
for (const name of Object.keys(noble)) {
  operations[name] = (request) => blake1(name, request);
  operations[`${name}-preset`] = (request) => blake1Preset(name, request);
}

for await (const line of createInterface({ input: process.stdin })) {
  const [operation, ...fields] = line.split(" ");
  const request = Object.fromEntries(fields.map((field) => field.split("=")));
  process.stdout.write(`${Buffer.from(operations[operation](request)).toString("hex")}\n`);
}
