// Tools that replace globals: fake timers (Jest, Vitest, Sinon) after the import, and classes of promises (zone.js,
// core-js, Bluebird) before or after it. What the package needs is captured at import: no call hangs, and every digest
// is right.
import { expect, it } from "vitest";
import { runNode } from "../support/child.ts";

/** Each kind of call that waits, on a message that takes several turns of the event loop. */
const CALLS = `
  const { blake3 } = await import("blake-simd");
  const { DigestStream, digestOf, HashStream } = await import("blake-simd/streams");
  const { hashFile, hashThrough } = await import("blake-simd/node");
  const { outboardOf } = await import("blake-simd/bao");
  const { Blake3Pool } = await import("blake-simd/parallel");
  const { readFileSync } = await import("node:fs");
  const { Readable } = await import("node:stream");
  const real = { setTimeout, Promise };
  const message = new Uint8Array(8 * 2 ** 20).map((_, i) => i % 251);
  const blob = new Blob([message]);
  const file = "package-lock.json";
  const { signal } = new AbortController();
  const calls = async () => {
    const through = new HashStream(blake3);
    const sink = new DigestStream(blake3);
    const [one, two] = [new Blake3Pool({ threads: 0 }), new Blake3Pool({ threads: 2 })];
    const given = await real.Promise.all([
      digestOf(blake3, blob),
      digestOf(blake3, blob.stream(), { signal, onProgress() {} }),
      digestOf(blake3, Readable.from([message])),
      outboardOf(blob, { signal }).then(({ root }) => root),
      blob.stream().pipeThrough(through).pipeTo(sink).then(() => through.digest),
      sink.digest,
      one.hash(message),
      two.hash(blob, { signal }),
      new real.Promise((resolve) => Readable.from([message]).pipe(hashThrough(blake3, resolve)).resume()),
    ]);
    const ofFile = await real.Promise.all([hashFile(blake3, file), hashFile(blake3, file, { signal }), two.hash({ path: file })]);
    await real.Promise.all([one.close(), two.close()]);
    const hex = (bytes) => Buffer.from(bytes).toString("hex");
    const wrong = [...given.filter((each) => hex(each) !== blake3.hex(message)), ...ofFile.filter((each) => hex(each) !== blake3.hex(readFileSync(file)))];
    return wrong.length;
  };`;

const FAKE_TIMERS = `
  for (const name of ["setTimeout", "setInterval", "setImmediate", "clearTimeout", "queueMicrotask", "requestAnimationFrame"])
    globalThis[name] = () => 0;
  Date.now = () => 0;
  performance.now = () => 0;
  globalThis.MessageChannel = class { port1 = {}; port2 = { postMessage() {} }; };`;

/** A class of promises as zone.js and core-js have it: with a \`then\` of its own. */
const PROMISE = `
  const Native = Promise;
  globalThis.Promise = class Zoned extends Native {
    then(...acts) { return super.then(...acts); }
    static resolve(value) { return new this((resolve) => resolve(value)); }
  };`;

const END = "console.log(JSON.stringify(await calls()));";

it.each([
  ["fake timers, after the import", `${CALLS}\n{ ${FAKE_TIMERS} }\n${END}`],
  ["another Promise, before the import", `${PROMISE}\n${CALLS}\n${END}`],
  ["another Promise, after the import", `${CALLS}\n${PROMISE}\n${END}`],
])("%s", (_, code) => {
  expect(runNode(code)).toBe(0);
});
