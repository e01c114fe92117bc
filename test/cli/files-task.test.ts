// Files that threads share, without threads: which batch is begun, what becomes of what batches leave, lose or refuse.
import { writeFileSync } from "node:fs";
import { blake3 } from "@noble/hashes/blake3.js";
import { beforeAll, describe, expect, it } from "vitest";
import type { Outcome } from "../../js/cli/digests/computation.ts";
import { FilesTask, perform } from "../../js/cli/digests/files-task.ts";
import { OutputError } from "../../js/cli/system/errors.ts";
import { hex, path, write } from "../support/blakesum.ts";

const MIB = 2 ** 20;
const recipe = { algorithm: "blake3", options: {}, length: 32, seek: 0n };
const content = (i: number) => new Uint8Array(10 + i);
const filesOf = (count: number) => Array.from({ length: count }, (_, i) => ({ name: path(`file-${i}`), recipe }));

beforeAll(() => {
  for (let i = 0; i < 100; i++) write(`file-${i}`, content(i));
});

/** A task, and what its observer has been told. */
function taskOf(files: ConstructorParameters<typeof FilesTask>[0], threads = 1) {
  const seen = { bytes: 0 };
  const add = (count: number) => {
    seen.bytes += count;
  };
  const observer = { onLong() {}, onFile() {}, onBytes: (count: number) => add(count) };
  return { seen, task: new FilesTask(files, observer, threads) };
}

type Batch = Parameters<typeof perform>[0];

/** Does what a worker does. */
async function work(task: FilesTask, part: number) {
  const job = task.jobOf(part);
  return structuredClone(
    await perform(structuredClone((job.source as { input: unknown }).input) as Batch, (bytes) =>
      job.onProgress?.(bytes),
    ),
  );
}

const shown = (outcome: Outcome | undefined) => (outcome instanceof Uint8Array ? hex(outcome) : outcome);

async function outcomesOf(task: FilesTask) {
  const outcomes = [];
  for (let i = 0; i < task.count; i++) outcomes.push(shown(await task.outcome(i)));
  return outcomes;
}

const digestsOf = (count: number) => Array.from({ length: count }, (_, i) => hex(blake3(content(i))));
const bytesOf = (count: number) => Array.from({ length: count }, (_, i) => content(i).length).reduce((a, b) => a + b);

it("each file is in one batch, whoever hashes it, in whatever order", async () => {
  const { seen, task } = taskOf(filesOf(100), 2);
  const outcomes = outcomesOf(task);
  for (let turn = 0; task.waiting; turn++) {
    const [one, other] = [task.begin(), task.waiting ? task.begin() : undefined];
    if (other !== undefined) task.complete(other, await work(task, other));
    if (turn % 2) task.complete(one, await work(task, one));
    else await task.compute(one);
  }
  await task.result;
  expect(await outcomes).toEqual(digestsOf(100));
  expect(seen.bytes).toBe(bytesOf(100));
});

it("batches are larger while files are small, and smaller towards the end", async () => {
  const { task } = taskOf(filesOf(100), 2);
  const sizes = [];
  while (task.waiting) {
    const part = task.begin();
    const hashed = await work(task, part);
    sizes.push(hashed.states.length);
    task.complete(part, hashed);
  }
  expect(sizes.slice(0, 3)).toEqual([8, 16, 19]);
  expect(sizes.at(-1)).toBeLessThan(8);
});

it("a batch that is lost is begun again, and its bytes count once", async () => {
  const { seen, task } = taskOf(filesOf(3));
  const lost = task.begin();
  task.jobOf(lost).onProgress?.(1000);
  expect(seen.bytes).toBe(1000);
  const others = [];
  while (task.waiting) others.push(task.begin());
  task.requeue(lost);
  expect([seen.bytes, task.waiting]).toEqual([0, true]);
  for (const part of [task.begin(), ...others]) task.complete(part, await work(task, part));
  expect(await outcomesOf(task)).toEqual(digestsOf(3));
  expect(seen.bytes).toBe(bytesOf(3));
});

describe("long files", () => {
  const sizes = [1, 33 * MIB, 1, 32 * MIB, 1];
  const files = sizes.map((_, i) => ({ name: path(`long-${i}`), recipe }));

  beforeAll(() => {
    for (const [i, size] of sizes.entries()) writeFileSync(path(`long-${i}`), new Uint8Array(size));
  });

  it("end a batch, whose other files are for any thread, and are reported as they are read", async () => {
    const { seen, task } = taskOf([...files, ...files, ...files, ...files]);
    const part = task.begin();
    const hashed = await work(task, part);
    expect(hashed.states).toEqual([32, 32]);
    expect(seen.bytes).toBe(32 * MIB + 1);
    task.complete(part, hashed);
    expect(seen.bytes).toBe(1 + 33 * MIB);
    const next = task.begin();
    expect((await work(task, next)).states).toEqual([32, 32]);
  });

  it("leave the event loop its turns on the calling thread, which stops when the task is over", async () => {
    const { seen, task } = taskOf(files);
    task.begin();
    const computed = task.compute(task.begin());
    expect(seen.bytes).toBeGreaterThan(0);
    expect(seen.bytes).toBeLessThan(33 * MIB);
    task.abort();
    const before = seen.bytes;
    await computed;
    expect(seen.bytes - before).toBeLessThan(MIB);
    expect(await task.outcome(1)).toBeUndefined();
  });
});

it("the calling thread is left what only it can do: standard input, errors without a number, and what workers refuse", async () => {
  const { task } = taskOf(
    [...filesOf(1), { name: "-", recipe }, { name: "none" }, { name: path("missing"), recipe }],
    0.1,
  );
  const part = task.begin();
  task.complete(part, await work(task, part));
  const outcomes = await outcomesOf(task);
  expect(outcomes.slice(0, 3)).toEqual([digestsOf(1)[0], undefined, undefined]);
  expect(outcomes[3]).toMatchObject({ code: "ENOENT" });

  const refused = taskOf(filesOf(20)).task;
  const outcome = refused.outcome(19);
  refused.begin();
  refused.fail();
  expect(refused.waiting).toBe(false);
  expect(await outcome).toBeUndefined();
});

it("an error that ends the command does so, although it comes on the way", async () => {
  const observer = {
    onLong() {},
    onFile() {},
    onBytes() {
      throw new OutputError();
    },
  };
  const failing = new FilesTask(filesOf(1), observer, 1);
  await failing.compute(failing.begin());
  expect(() => failing.outcome(0)).toThrow(OutputError);

  const ofWorkers = new FilesTask(filesOf(1), observer, 1);
  ofWorkers.jobOf(ofWorkers.begin()).onProgress?.(1);
  expect(ofWorkers.waiting).toBe(false);
  expect(() => ofWorkers.outcome(0)).toThrow(OutputError);
});
