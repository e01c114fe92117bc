// node bench/survey/complete-lock.mjs FOLDER: names in FOLDER/package-lock.json every optional platform package.
// npm leaves out those that the registry in use does not carry, and then its own `npm ci` refuses the lock file.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const systems = new Set([
  "aix",
  "android",
  "darwin",
  "freebsd",
  "linux",
  "netbsd",
  "openbsd",
  "openharmony",
  "win32",
  "windows",
]);

/** The lock entry of a package named like "@scope/name-linux-x64-gnu"; undefined if the name contains no system. */
function platformEntry(name, version) {
  const words = name.split(/[-/]/);
  const at = words.findIndex((word) => systems.has(word));
  return at < 0
    ? undefined
    : { version, cpu: [words[at + 1]], optional: true, os: [words[at].replace("windows", "win32")] };
}

const file = join(process.argv[2], "package-lock.json");
const lock = JSON.parse(readFileSync(file, "utf8"));
for (const { optionalDependencies = {} } of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const entry = platformEntry(name, version);
    if (entry) lock.packages[`node_modules/${name}`] ??= entry;
  }
}
const inOrder = Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1));
lock.packages = Object.fromEntries(inOrder);
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
