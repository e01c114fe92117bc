// Prepares a survey: installs the rivals and runtimes, and copies this package once for each build.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";

export const root = fileURLToPath(new URL("../../", import.meta.url));
export const work = `${root}build/bench/`;
const bench = `${root}bench/`;
const addons = `${bench}addons/`;
const runtimes = `${root}test/runtimes/`;

/** Runs a program, its output on stderr so that stdout keeps to the tables. */
export function run(program, args, options = {}) {
  execFileSync(program, args, { cwd: root, stdio: ["ignore", 2, 2], ...options });
}

/** npm as it runs this command, if it does: Windows has no program of that name. */
function npm(...args) {
  const script = process.env.npm_execpath;
  if (script) run(process.execPath, [script, ...args]);
  else run("npm", args);
}

export function say(message) {
  process.stderr.write(`${message}\n`);
}

/** Installs the rivals as the lock file has them, if that has not been done since it changed. */
export function installRivals() {
  if (isInstalled(bench)) return;
  say("bench: installing the rivals into bench/node_modules (once)");
  npm("ci", "--prefix", bench);
}

/** Compiles the add-ons; without a compiler the survey continues without them. */
export function installAddons() {
  if (isInstalled(addons)) return;
  say("bench: compiling the native add-ons into bench/addons/node_modules (once)");
  try {
    npm("ci", "--prefix", addons);
  } catch {
    rmSync(`${addons}node_modules`, { recursive: true, force: true });
    say("bench: they could not be compiled; going on without them");
  }
}

/** The other Nodes, Deno and Bun, as the tests run them. */
export function installRuntimes() {
  if (isInstalled(runtimes)) return;
  say("bench: installing the runtimes into test/runtimes/node_modules (once)");
  npm("ci", "--ignore-scripts", "--prefix", runtimes);
}

/** Node for other processors, as the tests run it. */
export function installEmulated() {
  const folder = `${runtimes}emulated/`;
  if (isInstalled(folder)) return;
  say("installing Node for other processors into test/runtimes/emulated/node_modules (once)");
  npm("ci", "--force", "--ignore-scripts", "--prefix", folder);
}

/** npm keeps a lock file of what it installed; it names the same versions if nothing has changed since. */
function isInstalled(folder) {
  const installed = `${folder}node_modules/.package-lock.json`;
  if (!existsSync(installed)) return false;
  const wanted = readJson(`${folder}package-lock.json`).packages;
  const found = Object.entries(readJson(installed).packages);
  const direct = Object.keys(wanted[""].dependencies).every((name) =>
    found.some(([path]) => path === `node_modules/${name}`),
  );
  return direct && found.every(([path, { version }]) => wanted[path]?.version === version);
}

/** One copy of the package per build, each with its index.js: [{ build, entry }]; none if it cannot be built. */
export function prepareBuilds(builds) {
  if (!existsSync(`${root}dist/index.js`) && !buildPackage()) return [];
  return builds.map((build) => ({ build, entry: copyPackage(build) }));
}

function buildPackage() {
  say("bench: building the package (npm run build)");
  try {
    npm("run", "build");
    return true;
  } catch {
    say("bench: it cannot be built yet; the rivals are measured alone");
    return false;
  }
}

function copyPackage(build) {
  const copy = `${work}${build}/`;
  const { exports } = readJson(`${root}package.json`);
  rmSync(copy, { recursive: true, force: true });
  mkdirSync(copy, { recursive: true });
  for (const path of ["package.json", "dist", "wasm/dist"]) {
    cpSync(`${root}${path}`, `${copy}${path}`, { recursive: true });
  }
  return pathToFileURL(copy + defaultExport(exports["."])).href;
}

/** The file behind an export's conditions: the last of them, as "default" comes last. */
function defaultExport(target) {
  return typeof target === "string" ? target.slice(2) : defaultExport(Object.values(target).at(-1));
}

/** The version that is installed of one of the rivals' packages. */
export function installedVersion(name) {
  const folder = [bench, addons].find((place) => existsSync(`${place}node_modules/${name}/package.json`));
  return folder && readJson(`${folder}node_modules/${name}/package.json`).version;
}

export function readJson(file) {
  return JSON.parse(readFileSync(file, "utf8"));
}
