// The runtimes that can take the survey: how each runs a program of ours. Adding one is adding an entry here.
import process from "node:process";
import { binaries } from "../test/runtimes/hosts/processes.mjs";

const nodeFlags = ["--expose-gc"];

export const runtimes = {
  node: [process.execPath, ...nodeFlags],
  node22: [binaries.node22, ...nodeFlags],
  node24: [binaries.node24, ...nodeFlags],
  node26: [binaries.node26, ...nodeFlags],
  deno: [binaries.deno, "run", "--allow-all", "--v8-flags=--expose-gc"],
  bun: [binaries.bun, "--expose-gc"],
};

/** The command and its first arguments; a name that is not listed is the path of a node. */
export function commandOf(name) {
  return runtimes[name] ?? [name, ...nodeFlags];
}

/** Whether a runtime's program comes with test/runtimes. */
export function comesWithTests(name) {
  return name in binaries;
}

/** What target-list.mjs calls a runtime. */
export function targetNameOf(name) {
  return name === "node" ? `node${Number.parseInt(process.versions.node, 10)}` : name;
}
