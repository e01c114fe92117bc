// The official vector sets, each by the SHA-256 of its outputs (test/vectors/official.json).
import { type Algorithm, algorithms } from "blake-simd";
import { describe, expect, it } from "vitest";
import { eachBackend } from "../support/backends.ts";
import { hashOfHex, type Options, officialSets } from "../vectors/index.ts";

const sets = officialSets();

it("every algorithm has an official set", () => {
  expect(new Set(sets.map((set) => set.algorithm))).toEqual(new Set(Object.keys(algorithms)));
});

describe.each(sets)("$name", ({ algorithm: name, requests, sha256 }) => {
  const algorithm = algorithms[name] as Algorithm<Options>;

  eachBackend(() => {
    it("one-shot", () => {
      expect(hashOfHex(requests.map(({ input, options }) => algorithm(input, options)))).toBe(sha256);
    });

    it("incremental", () => {
      const digests = requests.map(({ input, options }) => algorithm.create(options).update(input).digest());
      expect(hashOfHex(digests)).toBe(sha256);
    });
  });
});
