// Two hundred hashers of all algorithms and modes take turns; each has the digest of its own message.
import { type Hasher, useBackend } from "blake-simd";
import { expect, it } from "vitest";
import { eachBackend } from "../support/backends.ts";
import { AREA, expectBytes, pattern } from "../support/messages.ts";
import { type CommonOptions, expected, type Subject, subjects } from "../support/subjects.ts";

const HASHERS = 200;
const ROUNDS = 12;
const message = pattern(2 * AREA);

interface Entry {
  readonly subject: Subject;
  readonly options: CommonOptions;
  readonly hasher: Hasher;
  readonly pieces: Uint8Array[];
}

function start(index: number): Entry {
  const subject = subjects[index % subjects.length]!;
  const options = subject.modes[Math.floor(index / subjects.length) % subject.modes.length]!;
  return { subject, options, hasher: subject.algorithm.create(options), pieces: [] };
}

/** Lengths that differ by hasher and round, now and then longer than an input area. */
function append({ hasher, pieces }: Entry, index: number, round: number): void {
  const step = index * ROUNDS + round;
  const length = step % 101 === 0 ? AREA + index : (step * 37) % 1500;
  const piece = message.subarray(index, index + length);
  hasher.update(piece);
  pieces.push(piece);
}

function check({ subject, options, hasher, pieces }: Entry): void {
  expectBytes(hasher.digest(), expected(subject, Buffer.concat(pieces), options), subject.name);
}

eachBackend((backend) => {
  it("two hundred hashers in turn, with the other backend for half of the rounds", () => {
    const entries = Array.from({ length: HASHERS }, (_, index) => start(index));
    for (let round = 0; round < ROUNDS; round++) {
      if (round === ROUNDS / 2) useBackend(backend === "baseline" ? "simd128" : "baseline");
      for (const [index, entry] of entries.entries()) append(entry, index, round);
    }
    for (const entry of entries) check(entry);
    for (const entry of entries.reverse()) check(entry);
    expect(entries).toHaveLength(HASHERS);
  });
});
