// One instance of each kernel, however many hashers there are: others have run out of memory by one for each
// (https://github.com/Daninet/hash-wasm/issues/7).
import { useBackend } from "blake-simd";
import { expect, it } from "vitest";
import { type Watched, watchInstances } from "../support/memory.ts";
import { AREA, pattern } from "../support/messages.ts";
import { eachSubject, type Subject } from "../support/subjects.ts";

const instances = watchInstances();
const message = pattern(16 * AREA);

function freshInstance({ algorithm }: Subject): Watched {
  useBackend("baseline");
  useBackend("simd128");
  algorithm("");
  return instances.at(-1)!;
}

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
});
