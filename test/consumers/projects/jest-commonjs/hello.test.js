const { writeFileSync } = require("node:fs");
const { blake2b, blake3, toHex } = require("blake-simd");
const { hmac } = require("blake-simd/hmac");
const { createHash } = require("blake-simd/node");
const { Blake3Pool } = require("blake-simd/parallel");
const { digestOf } = require("blake-simd/streams");

test("digests", () => {
  writeFileSync("digests.json", JSON.stringify({ blake3: toHex(blake3("hello")), blake2b: toHex(blake2b("hello")) }));
});

test("the other entries", async () => {
  const large = new Uint8Array(3_000_000).fill(7);
  const pool = new Blake3Pool({ threads: 2 });
  expect(await pool.hash(large)).toEqual(blake3(large));
  await pool.close();
  expect(await digestOf(blake3, new Blob(["hello"]))).toEqual(blake3("hello"));
  expect(createHash("blake2b512").update("hello").digest("hex")).toBe(blake2b.hex("hello"));
  const code = require("node:crypto").createHmac("blake2b512", "key").update("hello").digest("hex");
  expect(toHex(hmac(blake2b, Buffer.from("key"), "hello"))).toBe(code);
});
