// How the engine uses a kernel: one instance, one state with its owner, one kernel call for each input area.
import { blake2s, blake3, type Hasher, useBackend } from "blake-simd";
import { describe, expect, it } from "vitest";
import { eachBackend } from "../support/backends.ts";
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

/** The bytes at STATE, as many as the head says are in use. */
function stateInKernel({ bytes, memory }: Watched): Uint8Array {
  const start = map.get("STATE")!;
  return bytes.slice(start, start + new DataView(memory.buffer).getUint32(start, true));
}

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
    const hasher = algorithm.create().update("");
    const calls = callsOf(watched, () => {
      for (let at = 0; at < AREA + 100; at += 100) hasher.update(message.subarray(at, at + 100));
      hasher.digest();
    });
    expect(names(calls)).toEqual(["update", "update", "finalize"]);
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

  it("a lone hasher is started once and never moves", () => {
    const watched = freshInstance(subject);
    const hasher = algorithm.create();
    const calls = callsOf(watched, () => {
      for (let i = 0; i < 20; i++) hasher.update(message.subarray(0, 100)).digest();
    });
    expect(names(calls)).toEqual(["init", ...new Array(20).fill(["update", "finalize"]).flat()]);
  });

  eachBackend((backend) => {
    it("one-shots leave the owner's state as it lies", () => {
      useBackend(backend === "baseline" ? "simd128" : "baseline");
      useBackend(backend);
      const own = subject.secretFrom(message.subarray(1, 33));
      const hasher = algorithm.create(own).update(message.subarray(0, 5000));
      hasher.digest();
      const watched = instances.at(-1)!;
      const before = stateInKernel(watched);
      expect(before.length).toBeGreaterThan(64);
      for (const options of subject.modes) {
        algorithm(message.subarray(0, 1000), options);
        algorithm(message, options);
        algorithm("text".repeat(AREA), options);
        algorithm.into(message.subarray(0, 5000), new Uint8Array(200), options);
        expect(() => algorithm("", { ...options, length: -1 })).toThrow();
        expectBytes(stateInKernel(watched), before);
      }
      expectBytes(hasher.digest(), expected(subject, message.subarray(0, 5000), own));
    });

    it("one hasher owns the state at a time: each comes back as it left", () => {
      const hashers: Hasher[] = [3, 70, 1500, 5000].map((length) =>
        algorithm.create().update(message.subarray(0, length)),
      );
      const watched = instances.at(-1)!;
      const states = hashers.map((hasher) => {
        hasher.digest();
        return stateInKernel(watched);
      });
      for (const i of [2, 0, 3, 1, 1, 0]) {
        hashers[i]!.digest();
        expectBytes(stateInKernel(watched), states[i]);
      }
    });
  });
});

describe("many messages that suit the lanes are hashed there alone,", () => {
  const times = (count: number, input: Uint8Array | string) => Array(count).fill(input);
  const bytes = message.subarray(0, 1000);
  const chunk = message.subarray(0, 1024);

  // As many calls as the input area is full: it has four slices, and a place for each of 60 chunks.
  it.each([
    ["blake2s", blake2s, times(40, bytes), 1],
    ["blake2s, of text", blake2s, times(40, "x".repeat(1000)), 1],
    ["blake2s, of nearly two slices", blake2s, times(9, message.subarray(0, AREA / 2)), 6],
    ["blake2s, of slices and one byte", blake2s, times(4, message.subarray(0, AREA / 2 + 1)), 3],
    ["blake2s, one longer than others", blake2s, [message.subarray(0, AREA), ...times(12, bytes)], 4],
    ["blake3", blake3, times(40, bytes), 1],
    ["blake3, of text", blake3, times(40, "x".repeat(1000)), 1],
    ["blake3, of whole chunks", blake3, times(60, chunk), 1],
    ["blake3, one more than the area takes", blake3, times(61, chunk), 2],
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
