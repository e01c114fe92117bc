// The runtimes that can take the survey: how each runs a program of ours. Adding one is adding an entry here.
import process from "node:process";

const nodeFlags = ["--expose-gc"];

export const runtimes = {
  node: [process.execPath, ...nodeFlags],
  bun: ["bun"],
  deno: ["deno", "run", "--allow-all", "--v8-flags=--expose-gc"],
};

/** The command and its first arguments; a name that is not listed is the path of a node. */
export function commandOf(name) {
  return runtimes[name] ?? [name, ...nodeFlags];
}
