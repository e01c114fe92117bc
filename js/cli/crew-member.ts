// One thread of a crew.
import { parentPort, workerData } from "node:worker_threads";
import { type Algorithm, algorithmNamed } from "./algorithms.js";
import { Board } from "./board.js";
import type { Membership, Orders } from "./crew.js";
import type { Observer } from "./files.js";
import { isForPool, stoppingAtLarge } from "./large.js";
import { Calculator } from "./recipes.js";
import { troubleOf } from "./trouble.js";

/** Does jobs for the thread that has started this one. */
export function serve(): void {
  const read = new BigInt64Array((workerData as Membership).read);
  const observer: Observer = {
    onLong() {},
    onBytes(count) {
      Atomics.add(read, 0, BigInt(count));
    },
  };
  parentPort?.on("message", (orders: Orders) => {
    obey(orders, observer);
    parentPort?.postMessage("done");
  });
}

function obey({ memory, count, slot, names, recipes, kinds }: Orders, observer: Observer): void {
  const board = new Board(count, slot, memory);
  const stopping = stoppingAtLarge(observer);
  const calculators = recipes.map(
    ({ algorithm, ...rest }) => new Calculator({ ...rest, algorithm: algorithmNamed(algorithm) as Algorithm }),
  );
  for (let i = board.take(); i !== undefined; i = board.take()) {
    const calculator = calculators[kinds[i] as number] as Calculator;
    const name = names[i] as string;
    try {
      const follow = isForPool(calculator.recipe) ? stopping : observer;
      board.put(i, calculator.digest(name, follow));
    } catch (error) {
      passOn(board, i, error);
    }
  }
  for (const calculator of calculators) calculator.dispose();
}

/** A large file, and what is no error of the file system, come up again on the main thread. */
function passOn(board: Board, i: number, error: unknown): void {
  try {
    board.put(i, troubleOf(error));
  } catch {
    board.pass(i);
  }
}
