// What begins a pool's worker under coverage (scripts/bundle.mjs). A worker is ended without notice, so in Node.js it writes its
// coverage before its first, second, fourth ... message, and when an error ends it.
if (!("Deno" in globalThis) && globalThis.process?.env.NODE_V8_COVERAGE) {
  const { parentPort } = process.getBuiltinModule("node:worker_threads");
  const { takeCoverage } = process.getBuiltinModule("node:v8");
  process.on("uncaughtExceptionMonitor", () => takeCoverage());
  const { postMessage } = parentPort;
  let count = 0;
  parentPort.postMessage = (...message) => {
    count++;
    if (Number.isInteger(Math.log2(count))) takeCoverage();
    postMessage.apply(parentPort, message);
  };
}
