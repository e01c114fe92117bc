// The calls of the other entries: HMAC, streams, node, pools and helpers.
import { readFileSync } from "node:fs";
import { finished } from "node:stream/promises";
import { blake2b as nobleBlake2b, blake2s as nobleBlake2s } from "@noble/hashes/blake2.js";
import { expand as nobleExpand, extract as nobleExtract, hkdf as nobleHkdf } from "@noble/hashes/hkdf.js";
import { hmac as nobleHmac } from "@noble/hashes/hmac.js";
import type { Algorithm, Hasher } from "blake-simd";
import * as main from "blake-simd";
import type * as hmacs from "blake-simd/hmac";
import * as node from "blake-simd/node";
import { Blake3Pool } from "blake-simd/parallel";
import type * as streamsOfAll from "blake-simd/streams";
import { secretsOf } from "./algorithms.mjs";
import { arraysOf, through } from "./call.ts";
import {
  type Arrays,
  type Bytes,
  type Call,
  type Code,
  calls,
  concat,
  HEAD,
  makes,
  method,
  type Oracle,
  row,
} from "./row.mjs";

type Loose = Algorithm<never, Hasher>;
type Act = (...args: unknown[]) => unknown;
const nobles: Record<string, typeof nobleBlake2b> = { blake2s: nobleBlake2s as never, blake2b: nobleBlake2b };
const SHORT = { message: 100 };

/** The calls that take an algorithm, beside its own. */
export function hmacCalls({ hmac, hkdf, nobleHash }: typeof hmacs, algorithm: Loose): Call[] {
  const name = algorithm.algorithm;
  const noble = nobles[name] as typeof nobleBlake2b;
  const secrets = secretsOf(name);
  const own = (act: unknown, lengths: object, args: (a: Arrays) => unknown[], wanted?: (a: Arrays) => Bytes) => ({
    of: name,
    act: calls(act),
    arrays: arraysOf(lengths as Record<string, number>),
    args,
    ...(name in nobles && wanted && { expected: (a: Arrays) => [wanted(a)] }),
  });
  const keyed = { key: 20, message: 100 };
  const mac =
    (...parts: Bytes[]) =>
    (a: Arrays) =>
      nobleHmac(noble, a.key!, concat(...parts, a.message!));
  const on = (member: string, args: Call["args"], look: Call["look"], expected?: (a: Arrays) => Bytes[]) =>
    row(`hmac-${name}.${member}`, {
      of: name,
      arrays: arraysOf(keyed),
      act: method(member),
      make: (a) =>
        hmac
          .create(algorithm, a.key!)
          .update(HEAD)
          .update(member === "update" ? "" : a.message!),
      args,
      peek: (each: Hasher) => each.digest(),
      look,
      ...(name in nobles && expected && { expected }),
    });
  const adapted = nobleHash(algorithm);
  return [
    row(
      "hmac",
      own(hmac, keyed, (a) => [algorithm, a.key, a.message], mac()),
    ),
    row("hmac", {
      ...own(hmac, { key: 300, message: 100 }, (a) => [algorithm, a.key, a.message], mac()),
      how: " with a long key",
    }),
    row("hmac.create", {
      ...own(hmac.create, keyed, (a) => [algorithm, a.key], mac(HEAD)),
      look: (each: hmacs.Hmac, _: unknown, a: Arrays) => [each.update(HEAD).update(a.message!).digest()],
    }),
    on(
      "update",
      (a) => [a.message],
      (_, each: Hasher) => [each.digest()],
      (a) => [mac(HEAD)(a)],
    ),
    on(
      "digest",
      () => ["hex"],
      (value: string, each: Hasher) => [Buffer.from(value, "hex"), each.digest()],
      (a) => [mac(HEAD)(a), mac(HEAD)(a)],
    ),
    on(
      "clone",
      () => [],
      (clone: Hasher, each: Hasher) => [clone.digest(), each.digest()],
      (a) => [mac(HEAD)(a), mac(HEAD)(a)],
    ),
    on(
      "reset",
      () => [],
      (_, each: Hasher) => [each.digest()],
      (a) => [nobleHmac(noble, a.key!, new Uint8Array())],
    ),
    row("hkdf", {
      ...own(
        hkdf,
        { material: 40, salt: 20, info: 50 },
        () => [],
        (a) => nobleHkdf(noble, a.material!, a.salt, a.info, 100),
      ),
      args: ({ material, ...rest }, code) => [algorithm, material, code.options({ ...rest, length: 100 })],
      optionsAt: 2,
    }),
    row(
      "hkdf.extract",
      own(
        hkdf.extract,
        { material: 40, salt: 20 },
        (a) => [algorithm, a.material, a.salt],
        (a) => nobleExtract(noble, a.material!, a.salt),
      ),
    ),
    row("hkdf.expand", {
      ...own(
        hkdf.expand,
        { key: algorithm.digestLength, info: 50 },
        (a) => [algorithm, a.key, a.info, 100],
        (a) => nobleExpand(noble, a.key!, a.info, 100),
      ),
      quoted: [3],
    }),
    row("nobleHash", {
      of: name,
      act: calls(nobleHash),
      args: () => [algorithm, {}],
      optionsAt: 1,
      secrets,
      via: `${name}.create`,
      look: () => [],
    }),
    row(`nobleHash(${name})`, {
      ...own(
        adapted,
        SHORT,
        (a) => [a.message],
        (a) => noble(a.message!),
      ),
      via: `${name} hasher.update`,
    }),
    row(`nobleHash(${name}).create`, { of: name, act: calls(adapted.create), most: 0, look: () => [] }),
  ];
}

/** Calls under the options of an algorithm, which hash a message. */
export function streamCalls(streams: typeof streamsOfAll, algorithm: Loose): Call[] {
  const name = algorithm.algorithm;
  const option = name === "blake3" ? { key: 32 } : {};
  const arrays = arraysOf({ ...SHORT, ...option });
  const given = (a: Arrays) => (a.key ? { key: a.key } : {});
  const secrets = secretsOf(name);
  const rest = { of: name, arrays, secrets, via: `${name}.create`, optionsAt: 1 };
  const expected = (a: Arrays, oracle: Oracle) => [oracle.digest(name, a.message!, given(a))];
  const options = (a: Arrays, code: Code) => [algorithm, code.options(given(a))];
  const right = (a: Arrays) => algorithm(a.message!);
  return [
    row("HashStream", {
      ...rest,
      act: makes(streams.HashStream),
      args: options,
      async look(stream: streamsOfAll.HashStream<Bytes>, _: unknown, a: Arrays) {
        await through(stream, a.message!);
        return [await stream.digest];
      },
      expected,
    }),
    row("DigestStream", {
      ...rest,
      act: makes(streams.DigestStream),
      args: options,
      async look(stream: streamsOfAll.DigestStream, _: unknown, a: Arrays) {
        const writer = stream.getWriter();
        await Promise.all([writer.write(a.message!), writer.close()]);
        return [await stream.digest];
      },
      expected,
    }),
    row("VerifyStream", {
      ...rest,
      arrays: { message: arrays.message!, expected: right(arrays) },
      act: makes(streams.VerifyStream),
      args: (a) => [algorithm, a.expected, {}],
      optionsAt: 2,
      async look(stream: streamsOfAll.VerifyStream<Bytes>, _: unknown, a: Arrays) {
        await through(stream, a.message!);
        return [await stream.digest];
      },
      expected: (a, oracle) => {
        const digest = oracle.digest(name, a.message!);
        return Buffer.compare(digest, a.expected!) === 0 ? [digest] : undefined;
      },
    }),
    row("digestOf", {
      ...rest,
      act: calls(streams.digestOf),
      args: (a, code) => [algorithm, a.message, code.options(given(a))],
      optionsAt: 2,
      expected,
    }),
    row("digestOf", {
      ...rest,
      how: " a list",
      act: calls(streams.digestOf),
      args: (a, code) => [algorithm, code.list([a.message]), code.options(given(a))],
      optionsAt: 2,
      expected,
    }),
  ];
}

/** Writes a chunk to a stream of Node's. */
function write(stream: NodeJS.ReadWriteStream, chunk: Bytes): void {
  stream.resume();
  try {
    stream.end(chunk);
  } catch (error) {
    // Node's own, for a detached chunk.
    throw new TypeError(`write: chunk must have bytes, got ${error}`);
  }
}

export function nodeCalls(algorithm: Loose): Call[] {
  const name = algorithm.algorithm;
  const secrets = secretsOf(name);
  const names: Record<string, string> = { blake2b: "blake2b512", blake2s: "blake2s256" };
  const key = secrets.includes("key") ? { key: 32 } : {};
  const arrays = arraysOf({ data: 100, ...key });
  const given = (a: Arrays) => (a.key ? { key: a.key } : {});
  const own = names[name] ?? name;
  const rest = { of: name, arrays, secrets, via: own, more: true };
  const expected = (a: Arrays, oracle: Oracle) => [oracle.digest(name, a.data!, given(a))];
  const create = {
    ...rest,
    act: calls(node.createHash),
    args: (a: Arrays, code: Code) => [own, code.options(given(a))],
    optionsAt: 1,
    expected,
  };
  // Node's streams make a Buffer of what a chunk says that it is.
  const unspecified = /say|DataView|without a prototype/;
  return [
    row("createHash", { ...create, look: (hash: node.Hash, _: unknown, a: Arrays) => [hash.update(a.data!).digest()] }),
    row("createHash", {
      ...create,
      how: ", a stream",
      unspecified,
      async look(hash: node.Hash, _: unknown, a: Arrays) {
        write(hash, a.data!);
        await finished(hash);
        return [hash.digest()];
      },
    }),
    ...["update", "digest", "copy"].map((member) =>
      row(`${own}.${member}`, {
        of: name,
        arrays,
        more: true,
        via: member === "update" ? `${name} hasher.update` : own,
        make: (a, code) => node.createHash(own, code.options(given(a))).update(HEAD),
        act: method(member),
        ...(member === "update" && { args: (a) => [a.data] }),
        ...(member === "copy" && { args: (_, code) => [code.options({ highWaterMark: 1 })], optionsAt: 0 }),
        peek: (hash: node.Hash) => hash.copy().digest(),
        look: (value: Bytes | node.Hash, hash: node.Hash) => [
          value instanceof Uint8Array ? value : value.digest(),
          ...(member === "copy" ? [hash.digest()] : []),
        ],
        expected: (a, oracle) =>
          Array(member === "copy" ? 2 : 1).fill(
            oracle.digest(name, member === "update" ? concat(HEAD, a.data!) : HEAD, given(a)),
          ),
      }),
    ),
    row("createHmac", {
      of: name,
      via: own,
      more: true,
      arrays: arraysOf({ data: 100, key: 32 }),
      act: calls(node.createHmac),
      args: (a) => [own, a.key, {}],
      optionsAt: 2,
      look: (hash: node.Hash, _: unknown, a: Arrays) => [hash.update(a.data!).digest()],
      ...(name === "blake2s" && { expected: (a: Arrays) => [nobleHmac(nobleBlake2s, a.key!, a.data!)] }),
    }),
    row("hashFile", {
      of: name,
      secrets,
      via: `${name}.create`,
      act: calls(node.hashFile),
      args: () => [algorithm, "package.json", {}],
      optionsAt: 2,
      quoted: [1],
    }),
    row("hashFileSync", {
      of: name,
      secrets,
      via: `${name}.create`,
      act: calls(node.hashFileSync),
      args: () => [algorithm, "package.json", {}],
      optionsAt: 2,
      quoted: [1],
    }),
    row("verifyFile", {
      of: name,
      secrets,
      via: `${name}.create`,
      act: calls(node.verifyFile),
      args: () => [algorithm, "package.json", algorithm(readFileSync("package.json")), {}],
      optionsAt: 3,
      quoted: [1],
    }),
    row("hashThrough", {
      ...rest,
      via: `${name}.create`,
      more: false,
      unspecified,
      make() {
        let resolve: unknown;
        const promise = new Promise((done) => {
          resolve = done;
        });
        return { promise, resolve };
      },
      act: ({ resolve }: { resolve: unknown }, of: unknown, then: unknown, ...more: unknown[]) =>
        (node.hashThrough as unknown as Act)(of, typeof then === "function" ? resolve : then, ...more),
      args: (a, code) => [algorithm, () => {}, code.options(given(a))],
      optionsAt: 2,
      // Not to its end, which a Transform never reaches if a chunk that it passes on is detached.
      async look(stream: NodeJS.ReadWriteStream, { promise }: { promise: Promise<Bytes> }, a: Arrays) {
        const failure = new Promise<never>((_, reject) => stream.on("error", reject));
        write(stream, a.data!);
        return [await Promise.race([promise, failure])];
      },
      expected,
    }),
  ];
}

export const pool = new Blake3Pool({ threads: 2 });

export function poolCalls(): Call[] {
  const secrets = ["key", "context"];
  return [
    ...[100, 2 ** 20].map((length) =>
      row("Blake3Pool.hash", {
        of: "blake3",
        how: ` of ${length} bytes`,
        secrets,
        arrays: arraysOf({ message: length, key: 32 }),
        act: calls(pool.hash.bind(pool)),
        args: (a, code) => [a.message, code.options({ key: a.key })],
        optionsAt: 1,
        expected: (a, oracle) => [oracle.digest("blake3", a.message!, { key: a.key })],
        // Parts of it are read at different times (docs/threads.md).
        unspecified: /overwritten/,
      }),
    ),
  ];
}

/** What hashes nothing. */
export function helperCalls(): Call[] {
  const own = (name: string, act: unknown, args: unknown[], more = {}) =>
    row(name, { of: "blake3", act: calls(act), args: () => args, look: () => [], ...more });
  const bytes = new Uint8Array(64);
  return [
    own("toHex", main.toHex, [bytes], { more: true }),
    own("fromHex", main.fromHex, ["00"], { more: true }),
    own("fromBase64", main.fromBase64, ["AAAA"], { more: true }),
    own("fromBase64url", main.fromBase64url, ["AAAA"], { more: true }),
    own("equal", main.equal, [bytes, bytes], { more: true }),
    own("useBackend", main.useBackend, ["simd128"], { more: true }),
    own("useVectorLatency", main.useVectorLatency, [1], { more: true }),
    own("getHashes", node.getHashes, []),
    own("Blake3Pool", null, [{ threads: 0 }], { act: makes(Blake3Pool), optionsAt: 0 }),
    own("Blake3Pool.allocate", pool.allocate.bind(pool), [4], { quoted: [0] }),
    own("Blake3Pool.release", pool.release.bind(pool), [pool.allocate(4)]),
  ];
}
