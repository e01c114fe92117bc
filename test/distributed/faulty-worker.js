// The worker of examples/distributed with the fault that FAULT names, DELAY milliseconds slower for each part. It runs
// in a copy of the example's folder.
import { existsSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { hashPart, merge, startWorker } from "./worker.js";

let parts = 0;
const faults = {
  /** Takes longer, so that there is time for accidents. */
  async slow(data) {
    await setTimeout(Number(process.env.DELAY));
    const part = await hashPart(data);
    console.error("hashed");
    return part;
  },
  /** Blocks the event loop once, until there is a file called unblocked. */
  async block(data) {
    if (parts++ === 0) {
      console.error("blocked");
      while (!existsSync("unblocked")) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    }
    return faults.slow(data);
  },
  /** Returns values in which some bits are wrong. */
  async lie(data) {
    const part = await faults.slow(data);
    const wrong = Math.floor(Math.random() * 2 ** 32)
      .toString(16)
      .padStart(8, "0");
    return { ...part, value: wrong + part.value.slice(8) };
  },
};

const worker = startWorker({ part: faults[process.env.FAULT], merge });
worker.on("error", ({ message }) => console.error(message));
worker.on("stalled", (id) => console.error(`stalled ${id}`));
process.once("SIGTERM", () => worker.close().then(() => process.exit()));
