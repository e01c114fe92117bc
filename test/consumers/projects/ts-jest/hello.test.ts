import { writeFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { blake2b, blake3, toHex } from "blake-simd";
import { digestOf } from "blake-simd/streams";

test("digests", async () => {
  const digest: Uint8Array = await digestOf(blake3, new Blob(["hello"]));
  expect(blake3.hex("hello")).toBe(toHex(digest));
  writeFileSync("digests.json", JSON.stringify({ blake3: toHex(digest), blake2b: blake2b.hex("hello") }));
});
