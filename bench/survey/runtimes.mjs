// The runtimes that can take the survey, as test/runtimes starts them. Adding one is adding an entry here.
import process from "node:process";
import { chromium, firefox, webkit } from "../../test/runtimes/hosts/browsers.mjs";
import { binaries } from "../../test/runtimes/hosts/processes.mjs";

const nodeFlags = ["--expose-gc"];

/** Programs that run a file: the command and its first arguments. */
const programs = {
  node: [process.execPath, ...nodeFlags],
  node22: [binaries.node22, ...nodeFlags],
  node24: [binaries.node24, ...nodeFlags],
  node26: [binaries.node26, ...nodeFlags],
  deno: [binaries.deno, "run", "--allow-all", "--v8-flags=--expose-gc"],
  bun: [binaries.bun, "--expose-gc"],
};

/** Browsers, which open a page, and their own names. */
const browsers = {
  chromium: { name: "Chromium", browser: chromium },
  firefox: { name: "Firefox", browser: firefox },
  webkit: { name: "WebKitGTK", browser: webkit },
};

export const runtimeNames = [...Object.keys(programs), ...Object.keys(browsers)];

/** The browser of a name, undefined for a program's. */
export const browserOf = (name) => browsers[name];

/** A program's command line; a name that is not listed is the path of a node. */
export function commandOf(name) {
  return programs[name] ?? [name, ...nodeFlags];
}

/** Milliseconds for which each rival is called with each of several sizes before anything is timed: JavaScriptCore is
 *  slow to optimise a large function. */
export function mixedWarmupIn(name) {
  return name === "bun" || name === "webkit" ? 400 : 100;
}

/** Whether a runtime's program comes with test/runtimes. */
export function comesWithTests(name) {
  return name in binaries;
}

/** The name of a runtime in target-list.mjs. */
export function targetNameOf(name) {
  return name === "node" ? `node${Number.parseInt(process.versions.node, 10)}` : name;
}
