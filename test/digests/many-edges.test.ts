// Messages around what one call of the lanes takes, beside others that it takes, and digests of several lengths in turn.
import { blake2s as nobleBlake2s } from "@noble/hashes/blake2.js";
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import { blake2s, blake3 } from "blake-simd";
import { it } from "vitest";
import { eachBackend } from "../support/backends.ts";
import { AREA, expectBytes, pattern } from "../support/messages.ts";

const lengths = [0, 1, 63, 64, 65, 512, 1022, 1023, 1024, 1025, 1026, 1087, 1088, 1089, 2048];
const messages = [...lengths, ...lengths].map((length, i) => pattern(length + i).subarray(i));
const long = pattern(AREA + 1);
const algorithms = [
  ["blake2s", blake2s, nobleBlake2s],
  ["blake3", blake3, nobleBlake3],
] as const;

eachBackend(() => {
  it.each(algorithms)("%s, in digests of 32 bytes, then of fewer, then of 32 again", (_name, algorithm, noble) => {
    for (const length of [32, 20, 1, 32]) {
      // The last digest of the second call has the place of the first one of the next.
      for (const inputs of [messages, [long, ...messages]]) {
        for (const [i, digest] of algorithm.many(inputs, { length }).entries()) {
          expectBytes(digest, noble(inputs[i]!, { dkLen: length }), `message ${i} of ${inputs[i]!.length} bytes`);
        }
      }
    }
  });

  it.each(algorithms)("%s, of texts whose bytes are more than their characters", (_name, algorithm, noble) => {
    const texts = lengths.flatMap((length) => ["a".repeat(length), "é".repeat(length / 2), "€".repeat(length / 3)]);
    for (const [i, digest] of algorithm.many(texts).entries()) {
      expectBytes(digest, noble(new TextEncoder().encode(texts[i]!)), `text ${i}`);
    }
  });

  it.each(algorithms)("%s, of messages and texts that end in the next slice", (_name, algorithm, noble) => {
    for (const size of [10_000, 15_000, 16_383]) {
      const parts = Array.from({ length: 12 }, (_, i) => pattern(size + i).subarray(i));
      for (const inputs of [parts, parts.map((part) => "€".repeat(part.length / 3))]) {
        for (const [i, digest] of algorithm.many(inputs).entries()) {
          expectBytes(digest, noble(Buffer.from(inputs[i]!)), `message ${i} of ${size} bytes`);
        }
      }
    }
  });
});
