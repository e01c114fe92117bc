// How the engine uses a kernel: one instance, one kernel call for each input area, and no state in it between calls.
import { blake2s, blake3, useBackend } from "blake-simd";
import { describe, expect, it } from "vitest";
import { type Call, memoryMap, type Watched, watchInstances } from "../support/memory.ts";
import { AREA, expectBytes, pattern } from "../support/messages.ts";
import { eachSubject, expected, type Subject } from "../support/subjects.ts";

const instances = watchInstances();
const map = memoryMap();
const message = pattern(16 * AREA);

function freshInstance({ algorithm }: Subject): Watched {
  useBackend("baseline");
  useBackend("simd128");
  algorithm("");
  return instances.at(-1)!;
}

function callsOf({ calls }: Watched, act: () => void): Call[] {
  calls.length = 0;
  act();
  return calls.slice();
}

const names = (calls: readonly Call[]) => calls.map(({ name }) => name);

describe("an import", () => {
  it("compiles nothing", () => {
    expect(instances).toHaveLength(0);
  });
});

eachSubject((subject) => {
  const { algorithm } = subject;

  it("a module has one instance for each change of backend, however many hashers there are", () => {
    freshInstance(subject);
    const before = instances.length;
    const hashers = Array.from({ length: 50 }, () => algorithm.create().update("x"));
    for (const hasher of hashers) hasher.clone().digest();
    algorithm(message);
    expect(instances).toHaveLength(before);
    for (let i = 0; i < 3; i++) {
      useBackend("baseline");
      expect(instances).toHaveLength(before + 2 * i);
      algorithm("");
      expect(instances).toHaveLength(before + 2 * i + 1);
      useBackend("simd128");
      algorithm("");
    }
  });

  it("memory stays as large as it was, and attached", () => {
    const { memory, bytes } = freshInstance(subject);
    algorithm(message);
    const hashers = Array.from({ length: 1000 }, () => algorithm.create().update(message.subarray(0, 1100)));
    for (const hasher of hashers) hasher.digest();
    expect(memory.buffer).toBe(bytes.buffer);
    expect(memory.buffer.byteLength).toBe(2 * AREA);
  });

  it("a message that fits the input area is one kernel call", () => {
    const watched = freshInstance(subject);
    for (const length of [0, 1, 1000, AREA]) {
      expect(names(callsOf(watched, () => algorithm(message.subarray(0, length))))).toEqual(["hash"]);
      expect(names(callsOf(watched, () => algorithm("x".repeat(length))))).toEqual(["hash"]);
    }
  });

  it("a long message is one call for each input area, and none is longer", () => {
    const watched = freshInstance(subject);
    const hasher = algorithm.create();
    for (const act of [() => algorithm(message), () => hasher.update(message).digest()]) {
      const calls = callsOf(watched, act);
      expect(names(calls)).toEqual(["init", ...new Array(16).fill("update"), "finalize"]);
      const updates = calls.filter(({ name }) => name === "update");
      expect(updates.every(({ args }) => args[1] === map.get("INPUT") && args[2] === AREA)).toBe(true);
    }
  });

  it("small updates gather in the input area until it is full or a digest is asked for", () => {
    const watched = freshInstance(subject);
    const hasher = algorithm.create();
    const calls = callsOf(watched, () => {
      for (let at = 0; at < AREA + 100; at += 100) hasher.update(message.subarray(at, at + 100));
      hasher.digest();
    });
    expect(names(calls)).toEqual(["init", "update", "update", "finalize"]);
    expectBytes(hasher.digest(), expected(subject, message.subarray(0, Math.ceil((AREA + 100) / 100) * 100)));
  });

  it("what asks for no more bytes is no update", () => {
    const watched = freshInstance(subject);
    const hasher = algorithm.create().update("abc");
    hasher.digest();
    const other = algorithm.create();
    const calls = callsOf(watched, () => {
      hasher.digest();
      hasher.clone().digest();
      algorithm("");
      other.digest();
    });
    expect(names(calls).filter((name) => name === "update")).toEqual([]);
    expectBytes(hasher.digest(), expected(subject, new TextEncoder().encode("abc")));
  });

  it("a digest of up to 512 bytes that wait is one kernel call, that of a one-shot", () => {
    const watched = freshInstance(subject);
    const hasher = algorithm.create();
    const calls = callsOf(watched, () => {
      for (let i = 0; i < 16; i++) hasher.update(message.subarray(0, 32)).digest();
    });
    expect(names(calls)).toEqual(new Array(16).fill("hash"));
    expectBytes(hasher.digest(), expected(subject, Buffer.concat(Array(16).fill(message.subarray(0, 32)))));
  });

  it("a digest of more is hashed into the hasher's state, once", () => {
    const watched = freshInstance(subject);
    const hasher = algorithm.create().update(message.subarray(0, 5000));
    const calls = callsOf(watched, () => {
      for (let i = 0; i < 3; i++) expectBytes(hasher.digest(), expected(subject, message.subarray(0, 5000)));
    });
    expect(names(calls)).toEqual(["init", "update", "finalize", "finalize", "finalize"]);
  });

  it("hashers in turn gather their pieces: not each is a kernel call", () => {
    const watched = freshInstance(subject);
    const hashers = [1, 2].map(() => algorithm.create());
    const calls = callsOf(watched, () => {
      for (let i = 0; i < 100; i++) for (const hasher of hashers) hasher.update(message.subarray(64 * i, 64 * i + 64));
    });
    expect(names(calls).filter((name) => name === "update").length).toBeLessThanOrEqual(12);
    for (const hasher of hashers) expectBytes(hasher.digest(), expected(subject, message.subarray(0, 6400)));
  });
});

describe("many messages that suit the lanes are hashed there alone,", () => {
  const times = (count: number, input: Uint8Array | string) => Array(count).fill(input);
  const bytes = message.subarray(0, 1000);
  const chunk = message.subarray(0, 1024);

  // As many calls as the input area is full.
  it.each([
    ["blake2s", blake2s, times(40, bytes), 1],
    ["blake2s, of text", blake2s, times(40, "x".repeat(1000)), 1],
    ["blake2s, of a quarter of the area", blake2s, times(9, message.subarray(0, AREA / 4)), 3],
    ["blake2s, of a third of it in text", blake2s, times(5, "€".repeat(AREA / 12)), 2],
    ["blake3", blake3, times(40, bytes), 1],
    ["blake3, of text", blake3, times(40, "x".repeat(1000)), 1],
    ["blake3, of whole chunks", blake3, times(64, chunk), 1],
    ["blake3, one more than the area takes", blake3, times(65, chunk), 2],
  ] as const)("with %s", (_name, algorithm, inputs, count) => {
    useBackend("baseline");
    useBackend("simd128");
    algorithm("");
    algorithm.many(inputs);
    for (const { calls } of instances) calls.length = 0;
    const digests = algorithm.many(inputs);
    const called = instances.flatMap(({ calls }) => names(calls));
    expect(called.filter((name) => name === "many")).toHaveLength(count);
    expect(called.filter((name) => name === "hash" || name === "update")).toEqual([]);
    expect(Object.keys(digests)).toHaveLength(inputs.length);
    for (const [i, digest] of digests.entries()) expectBytes(digest, algorithm(inputs[i]!));
  });
});
