// Checks kernels as they come, in a thread that can be ended: a mutant may loop for ever. Each call of a kernel counts.
import { parentPort, workerData } from "node:worker_threads";

const { checkModule, known, onEachCall } = await import(workerData.checks);
const calls = new Int32Array(workerData.calls);
let kept = workerData.known.length;
for (const [name, bytes] of workerData.known) known.set(name, bytes);
onEachCall(() => Atomics.add(calls, 0, 1));

parentPort.on("message", ({ module, bytes }) => {
  try {
    checkModule(module, bytes);
    parentPort.postMessage({ known: known.size > kept ? [...known] : undefined });
    kept = known.size;
  } catch (error) {
    parentPort.postMessage({ wrong: String(error?.message ?? error) });
  }
});
