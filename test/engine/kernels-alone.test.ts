// Each kernel by its exports alone, without js/ around it: digests, counters near their carries, states that are moved, what
// each call may write, and what it leaves of a secret.
import { blake256, blake512 } from "@noble/hashes/blake1.js";
import { describe, it } from "vitest";
import { checkModule } from "../support/kernel-checks/check-module.ts";
import { decodedKernel } from "../support/kernel-text.ts";
import { expectBytes, pattern } from "../support/messages.ts";
import { BLAKE256, BLAKE512, finish } from "../support/reference-blake1.ts";

const modules = [
  "blake256",
  "blake512",
  "blake2b",
  "blake2s",
  "blake2b-lanes",
  "blake2s-lanes",
  "blake3",
  "blake3-subtrees",
];

describe.each(modules)("%s", (module) => {
  it.each(["baseline", "simd128"])("%s does what wasm/memory.h says", async (build) => {
    checkModule(module, await decodedKernel(`${module}.js`, build));
  });

  it("simd128 for Bun does, too", async () => {
    checkModule(module, await decodedKernel(`${module}.bun.js`, "simd128"));
  });
});

describe("the plain implementation of BLAKE", () => {
  const variants = [
    {
      variant: BLAKE256,
      word: 4,
      long: blake256,
      iv: "6a09e667bb67ae853c6ef372a54ff53a510e527f9b05688c1f83d9ab5be0cd19",
    },
    {
      variant: BLAKE512,
      word: 8,
      long: blake512,
      iv: "6a09e667f3bcc908bb67ae8584caa73b3c6ef372fe94f82ba54ff53a5f1d36f1510e527fade682d19b05688c2b3e6c1f1f83d9abfb41bd6b5be0cd19137e2179",
    },
  ];

  it.each(variants)("agrees with noble, words of $word bytes", ({ variant, word, long, iv }) => {
    const chain = Uint8Array.from(Buffer.from(iv, "hex"));
    for (const length of [0, 1, 55, 56, 63, 64, 65, 111, 112, 127, 128, 129, 1000]) {
      for (const salt of [new Uint8Array(4 * word), pattern(4 * word)]) {
        const wanted = long(pattern(length), { salt });
        expectBytes(finish(variant, { chain, salt, done: 0n }, pattern(length), 1), wanted);
      }
    }
  });
});
