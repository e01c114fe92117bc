// Which lines and branches of js/ the suite and the comparison with the command's peers run, over all processes and threads
// that they start. It takes a quarter of an hour, and builds dist/ with source maps first and without them afterwards.
//
//   npm run coverage -- [FILTER...]
//
// FILTERs are those of vitest, for a part of the suite, without the peers: otherwise b3sum and blake2 must be in
// build/ci/tools/bin (.ci/checks/30-interop.sh). What is in other builds is left out: the code of the pool's workers, which is
// text, and dist/conditional and dist/javascript. What only another runtime can reach counts as not covered: web workers in
// js/parallel/worker-handle.ts, which test/runtimes runs in the browsers, and Deno's permissions in js/engine/backend.ts.
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { CoverageReport } from "monocart-coverage-reports";

// Absolute, for processes that run in other folders.
const RAW = resolve("build/coverage/raw");

function run(command, args, env = {}) {
  const { status } = spawnSync(command, args, { stdio: "inherit", env: { ...process.env, ...env } });
  return status === 0;
}

async function report() {
  const coverage = new CoverageReport({
    outputDir: "build/coverage/report",
    entryFilter: (entry) =>
      /\/dist\/(?!conditional|javascript)/.test(entry.url) && !entry.url.includes("/node_modules/"),
    sourceFilter: (path) => path.startsWith("js/"),
    reports: ["console-details", "json-summary"],
    logging: "error",
  });
  await coverage.addFromDir(RAW);
  await coverage.generate();
}

rmSync("build/coverage", { recursive: true, force: true });
if (!run("npm", ["run", "build"], { SOURCE_MAPS: "1" })) process.exit(1);
const environment = { NODE_V8_COVERAGE: RAW };
const filters = process.argv.slice(2);
const suite = ["vitest", "run", "--config", "test/coverage.config.ts", ...filters];
const passed =
  run("npx", suite, environment) &&
  (filters.length > 0 || run("node", ["test/interop/peers.mjs", resolve("build/ci/tools/bin")], environment));
await report();
process.exitCode = passed && run("npm", ["run", "build"]) ? 0 : 1;
