// Every entry in the environment of a test runner, which may have a browser's globals: text, bytes, a File, a stream.
// Babel makes CommonJS of it for some.
import { createHash as nodeHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { ReadableStream, TransformStream, WritableStream } from "node:stream/web";
import * as main from "blake-simd";
import * as bao from "blake-simd/bao";
import * as blake1 from "blake-simd/blake1";
import * as blake2b from "blake-simd/blake2b";
import * as blake2s from "blake-simd/blake2s";
import * as blake3 from "blake-simd/blake3";
import * as hazmat from "blake-simd/hazmat";
import * as hmac from "blake-simd/hmac";
import * as javascript from "blake-simd/javascript";
import * as node from "blake-simd/node";
import * as parallel from "blake-simd/parallel";
import * as states from "blake-simd/states";
import * as streams from "blake-simd/streams";

const HELLO = "ea8f163db38682925e4491c5e58d4bb3506ef8c14eb78a86e908c5624a67200f";
const hello = () => Uint8Array.of(104, 101, 108, 108, 111);
const blake2b512 = (message) => nodeHash("blake2b512").update(message).digest("hex");
const streamOf = (chunk) =>
  new ReadableStream({
    start(controller) {
      controller.enqueue(chunk);
      controller.close();
    },
  });

test("entries", () => {
  for (const entry of [
    main,
    bao,
    blake1,
    blake2b,
    blake2s,
    blake3,
    hazmat,
    hmac,
    javascript,
    node,
    parallel,
    states,
    streams,
  ])
    expect(Object.keys(entry).length).toBeGreaterThan(0);
});

test("text", () => {
  for (const text of ["hello", "h\u00e9 \ud83d\ude00", "half \ud83d"]) {
    expect(main.blake2b.hex(text)).toBe(blake2b512(text));
    expect(javascript.blake2b.hex(text)).toBe(blake2b512(text));
  }
  expect(main.blake3.create().update("hel").update("lo").digest("base64")).toBe(
    Buffer.from(HELLO, "hex").toString("base64"),
  );
});

test("bytes", () => {
  for (const bytes of [hello(), hello().buffer, Buffer.from("hello")]) expect(main.blake3.hex(bytes)).toBe(HELLO);
  expect(main.blake3("hello")).toBeInstanceOf(Uint8Array);
  expect(main.blake3("hello")).toEqual(main.fromHex(HELLO));
});

test("a File", async () => {
  const file = new File(["hel", Uint8Array.of(108, 111)], "hello.txt");
  expect(main.toHex(await streams.digestOf(main.blake3, file))).toBe(HELLO);
  const pool = new parallel.Blake3Pool({ threads: 2 });
  const large = new Uint8Array(3_000_000).fill(7);
  for (const source of [large, new File([large], "large")]) {
    expect(main.toHex(await pool.hash(source))).toBe(main.blake3.hex(large));
  }
  await pool.close();
});

test("a stream", async () => {
  expect(main.toHex(await streams.digestOf(main.blake3, streamOf(hello())))).toBe(HELLO);
  // jsdom has no such classes, and happy-dom has Node's stream.Transform by that name: a project that uses them defines
  // them.
  if (!globalThis.TransformStream)
    expect(() => new streams.HashStream(main.blake3)).toThrow("TransformStream is not defined");
  Object.assign(globalThis, { ReadableStream, TransformStream, WritableStream });
  const hash = new streams.HashStream(main.blake3);
  await streamOf(hello()).pipeThrough(hash).pipeTo(new streams.DigestStream(main.blake3));
  expect(main.toHex(await hash.digest)).toBe(HELLO);
});

test("the other entries", () => {
  expect(node.createHash("blake2b512").update("hello").digest("hex")).toBe(blake2b512("hello"));
  expect(hmac.hmac(main.blake2b, hello(), "hello")).toHaveLength(64);
  expect(main.toHex(bao.outboard("hello").root)).toBe(HELLO);
  expect(
    states
      .restore(main.blake3, states.save(main.blake3.create().update("hel")))
      .update("lo")
      .digest("hex"),
  ).toBe(HELLO);
});

test("digests", () => {
  writeFileSync(
    "digests.json",
    JSON.stringify({ blake3: main.blake3.hex("hello"), blake2b: main.blake2b.hex("hello") }),
  );
});
