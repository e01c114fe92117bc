// Which lines and branches of js/ the suite runs, over all processes and threads that it starts. It takes a quarter of an
// hour, and builds dist/ with source maps first and without them afterwards.
//
//   npm run coverage -- [FILTER...]
//
// FILTERs are those of vitest, for a part of the suite. What runs elsewhere is left out: the code of the pool's workers,
// which is text in the build; dist/bun, dist/edge, dist/javascript and the browsers' branches, which test/runtimes runs.
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
    entryFilter: (entry) => /\/dist\/(?!bun|edge|javascript)/.test(entry.url) && !entry.url.includes("/node_modules/"),
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
const passed = run(
  "npx",
  ["vitest", "run", "--config", "test/coverage.config.ts", ...process.argv.slice(2)],
  environment,
);
await report();
process.exitCode = passed && run("npm", ["run", "build"]) ? 0 : 1;
