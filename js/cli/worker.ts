// A worker of the pool.
import { type Algorithm, algorithmNamed } from "./algorithms.js";
import { fileErrorOf } from "./file-error.js";
import type { Observer } from "./files.js";
import { JobTable } from "./job-table.js";
import { isForPool, stoppingAtLarge } from "./large.js";
import { Calculator } from "./recipes.js";
import { workerThreads } from "./system.js";
import type { JobWindow, WorkerData } from "./worker-pool.js";

/** Runs jobs for the main thread. */
export function serve(): void {
  const { parentPort, workerData } = workerThreads();
  const read = new BigInt64Array((workerData as WorkerData).read);
  const observer: Observer = {
    onLong() {},
    onBytes(count) {
      Atomics.add(read, 0, BigInt(count));
    },
  };
  parentPort?.on("message", (jobs: JobWindow) => {
    runJobs(jobs, observer);
    parentPort?.postMessage("done");
  });
}

function runJobs({ memory, count, slot, names, recipes, kinds }: JobWindow, observer: Observer): void {
  const table = new JobTable(count, slot, memory);
  const stopping = stoppingAtLarge(observer);
  const calculators = recipes.map(
    ({ algorithm, ...rest }) => new Calculator({ ...rest, algorithm: algorithmNamed(algorithm) as Algorithm }),
  );
  for (let i = table.take(); i !== undefined; i = table.take()) {
    const calculator = calculators[kinds[i] as number] as Calculator;
    const name = names[i] as string;
    try {
      const follow = isForPool(calculator.recipe) ? stopping : observer;
      table.put(i, calculator.digest(name, follow));
    } catch (error) {
      passOn(table, i, error);
    }
  }
  for (const calculator of calculators) calculator.dispose();
}

/** Records a file error; leaves large files, and any other error, to the main thread. */
function passOn(table: JobTable, i: number, error: unknown): void {
  try {
    table.put(i, fileErrorOf(error));
  } catch {
    table.pass(i);
  }
}
