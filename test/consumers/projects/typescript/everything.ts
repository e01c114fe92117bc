// Every entry and every exported type, as a user with Node's types writes them.
import * as crypto from "node:crypto";
import * as main from "blake-simd";
import { blake224, blake256, blake384, blake512 } from "blake-simd/blake1";
import { blake2b, blake2bp, blake2xb } from "blake-simd/blake2b";
import { blake2s, blake2sp, blake2xs } from "blake-simd/blake2s";
import { blake3 } from "blake-simd/blake3";
import { type Blake3Mode, chainingValue, leftSubtreeLength, rootOf, SubtreeHasher } from "blake-simd/hazmat";
import { createHash, createHmac, type Hash, type HashOptionsOf, hashFile } from "blake-simd/node";
import * as parallel from "blake-simd/parallel";
import { restore, save } from "blake-simd/states";
import { type Chunk, DigestStream, digestOf, HashStream, type Source, VerifyStream } from "blake-simd/streams";
import { updateUint32LE } from "blake-simd/typed";

const input: main.Input = "hello";
const salted: main.Blake1Options = { salt: new Uint8Array(16) };
const keyed: main.Blake2Options = { key: main.fromHex("00ff"), length: 20, nodeOffset: 2n ** 40n };
const lanes: main.Blake2ParallelOptions = { length: 20 };
const extendable: main.Blake2ExtendableOptions = { length: 1000 };
const derived: main.Blake3Options = { context: "an example", length: 64 };
const mode: Blake3Mode = { context: "an example" };
const backend: main.Backend = main.backend();
const encoding: main.Encoding = "base64url";
main.useBackend(backend);
main.useVectorLatency(main.vectorLatency());

const one: main.Algorithm<main.Blake3Options, main.ExtendableHasher> = blake3;
const every: readonly main.Algorithm[] = Object.values(main.algorithms);
const digests: Uint8Array[] = [
  ...every.map((algorithm) => algorithm(input)),
  ...[blake224, blake256].map((algorithm) => algorithm(input, salted)),
  ...[blake384, blake512].map((algorithm) => algorithm.create().update(input).digest()),
  ...[blake2b, blake2s].map((algorithm) => algorithm(input, keyed)),
  ...[blake2bp, blake2sp].map((algorithm) => algorithm(input, lanes)),
  ...[blake2xb, blake2xs].map((algorithm) => algorithm(input, extendable)),
  ...blake3.many([input], derived),
];

function outputs(hasher: main.ExtendableHasher): string {
  const xof: main.Xof = hasher.xof();
  xof.position = 10n;
  const copy: main.Hasher = updateUint32LE(hasher.clone().reset(), 7);
  return [main.toHex(xof.read(8)), copy.digest(encoding), restore(blake3, save(hasher)).digest("hex")].join();
}

function subtrees(): Uint8Array {
  const left = chainingValue(new Uint8Array(leftSubtreeLength(2000)), mode);
  const right = new SubtreeHasher({ ...mode, offset: 1024 }).update(input).chainingValue();
  return rootOf(left, right, mode, { length: 48 });
}

async function streams(source: Source & Blob): Promise<boolean> {
  const hash = new HashStream(blake3);
  const verify: TransformStream<Chunk, Chunk> = new VerifyStream<Chunk>(blake2b, blake2b(input));
  await source.stream().pipeThrough(hash).pipeThrough(verify).pipeTo(new DigestStream(blake2s, keyed));
  const again = await digestOf(blake3, source, { onProgress: (bytes, total = 0) => bytes <= total, length: 32 });
  return main.equal(again, await hash.digest);
}

async function threads(): Promise<boolean> {
  const options: parallel.Blake3PoolOptions = { threads: 1, callingThread: true };
  const given: parallel.Blake3PoolHashOptions = { length: 48, onProgress: (bytes, total = 0) => bytes <= total };
  const file: parallel.FilePath = { path: process.execPath };
  await using pool = new parallel.Blake3Pool(options);
  const memory: Uint8Array = pool.allocate(10);
  const sources: parallel.Blake3Source[] = [memory, new Blob(["hello"]), file];
  const lengths = await Promise.all(sources.map(async (source) => (await pool.hash(source, given)).length));
  pool.release(memory);
  return lengths.every((length) => length === 48);
}

async function node(): Promise<string> {
  const options: HashOptionsOf<"blake2b512"> = { outputLength: 64, length: undefined };
  const hash: Hash = createHash("blake2b512", options);
  const hashes: crypto.Hash[] = [crypto.createHash("blake2b512"), hash];
  const mac: crypto.Hmac = createHmac("blake2b512", "key");
  if (hashes.length !== 2 || mac.update("hello").digest().length !== 64) throw new Error("a hash is node:crypto's");
  return hash.update("hello").digest("hex") + main.toHex(await hashFile(main.blake3, process.execPath, { length: 32 }));
}

const used = [
  outputs(blake3.create()),
  subtrees().length,
  await streams(new Blob(["hello"])),
  await threads(),
  await node(),
];
if (used.some((value) => !value) || digests.length !== 22) throw new Error("an entry does not do what its types say");
console.log(JSON.stringify({ blake3: main.toHex(one("hello")), blake2b: main.toHex(blake2b("hello")) }));
