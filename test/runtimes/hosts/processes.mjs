// Hosts that run a module file and print the report: Node, Deno, Bun.
import { execFileSync, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { grownBy } from "./memory.mjs";

const installed = (path) => join(import.meta.dirname, "../node_modules", path);

/** The programs that test/runtimes/package.json installs. */
export const binaries = {
  node22: installed("node22/bin/node"),
  node24: installed("node24/bin/node"),
  node26: installed("node26/bin/node"),
  deno: installed("@deno/linux-x64-glibc/deno"),
  bun: installed("@oven/bun-linux-x64/bin/bun"),
};

const IMPORTS = `
import * as main from "blake-simd";
import * as bao from "blake-simd/bao";
import * as hazmat from "blake-simd/hazmat";
import * as parallel from "blake-simd/parallel";
import * as states from "blake-simd/states";
import * as streams from "blake-simd/streams";
`;

const ENTRY = `${IMPORTS}
import { runBody } from "./body.mjs";
import * as overflow from "./overflow.mjs";
import suite from "./suite.json.mjs";
console.log(JSON.stringify(await runBody({ main, hazmat, overflow, streams, parallel, states, bao }, suite)));
`;

// Waits before and after, so that its memory can be looked at.
const GIBIBYTE = `${IMPORTS}
import { hashGibibyte, warmUp } from "./gibibyte.mjs";
const pause = () => new Promise((resolve) => setTimeout(resolve, 500));
await warmUp();
console.log("ready");
await pause();
console.log(await hashGibibyte({ main, streams }));
await pause();
`;

async function lineOf(lines) {
  const { value, done } = await lines.next();
  if (done) throw new Error("the process ended without its line");
  return value;
}

async function hashGibibyte(command, args, cwd) {
  const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "inherit"], timeout: 120_000 });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  try {
    await lineOf(lines);
    return await grownBy(child.pid, () => lineOf(lines));
  } finally {
    child.kill("SIGKILL");
  }
}

function processHost(name, binary, args, pinned = true) {
  return {
    name,
    pinned,
    version: () => execFileSync(binary, ["--version"], { encoding: "utf8" }).match(/\d+\.\d+\.\d+/)[0],
    run({ project }) {
      const entry = join(project, "entry.mjs");
      writeFileSync(entry, ENTRY);
      const options = { cwd: project, encoding: "utf8", timeout: 120_000, stdio: ["ignore", "pipe", "inherit"] };
      return JSON.parse(execFileSync(binary, [...args, entry], options));
    },
    gibibyte({ project }) {
      const entry = join(project, "gibibyte-entry.mjs");
      writeFileSync(entry, GIBIBYTE);
      return hashGibibyte(binary, [...args, entry], project);
    },
  };
}

export const processes = [
  processHost(`Node ${process.versions.node.split(".")[0]}`, process.execPath, [], false),
  ...[22, 24, 26].map((major) => processHost(`Node ${major}`, binaries[`node${major}`], [])),
  // No permission flag, and no prompt for one.
  processHost("Deno", binaries.deno, ["run", "--no-prompt"]),
  processHost("Bun", binaries.bun, []),
];
