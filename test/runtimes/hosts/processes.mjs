// Hosts that run a module file and print the report: Node, Deno, Bun.
import { execFileSync, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
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

const entryOf = (brief) => `${IMPORTS}
import { runBody } from "./body.mjs";
import { checkNodeStreams } from "./node-streams.mjs";
import * as overflow from "./overflow.mjs";
import suite from "./suite.json.mjs";
console.log(JSON.stringify(await runBody({ main, hazmat, overflow, streams, parallel, states, bao, checkNodeStreams }, suite, ${brief})));
`;

// Waits before and after for a byte of its input, so that its memory can be looked at.
const GIBIBYTE = `${IMPORTS}
import { hashGibibyte, warmUp } from "./gibibyte.mjs";
import process from "node:process";
await warmUp();
const wait = () => new Promise((resolve) => process.stdin.once("data", resolve));
const print = (text) => {
  const told = wait();
  console.log(text);
  return told;
};
await print("ready");
await print(await hashGibibyte({ main, streams }));
`;

async function lineOf(lines) {
  const { value, done } = await lines.next();
  if (done) throw new Error("the process ended without its line");
  return value;
}

async function hashGibibyte(command, args, cwd) {
  const child = spawn(command, args, { cwd, stdio: ["pipe", "pipe", "inherit"], timeout: 600_000 });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  try {
    await lineOf(lines);
    return await grownBy(child.pid, () => {
      child.stdin.write("\n");
      return lineOf(lines);
    });
  } finally {
    child.kill("SIGKILL");
  }
}

/** What a process prints, through a file: under Wine, Node cannot write to pipes. */
function outputOf(program, args, options) {
  const file = join(options.cwd, "output.txt");
  const output = openSync(file, "w");
  try {
    execFileSync(program, args, { ...options, stdio: ["ignore", output, output] });
  } catch (error) {
    throw new Error(`${error.message}\n${readFileSync(file, "utf8")}`);
  } finally {
    closeSync(output);
  }
  return readFileSync(file, "utf8");
}

/** Runs the body, or its brief form, by a command that takes a module file. */
export function processHost({ name, command, version, pinned = true, brief = false }) {
  const [program, ...args] = command;
  return {
    name,
    pinned,
    version: () => version ?? execFileSync(program, ["--version"], { encoding: "utf8" }).match(/\d+\.\d+\.\d+/)[0],
    run({ project }, env = process.env) {
      writeFileSync(join(project, "entry.mjs"), entryOf(brief));
      const timeout = brief ? 600_000 : 600_000;
      const text = outputOf(program, [...args, "entry.mjs"], { cwd: project, env, timeout });
      return JSON.parse(text.trim().split("\n").at(-1));
    },
  };
}

function withGibibyte(options) {
  const [program, ...args] = options.command;
  return {
    ...processHost(options),
    gibibyte({ project }) {
      const entry = join(project, "gibibyte-entry.mjs");
      writeFileSync(entry, GIBIBYTE);
      return hashGibibyte(program, [...args, entry], project);
    },
  };
}

export const processes = [
  { name: `Node ${process.versions.node.split(".")[0]}`, command: [process.execPath], pinned: false },
  ...[22, 24, 26].map((major) => ({ name: `Node ${major}`, command: [binaries[`node${major}`]] })),
  // No permission flag, and no prompt for one.
  { name: "Deno", command: [binaries.deno, "run", "--no-prompt"] },
  { name: "Bun", command: [binaries.bun] },
].map(withGibibyte);
