// Time limits of node:vm that strike inside long hashes: no `finally` runs then. Everything is right afterwards.
import { createContext, runInContext } from "node:vm";
import { type Hasher, useBackend } from "blake-simd";
import { expect, it } from "vitest";
import { type Watched, watchInstances } from "../support/memory.ts";
import { expectBytes, pattern } from "../support/messages.ts";
import { Neighbours } from "../support/neighbours.ts";
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

/** Whether another instance has taken the place of this one, which then has to be wiped. */
function isReplaced(used: Watched): boolean {
  if (instances.at(-1) === used) return false;
  expect(isZero(used.bytes), "the replaced instance holds nothing").toBe(true);
  return true;
}

it.each(subjects.filter(({ name }) => ALGORITHMS.includes(name)))(
  "$name is right after time limits have ended its hashes",
  (subject) => {
    const { algorithm, modes } = subject;
    const options = modes[1]!;
    const lengths = Array.from({ length: UPDATES + 1 }, (_, i) => i * MIB);
    const prefixes = expectedPrefixes(subject, message, lengths, options);
    // The instance that this algorithm uses is the last one that was made.
    useBackend("baseline");
    useBackend("simd128");
    const neighbours = new Neighbours(subject);
    let replaced = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const hasher = algorithm.create(options);
      const done = { updates: round < ROUNDS / 2 ? 0 : UPDATES };
      if (done.updates) hasher.update(message);
      neighbours.prepare(round);
      const used = instances.at(-1)!;
      strike(1 + 3 * (round % 4), hashing(subject, hasher, options, done));
      expectBytes(algorithm(short, options), expected(subject, short, options), "a one-shot");
      neighbours.check(`round ${round}`);
      expectBytes(hasher.digest(), prefixes.get(done.updates * MIB)!, "the hasher inside");
      expectBytes(hasher.reset().update(short).digest(), expected(subject, short, options), "reset");
      if (isReplaced(used)) replaced++;
    }
    expect(replaced).toBeGreaterThan(0);
  },
);
