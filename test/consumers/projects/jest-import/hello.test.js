const { writeFileSync } = require("node:fs");

test("digests", async () => {
  const { blake2b, blake3, toHex } = await import("blake-simd");
  writeFileSync("digests.json", JSON.stringify({ blake3: toHex(blake3("hello")), blake2b: toHex(blake2b("hello")) }));
});
