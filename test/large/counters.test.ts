// Counters that carry for real, after every length below has been hashed: half a gigabyte of BLAKE, four of the others.
// It takes a quarter of a minute, so `npm run test:large` runs it; the same carries with presets are in the other
// suites.
import { algorithms, useBackend, useVectorLatency } from "blake-simd";
import { expect, it } from "vitest";
import { countingPieces, vectors } from "../vectors/index.ts";

/** The counting bytes of a message from one length to another. */
function* piecesFrom(from: number, to: number): Generator<Uint8Array> {
  if (from === 0) yield* countingPieces(to);
  else yield new Uint8Array(to - from).map((_, i) => (from + i) % 251);
}

const subjects = [
  ["blake224", 1],
  ["blake256", 1],
  ["blake2b", 1],
  ["blake2s", 1],
  ["blake3", 1],
  ["blake3", 2],
] as const;

it.each(subjects)("%s, %i", { timeout: 600_000 }, (name, latency) => {
  useBackend("simd128");
  useVectorLatency(latency);
  const { large } = vectors(name);
  expect(large.length).toBeGreaterThan(2);
  const hasher = algorithms[name].create();
  for (const { input, digest } of large) {
    for (const piece of piecesFrom(Number(hasher.bytesHashed), input)) hasher.update(piece);
    expect(hasher.bytesHashed).toBe(BigInt(input));
    expect(hasher.digest("hex"), `${input} bytes`).toBe(digest);
  }
});
