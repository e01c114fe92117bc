// Loaded first by each process and thread. The command ends its worker threads, which then report no coverage: they do so
// after each message instead.
const { realpathSync } = require("node:fs");
const { takeCoverage } = require("node:v8");
const { isMainThread, parentPort } = require("node:worker_threads");

const [, program] = process.argv;
if (!isMainThread && program && realpathSync(program).endsWith("dist/cli/blakesum.cjs")) {
  // After the thread's own listener.
  parentPort.on("message", () => queueMicrotask(takeCoverage));
}
