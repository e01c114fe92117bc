// No object of the package is read through Object.prototype, to which anyone can add, for example by a careless merge
// of JSON: while every name in the package is a property there, calls of the whole API without options read none.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Algorithm, algorithms, blake2b, blake3, toHex } from "blake-simd";
import { BaoDecodeStream, BaoEncodeStream, outboardOf } from "blake-simd/bao";
import { hashFile } from "blake-simd/node";
import { Blake3Pool } from "blake-simd/parallel";
import { restore, save } from "blake-simd/states";
import { digestOf, HashStream, VerifyStream, verified } from "blake-simd/streams";
import { updateUint32LE } from "blake-simd/typed";
import { afterAll, expect, it } from "vitest";
import { eachCall } from "../support/calls/all.ts";
import { rightArguments } from "../support/calls/call.ts";
import { NO_CODE } from "../support/calls/row.mjs";
import { pattern } from "../support/messages.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const SOURCE = `${root}js`;

// `return` is read by the language itself, where a loop or a pattern ends early; `then` by await; the rest by
// defineProperty.
const READ_BY_THE_LANGUAGE = [
  "return",
  "then",
  "RegExp",
  "get",
  "set",
  "value",
  "writable",
  "enumerable",
  "configurable",
];
// What is read of others: of globals and built-in classes, which may lack it, and of sources, whose kind their members
// tell.
const OF_OTHERS = [
  ...["Deno: simdDisabled", "BLAKE_SIMD_DISABLE: simdDisabled", "bun: isNode", "deno: isNode"],
  ...["toHex: builtIn", "toBase64: builtIn"],
  ...[
    "size: isBlob",
    "stream: isBlob",
    "arrayBuffer: isBlob",
    "bodyUsed: isBlob",
    "ok: refuseFailed",
    "status: refuseFailed",
  ],
  ...["path: requireNoPath", "read: isHandle", "stat: isHandle", "pipe: isHandle", "readableEnded: openSource"],
];

function namesInSource(): Set<string> {
  const names = new Set(Array.from({ length: 140 }, (_, i) => String(i)));
  for (const file of readdirSync(SOURCE, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".ts")) continue;
    for (const [name] of readFileSync(`${SOURCE}/${file}`, "utf8").matchAll(/[A-Za-z_$][\w$]*/g)) names.add(name);
  }
  for (const name of [...READ_BY_THE_LANGUAGE, ...Object.getOwnPropertyNames(Object.prototype)]) names.delete(name);
  return names;
}

/** Returns what the package's code reads of Object.prototype while it acts: the name, and the line. */
async function readsOf(act: () => unknown): Promise<string[]> {
  const reads = new Set<string>();
  const names = namesInSource();
  // With no prototype, or it would be read, too.
  const bare = (descriptor: PropertyDescriptor) => Object.assign(Object.create(null), descriptor);
  let listening = true;
  const note = (name: string) => {
    listening = false;
    const line = new Error().stack?.split("\n")[3] ?? "";
    if (line.includes(`${root}dist`) || line.includes(SOURCE)) reads.add(`${name}${line.replace(/.*at /, ": ")}`);
    listening = true;
  };
  for (const name of names) {
    const get = () => void (listening && note(name));
    const set = function (this: object, value: unknown) {
      Object.defineProperty(this, name, bare({ value, writable: true, enumerable: true, configurable: true }));
    };
    Object.defineProperty(Object.prototype, name, bare({ get, set, configurable: true }));
  }
  try {
    await act();
  } finally {
    for (const name of names) Reflect.deleteProperty(Object.prototype, name);
  }
  return [...reads];
}

const short = pattern(100);
const long = pattern(200_000);
const batch = Array.from({ length: 30 }, (_, i) => long.subarray(i, 700 + i));

function hashes(algorithm: Algorithm): void {
  algorithm(long);
  algorithm.hex(long);
  algorithm.many([short, "text", long]);
  algorithm.many(batch);
  const hasher = algorithm.create().update(short);
  algorithm(short);
  updateUint32LE(hasher, 5).update("text").update(long);
  restore(algorithm, save(hasher.clone())).digest("base64");
  hasher.reset().update(short).digest("hex");
  hasher.dispose();
}

const withoutOptions = eachCall.flatMap((each) => {
  const object = each.make(each.arrays, NO_CODE);
  const given = rightArguments(each, object);
  const at = each.optionsAt ?? given.length;
  return Object.keys(given[at] ?? {}).length > 0 ? [] : [{ act: each.act, object, given: given.slice(0, at) }];
});

/** The calls that need no options, without them. */
async function others(): Promise<void> {
  for (const { act, object, given } of withoutOptions) await act(object, ...given);
  blake3.create().update(short).xof().read(100);
}

const body = (bytes: Uint8Array<ArrayBuffer>) => new Blob([bytes]).stream();

async function streams(): Promise<void> {
  for (const source of [short, new Blob([short]), new Response(short), [short, long], body(long)]) {
    await digestOf(blake3, source);
  }
  await hashFile(blake3, fileURLToPath(import.meta.url));
  await new Response(body(long).pipeThrough(new HashStream(blake3))).arrayBuffer();
  const expected = blake3(short);
  await new Response(body(short).pipeThrough(new VerifyStream(blake3, expected))).arrayBuffer();
  await verified(blake3, new Response(short), expected).arrayBuffer();
  const outboard = await outboardOf(long);
  const encoded = body(long).pipeThrough(new BaoEncodeStream(outboard));
  await new Response(encoded.pipeThrough(new BaoDecodeStream(outboard.root))).arrayBuffer();
}

/** Threads start before there is anything to read. */
const pools = [new Blake3Pool({ threads: 0 }), new Blake3Pool({ threads: 1 })];
const huge = pattern(3 * 2 ** 20);
for (const pool of pools) await pool.hash(huge);
afterAll(() => Promise.all(pools.map((pool) => pool.close())));

async function hashInPools(): Promise<void> {
  const path = fileURLToPath(import.meta.url);
  for (const pool of pools) {
    const sources = [long, new Blob([long]), huge, new Blob([huge])];
    const digests = await Promise.all(sources.map((source) => pool.hash(source)));
    expect(digests.map(toHex)).toEqual([long, long, huge, huge].map((bytes) => blake3.hex(bytes)));
    await pool.hash(new URL(`file://${path}`));
  }
}

it("reads of its own objects what they have themselves", async () => {
  const before = Object.values(algorithms).map((algorithm) => algorithm.hex(short));
  const reads = await readsOf(async () => {
    for (const algorithm of Object.values(algorithms)) hashes(algorithm as Algorithm);
    await others();
    await streams();
    await hashInPools();
  });
  expect(reads.filter((read) => !OF_OTHERS.some((other) => read.startsWith(other)))).toEqual([]);
  expect(Object.values(algorithms).map((algorithm) => algorithm.hex(short))).toEqual(before);
  expect(toHex(blake3(short))).toBe(before.at(-1));
});

it("sees what is read", async () => {
  const reads = await readsOf(() => expect(() => blake2b.create({ length: 32 })).toThrow("key"));
  expect(reads.map((read) => read.replace(/:.*/, ""))).toEqual(["key"]);
});
