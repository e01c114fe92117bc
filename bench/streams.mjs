// What streams cost: 64 MiB in chunks of 64 KiB through each of them, beside the one-shot hash of the same bytes.
// BLAKE3 is the fastest hash here, so the share of the streams is at its largest. Each kind of stream has a process of
// its own, as it has in most programs, where it takes turns with the one-shot hash.
//
//   node bench/streams.mjs [ROUNDS [NODE]]      NODE: a different Node to measure, as a path
import { execFileSync } from "node:child_process";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import { blake3, toHex } from "../dist/index.js";
import { createHash } from "../dist/node.js";
import { DigestStream, digestOf, HashStream } from "../dist/streams.js";
import { deeper } from "./timing/rounds.mjs";

const LENGTH = 64 * 2 ** 20;
const CHUNK = 64 * 2 ** 10;
const [rounds = 40, node = process.execPath, only] = process.argv.slice(2);

const message = new Uint8Array(LENGTH);
for (let i = 0; i < LENGTH; i++) message[i] = i % 251;
const chunks = Array.from({ length: LENGTH / CHUNK }, (_, i) => message.subarray(i * CHUNK, (i + 1) * CHUNK));
const blob = new Blob([message]);

function source() {
  const rest = chunks.values();
  return new ReadableStream({
    pull(controller) {
      const { done, value } = rest.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
}

async function readAll(stream) {
  const reader = stream.getReader();
  while (!(await reader.read()).done);
}

const sink = () => new WritableStream();

/** Name -> what returns the digest; none if nothing is hashed. */
const cases = {
  "update(chunk)": () => {
    const hasher = blake3.create();
    for (const chunk of chunks) hasher.update(chunk);
    return hasher.digest();
  },
  "HashStream, read": async () => {
    const hash = new HashStream(blake3);
    await readAll(source().pipeThrough(hash));
    return hash.digest;
  },
  "TransformStream, read": () => readAll(source().pipeThrough(new TransformStream())),
  "HashStream, piped on": async () => {
    const hash = new HashStream(blake3);
    await source().pipeThrough(hash).pipeTo(sink());
    return hash.digest;
  },
  "TransformStream, piped on": () => source().pipeThrough(new TransformStream()).pipeTo(sink()),
  DigestStream: async () => {
    const digest = new DigestStream(blake3);
    await source().pipeTo(digest);
    return digest.digest;
  },
  "digestOf(stream)": () => digestOf(blake3, source()),
  "digestOf(chunks)": () => digestOf(blake3, chunks),
  "digestOf(blob)": () => digestOf(blake3, blob),
  "createHash in a pipeline": async () => {
    const hash = createHash("blake3");
    await pipeline(Readable.from(chunks, { objectMode: false }), hash);
    return hash.digest();
  },
};

async function timed(work) {
  const start = performance.now();
  const digest = await work();
  return { milliseconds: performance.now() - start, digest };
}

/** The best times, in ms, of a case and of the one-shot hash. */
async function measure(name) {
  const expected = toHex(nobleBlake3(message));
  const works = [() => blake3(message), cases[name]];
  const best = works.map(() => Infinity);
  for (let round = 0; round < rounds; round++) {
    for (const [i, work] of works.entries()) {
      const { milliseconds, digest } = await deeper(round, () => timed(work));
      if (digest && toHex(new Uint8Array(digest)) !== expected) throw new Error(`${name}: a wrong digest`);
      best[i] = Math.min(best[i], milliseconds);
    }
  }
  return best;
}

function row(name, oneShot, milliseconds) {
  const speed = (time) => (LENGTH / time / 1000).toFixed(0);
  const hashes = !name.startsWith("TransformStream");
  const share = hashes ? `${((100 * oneShot) / milliseconds).toFixed(1)} %` : "";
  const extra = (1000 * (milliseconds - (hashes ? oneShot : 0))) / chunks.length;
  return `| ${name} | ${speed(milliseconds)} | ${speed(oneShot)} | ${share} | ${extra.toFixed(1)} |`;
}

if (only) {
  console.log(row(only, ...(await measure(only))));
} else {
  console.log("| | MB/s | one-shot | share | us for each chunk, beyond hashing |\n|---|--:|--:|--:|--:|");
  for (const name of Object.keys(cases)) {
    const output = execFileSync(node, [import.meta.filename, rounds, node, name], { encoding: "utf8" });
    console.log(output.trimEnd());
  }
}
