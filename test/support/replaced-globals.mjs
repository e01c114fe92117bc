// Run in a process of its own: replaces each global after the import, by a right one of another class and by one that
// does not work, and reads every kind of source by every call; prints what each outcome is.
import { mkdtempSync, openAsBlob, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";

const { blake3, toHex } = await import("blake-simd");
const { digestOf, HashStream, verified } = await import("blake-simd/streams");
const { hashFile } = await import("blake-simd/node");
const { Blake3Pool } = await import("blake-simd/parallel");
const { outboardOf } = await import("blake-simd/bao");
const { setTimeout: later, clearTimeout: never } = globalThis;
const { Promise: RealPromise, ReadableStream, Response, Blob, File } = globalThis;

const size = Number(process.env.SIZE);
const wanted = process.env.DIGEST;
const message = new Uint8Array(size).map((_, i) => i % 251);
const folder = mkdtempSync(join(tmpdir(), "blake-simd-"));
const path = join(folder, "message");
writeFileSync(path, message);
const fileBlob = await openAsBlob(path);

/** A stream that only closes at its end. */
const stream = (type) => {
  let at = 0;
  const pull = (controller) => {
    if (at === size) return controller.close();
    controller.enqueue(message.slice(at, at + 60_000));
    at = Math.min(size, at + 60_000);
  };
  return new ReadableStream({ pull, ...type });
};
const plainly = (source) => digestOf(blake3, source);
const both = () => ({ onProgress() {}, signal: new AbortController().signal });
const sources = {
  "a stream": () => stream({}),
  "a byte stream": () => stream({ type: "bytes" }),
  "a Response": () => new Response(stream({ type: "bytes" })),
  "a Blob": () => new Blob([message]),
  "a File around a Blob of a file": () => new File([fileBlob], "name"),
  "an iterable": () => [message.subarray(0, 500), message.subarray(500)],
  "an async generator": () =>
    (async function* () {
      yield message;
    })(),
  "a Node stream": () => Readable.from([message]),
};
const calls = {};
for (const [name, make] of Object.entries(sources)) {
  calls[`digestOf ${name}`] = () => plainly(make());
  calls[`digestOf ${name}, with both`] = () => digestOf(blake3, make(), both());
  calls[`outboardOf ${name}`] = async () => (await outboardOf(make())).root;
}
calls.HashStream = async () => {
  const hash = new HashStream(blake3);
  void stream({}).pipeTo(hash.writable);
  const reader = hash.readable.getReader();
  while (!(await reader.read()).done);
  return hash.digest;
};
calls.verified = () => digestOf(blake3, verified(blake3, new Response(stream({})), wanted).body);
calls["verified, without a body"] = async () => {
  const response = verified(blake3, new Response(null), blake3(""));
  return response.body === null && blake3(message);
};
calls["hashFile a path"] = () => hashFile(blake3, path);
calls["hashFile a path, with both"] = () => hashFile(blake3, path, both());
/** Pools of a global's own: one that hangs is not to hold up the calls under the next. */
function addPools() {
  for (const options of [{ threads: 0 }, { threads: 1, callingThread: true }]) {
    const pool = new Blake3Pool(options);
    const named = `Blake3Pool ${JSON.stringify(options)}`;
    calls[`${named}, bytes`] = () => pool.hash(message);
    calls[`${named}, a Blob`] = () => pool.hash(new Blob([message]));
    calls[`${named}, a file`] = () => pool.hash({ path });
  }
}

const outcomeOf = async (run) => {
  let timer;
  const hung = new RealPromise((resolve) => {
    timer = later(resolve, 2000, "hangs");
  });
  const result = RealPromise.race([
    run().then((digest) => (toHex(digest) === wanted ? "right" : "wrong"), String),
    hung,
  ]);
  const outcome = await result;
  never(timer);
  return outcome;
};
const broken = () => {
  throw new Error("replaced");
};
const silent = () => ({});
const derived = (name) => class extends globalThis[name] {};
/** What programs put in the place of globals, such as zone.js, fake timers, polyfills and sandboxes. */
const replaced = {
  Promise: () => derived("Promise"),
  setTimeout: () => silent,
  setImmediate: () => silent,
  MessageChannel: () => broken,
  queueMicrotask: () => silent,
  Date: () => Object.assign(class extends Date {}, { now: () => 0 }),
  performance: () => ({ now: () => 0 }),
  crypto: () => ({ getRandomValues: broken, randomUUID: broken }),
  Blob: () => derived("Blob"),
  File: () => broken,
  FileReader: () => broken,
  Response: () => derived("Response"),
  Request: () => broken,
  ReadableStream: () => derived("ReadableStream"),
  TransformStream: () => derived("TransformStream"),
  WritableStream: () => derived("WritableStream"),
  AbortController: () => derived("AbortController"),
  DOMException: () => broken,
  TextEncoder: () => broken,
  TextDecoder: () => broken,
  URL: () => derived("URL"),
  Uint8Array: () => derived("Uint8Array"),
  ArrayBuffer: () => derived("ArrayBuffer"),
  SharedArrayBuffer: () => derived("SharedArrayBuffer"),
  Buffer: () => Object.assign(() => {}, { isBuffer: () => false }),
  structuredClone: () => broken,
};
const outcomes = {};
for (const name of process.env.REPLACED.split(" ")) {
  const usual = Object.getOwnPropertyDescriptor(globalThis, name);
  outcomes[name] = {};
  addPools();
  if (usual) Object.defineProperty(globalThis, name, { value: replaced[name](), configurable: true, writable: true });
  for (const [label, run] of Object.entries(calls)) {
    const outcome = await outcomeOf(run).catch(String);
    if (outcome !== "right") outcomes[name][label] = outcome;
  }
  if (usual) Object.defineProperty(globalThis, name, usual);
}
rmSync(folder, { recursive: true });
process.stdout.write(JSON.stringify(outcomes), () => process.exit());
