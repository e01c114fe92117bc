// Hosts that run a module file and print the report: Node, Deno, Bun.
import { execFileSync } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";

const installed = (path) => join(import.meta.dirname, "../node_modules", path);

/** The programs that test/runtimes/package.json installs. */
export const binaries = {
  node22: installed("node22/bin/node"),
  node24: installed("node24/bin/node"),
  node26: installed("node26/bin/node"),
  deno: installed("@deno/linux-x64-glibc/deno"),
  bun: installed("@oven/bun-linux-x64/bin/bun"),
};

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
      const given = [...args, "process.mjs", ...(brief ? ["brief"] : [])];
      const text = outputOf(program, given, { cwd: project, env, timeout: 600_000 });
      return JSON.parse(text.trim().split("\n").at(-1));
    },
  };
}

export const processes = [
  { name: `Node ${process.versions.node.split(".")[0]}`, command: [process.execPath], pinned: false },
  ...[22, 24, 26].map((major) => ({ name: `Node ${major}`, command: [binaries[`node${major}`]] })),
  // No permission flag, and no prompt for one.
  { name: "Deno", command: [binaries.deno, "run", "--no-prompt"] },
  { name: "Bun", command: [binaries.bun] },
].map(processHost);
