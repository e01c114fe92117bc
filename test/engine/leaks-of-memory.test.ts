// Hashers that are never finished or disposed of leak no memory.
import { expect, it } from "vitest";
import { runNode } from "../support/child.ts";
import { keyOf, subjects } from "../support/subjects.ts";

const HASHERS = 100_000;
// One that stayed would keep a hundred bytes and more; the engine's own tables and code move by less than ten for each.
const LIMIT = 10 * HASHERS;

// By itself, V8 frees the bytes of collected arrays on a thread of its own, which takes a while on a busy machine.
const FLAGS = ["--expose-gc", "--single-threaded-gc"];

const code = `
  import { algorithms } from "blake-simd";
  const message = new Uint8Array(300);
  function abandon([name, secret, length], count) {
    const options = { [secret]: message.subarray(0, length) };
    for (let i = 0; i < count; i++) algorithms[name].create(i % 2 ? options : undefined).update(message);
  }
  function used() {
    for (let i = 0; i < 8; i++) globalThis.gc();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  }
  const growth = {};
  for (const subject of JSON.parse(process.env.SUBJECTS)) {
    abandon(subject, 2000);
    const before = used();
    abandon(subject, ${HASHERS});
    growth[subject[0]] = used() - before;
  }
  console.log(JSON.stringify(growth));
`;

it(`${HASHERS} abandoned hashers of each algorithm leave memory flat`, () => {
  const SUBJECTS = JSON.stringify(
    subjects.map(({ name, secretFrom }) => {
      const [[option, secret]] = Object.entries(secretFrom(keyOf(64))) as [[string, Uint8Array]];
      return [name, option, secret.length];
    }),
  );
  const growth = runNode(code, { flags: FLAGS, env: { SUBJECTS } }) as Record<string, number>;
  expect(Object.keys(growth)).toHaveLength(subjects.length);
  for (const [name, bytes] of Object.entries(growth)) expect(bytes, name).toBeLessThan(LIMIT);
});
