// Time limits of node:vm that strike inside long hashes: no `finally` runs then. Everything is right afterwards.
import { createHash } from "node:crypto";
import { createContext, runInContext } from "node:vm";
import * as main from "blake-simd";
import { blake2s, type Hasher, useBackend } from "blake-simd";
import { nobleHash } from "blake-simd/hmac";
import { expect, it } from "vitest";
import { watchInstances } from "../support/memory.ts";
import { expectBytes, pattern } from "../support/messages.ts";
import { Neighbours } from "../support/overflow.mjs";
import { oracle } from "../support/overflow-inspection.ts";
import { type CommonOptions, expected, expectedPrefixes, type Subject, subjects } from "../support/subjects.ts";

const isZero = (memory: Uint8Array): boolean => memory.every((byte) => byte === 0);

const ALGORITHMS = ["blake256", "blake512", "blake2b", "blake2sp", "blake2xs", "blake3"];
const ROUNDS = 8;
const UPDATES = 3;
const MIB = 2 ** 20;
const message = pattern(UPDATES * MIB);
const short = pattern(100);
const instances = watchInstances();

/** Starts hashes without end, which the time limit ends. */
function strike(milliseconds: number, hash: () => void): void {
  const act = () => {
    for (;;) hash();
  };
  const run = () => runInContext("act()", createContext({ act }), { timeout: milliseconds });
  expect(run).toThrow(/timed out/);
}

it("a nobleHash hashes nothing of the message whose hash a time limit has ended", () => {
  for (let round = 0; round < 10; round++) {
    const hash = nobleHash(blake2s);
    strike(1 + (round % 4), () => hash(message.subarray(0, 300_000)));
    const wanted = createHash("blake2s256").update(short).digest();
    expectBytes(hash.create().update(short).digest(), wanted, "an incremental hash");
    expectBytes(hash(short), wanted, "a one-shot");
  }
});

/** Makes the updates, then one-shots; the number of updates that were complete is kept. */
function hashing({ algorithm }: Subject, hasher: Hasher, options: CommonOptions, done: { updates: number }) {
  const output = new Uint8Array(64);
  return () => {
    if (done.updates < UPDATES) {
      hasher.update(message.subarray(done.updates * MIB, (done.updates + 1) * MIB));
      done.updates++;
    } else {
      algorithm(message, options);
      algorithm.into(message, output);
    }
  };
}

/** How many instances hold something: one that has been replaced has to be wiped. */
const inUse = (): number => instances.filter(({ bytes }) => !isZero(bytes)).length;

it.each(subjects.filter(({ name }) => ALGORITHMS.includes(name)))(
  "$name is right after time limits have ended its hashes",
  (subject) => {
    const { algorithm, modes } = subject;
    const options = modes[1]!;
    const lengths = Array.from({ length: UPDATES + 1 }, (_, i) => i * MIB);
    const prefixes = expectedPrefixes(subject, message, lengths, options);
    useBackend("baseline");
    useBackend("simd128");
    instances.length = 0;
    const neighbours = new Neighbours(main, subject.name, oracle);
    neighbours.prepare(0);
    for (const input of [short, message]) algorithm(input, options);
    neighbours.check();
    const kernels = inUse();
    for (let round = 0; round < ROUNDS; round++) {
      const hasher = algorithm.create(options);
      const done = { updates: round < ROUNDS / 2 ? 0 : UPDATES };
      if (done.updates) hasher.update(message);
      neighbours.prepare(round);
      strike(1 + 3 * (round % 4), hashing(subject, hasher, options, done));
      expectBytes(algorithm(short, options), expected(subject, short, options), "a one-shot");
      neighbours.check(`round ${round}`);
      expectBytes(hasher.digest(), prefixes.get(done.updates * MIB)!, "the hasher inside");
      expectBytes(hasher.reset().update(short).digest(), expected(subject, short, options), "reset");
      expect(inUse(), "a replaced instance holds nothing").toBe(kernels);
    }
    expect(instances.length).toBeGreaterThan(kernels);
  },
);
