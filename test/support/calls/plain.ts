// Calls of the table by their titles, and of every kind of source, to be made without a test runner.
import { openAsBlob } from "node:fs";
import { Readable } from "node:stream";
import * as main from "blake-simd";
import { outboardOf } from "blake-simd/bao";
import * as hazmat from "blake-simd/hazmat";
import * as hmacs from "blake-simd/hmac";
import { hashFile, hashThrough } from "blake-simd/node";
import { Blake3Pool } from "blake-simd/parallel";
import * as states from "blake-simd/states";
import * as streams from "blake-simd/streams";
import { algorithmCalls } from "./algorithms.mjs";
import { baoCalls } from "./bao.ts";
import { run, titleOf } from "./call.ts";
import { helperCalls, hmacCalls, nodeCalls, pool, poolCalls, streamCalls } from "./others.ts";
import { type Bytes, bytesFor, type Call, type Library } from "./row.mjs";
import { subtreeCalls } from "./subtrees.mjs";

type Act = () => Bytes | Promise<Bytes>;

const { blake3 } = main;
const { digestOf, HashStream, VerifyStream, verified } = streams;
const library = { main, states, streams, hmacs, hazmat } as unknown as Library;

/** The table's calls, each once, of one algorithm. */
const rows = new Map<string, Call>();
for (const call of [
  ...algorithmCalls(library, "blake3", bytesFor, [100]),
  ...hmacCalls(hmacs, blake3 as never),
  ...streamCalls(streams, blake3 as never),
  ...nodeCalls(blake3 as never),
  ...subtreeCalls(library),
  ...(await baoCalls()),
  ...poolCalls(),
  ...helperCalls(),
]) {
  if (!rows.has(call.name)) rows.set(call.name, call);
}

const long = bytesFor("message", 300_000);
const short = bytesFor("message", 100);
const right = blake3(long);
const pools = [{ threads: 0 }, { threads: 1, callingThread: true }].map((own) => new Blake3Pool(own));
const fileBlob = await openAsBlob("package-lock.json");
const controller = new AbortController();
const options = { signal: controller.signal, onProgress() {} };
const streamOf = (type?: "bytes") => {
  let at = 0;
  const pull = (target: ReadableByteStreamController | ReadableStreamDefaultController) => {
    if (at === long.length) return target.close();
    target.enqueue(long.slice(at, at + 100_000));
    at += 100_000;
  };
  return new ReadableStream({ type, pull } as UnderlyingDefaultSource<Bytes>);
};
const sources: Record<string, () => object> = {
  "short bytes": () => short,
  "long bytes": () => long,
  "a short Blob": () => new Blob([short]),
  "a long Blob": () => new Blob([long]),
  "a stream": () => streamOf(),
  "a byte stream": () => streamOf("bytes"),
  "a Response": () => new Response(long),
  "a list": () => [long.subarray(0, 9), long.subarray(9)],
  "a File around a Blob of a file": () => new File([fileBlob], "name"),
  "an async generator": () =>
    (async function* () {
      yield long;
    })(),
  "a Node stream": () => Readable.from([long]),
};
const isOfPool = (name: string) => !/stream|Response|list|generator/.test(name);

const own: [string, Act][] = [
  ...Object.entries(sources).flatMap(([name, make]): [string, Act][] => [
    [`digestOf ${name}`, () => digestOf(blake3, make() as Bytes)],
    [`digestOf ${name}, with options`, () => digestOf(blake3, make() as Bytes, options)],
    [`outboardOf ${name}`, async () => (await outboardOf(make() as Bytes, options)).root],
    ...pools.flatMap((pool, i): [string, Act][] =>
      isOfPool(name) ? [[`pool ${i}, ${name}`, () => pool.hash(make() as Bytes, options)]] : [],
    ),
  ]),
  ...pools.map((pool, i): [string, Act] => [
    `pool ${i}, a file`,
    () => pool.hash({ path: "package-lock.json" }, options),
  ]),
  ["a pool that lets others run", () => pools[0]!.hash(new Uint8Array(3 * 2 ** 20))],
  ["hashFile", () => hashFile(blake3, "package-lock.json")],
  ["hashFile, with options", () => hashFile(blake3, "package-lock.json", options)],
  ["verified", async () => new Uint8Array(await verified(blake3, new Response(long), right).arrayBuffer())],
  [
    "HashStream, VerifyStream",
    async () => {
      const hash = new HashStream(blake3);
      const read = streamOf().pipeThrough(hash).pipeThrough(new VerifyStream(blake3, right));
      await new Response(read).arrayBuffer();
      return hash.digest;
    },
  ],
  [
    "hashThrough",
    () => new Promise((resolve, reject) => hashThrough(blake3, resolve).on("error", reject).resume().end(short)),
  ],
];

export const calls: [string, Act][] = [
  ...Array.from(rows.values(), (call): [string, Act] => [titleOf(call), () => run(call)]),
  ...own,
];

export const end = () => Promise.all([pool, ...pools].map((each) => each.close()));
