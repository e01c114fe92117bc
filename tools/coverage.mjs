// Which lines and branches of js/ run in the suite, in the comparison with the command's peers, in Deno and in Chromium, over
// all processes, threads and workers that they start. It takes twenty minutes, and builds dist/ with source maps first and
// without them afterwards.
//
//   npm run coverage -- [FILTER...]
//
// FILTERs are those of vitest, for a part of the suite alone. Otherwise b3sum and blake2 must be in build/ci/tools/bin
// (.ci/checks/30-interop.sh), test/runtimes installed, and Chromium on the path. What is in other builds is left out:
// dist/conditional and dist/javascript. Firefox, WebKitGTK and Bun report no coverage in V8's form.
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { RAW } from "./coverage/raw.mjs";
import { report } from "./coverage/report.mjs";

function run(command, args, env = {}) {
  const { status } = spawnSync(command, args, { stdio: "inherit", env: { ...process.env, ...env } });
  if (status !== 0) throw new Error(`${[command, ...args].join(" ")} ended with ${status}`);
}

async function runOthers(environment) {
  run("node", ["test/interop/peers.mjs", resolve("build/ci/tools/bin")], environment);
  // They load dist/, which has only just been built.
  const { coverDeno } = await import("./coverage/deno.mjs");
  const { coverChromium } = await import("./coverage/chromium.mjs");
  coverDeno();
  await coverChromium();
}

rmSync("build/coverage", { recursive: true, force: true });
run("npm", ["run", "build"], { SOURCE_MAPS: "1" });
const preload = resolve("tools/coverage/command-threads.cjs");
const environment = { NODE_V8_COVERAGE: RAW, NODE_OPTIONS: `--require=${JSON.stringify(preload)}` };
const filters = process.argv.slice(2);
try {
  run("npx", ["vitest", "run", "--config", "test/coverage.config.ts", ...filters], environment);
  if (filters.length === 0) await runOthers(environment);
} finally {
  try {
    await report();
  } finally {
    run("npm", ["run", "build"]);
  }
}
