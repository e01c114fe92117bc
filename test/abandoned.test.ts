// Hashers that nobody finishes or disposes of leave no memory behind.
import { expect, it } from "vitest";
import { runNode } from "./support/child.ts";
import { subjects } from "./support/subjects.ts";

const HASHERS = 100_000;

const code = `
  import { algorithms } from "blake-simd";
  const message = new Uint8Array(300);
  function abandon(algorithm, count) {
    for (let i = 0; i < count; i++) algorithm.create(i % 2 ? { key: message.subarray(0, 32) } : undefined).update(message);
  }
  function used() {
    globalThis.gc();
    const { heapUsed, external, arrayBuffers } = process.memoryUsage();
    return heapUsed + external + arrayBuffers;
  }
  const growth = {};
  for (const name of process.env.NAMES.split(",")) {
    abandon(algorithms[name], 2000);
    const before = used();
    abandon(algorithms[name], ${HASHERS});
    growth[name] = used() - before;
  }
  console.log(JSON.stringify(growth));
`;

it(`${HASHERS} abandoned hashers of each algorithm leave memory flat`, () => {
  const NAMES = subjects.map(({ name }) => name).join();
  const growth = runNode(code, { flags: ["--expose-gc"], env: { NAMES } }) as Record<string, number>;
  expect(Object.keys(growth)).toHaveLength(subjects.length);
  // One that stayed would keep a hundred bytes and more; the engine's own tables and code move by less than ten for each.
  for (const [name, bytes] of Object.entries(growth)) expect(bytes, name).toBeLessThan(10 * HASHERS);
});
