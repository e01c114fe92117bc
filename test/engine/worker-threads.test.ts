// Worker threads of Node, each with its own kernels.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { type Algorithm, algorithms, type Backend, backend, toHex, useBackend } from "blake-simd";
import { save } from "blake-simd/states";
import { expect, it } from "vitest";
import { BACKENDS } from "../support/backends.ts";
import { ROOT } from "../support/child.ts";
import { pattern } from "../support/messages.ts";
import { subjects } from "../support/subjects.ts";

const message = pattern(100_000);

/** Hashes each message, and continues a hasher whose state it is sent. */
const SOURCE = `
  const { parentPort, workerData } = require("node:worker_threads");
  const { entry, build, message, states } = workerData;
  Promise.all([import(entry), import(entry.replace("index.js", "states.js"))]).then(([main, { restore }]) => {
    const { algorithms, backend, toHex, useBackend } = main;
    useBackend(build);
    const hashed = Object.values(algorithms).map((algorithm) => [
      toHex(algorithm(message)),
      restore(algorithm, states[algorithm.algorithm]).update(message).digest("hex"),
    ]);
    parentPort.postMessage({ hashed, backend: backend() });
  });
`;
const entry = pathToFileURL(join(ROOT, "dist/index.js")).href;

interface Answer {
  readonly hashed: [string, string][];
  readonly backend: Backend;
}

function answerOf(workerData: object): Promise<Answer> {
  const worker = new Worker(SOURCE, { eval: true, workerData });
  return new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
}

it("gives the same digests in several at once, on the build that each has chosen", async () => {
  useBackend("simd128");
  const known = Object.values(algorithms) as Algorithm[];
  const started = known.map((algorithm) => [algorithm.algorithm, save(algorithm.create().update("first, "))] as const);
  const shared = new Uint8Array(new SharedArrayBuffer(message.length));
  shared.set(message);
  const states = Object.fromEntries(started);
  const wanted = known.map((algorithm) => [
    toHex(algorithm(message)),
    algorithm.create().update("first, ").update(message).digest("hex"),
  ]);
  expect(wanted.length).toBe(subjects.length);
  const answers = await Promise.all(BACKENDS.map((each) => answerOf({ entry, build: each, message: shared, states })));
  for (const [i, { hashed, backend }] of answers.entries()) {
    expect(hashed).toEqual(wanted);
    expect(backend).toBe(BACKENDS[i]);
  }
  expect(backend()).toBe("simd128");
});
