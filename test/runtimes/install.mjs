// A user's project: the packed tarball, installed.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { missingIn } from "../../scripts/complete.mjs";

const root = resolve(import.meta.dirname, "../..");

function npm(cwd, ...args) {
  return execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}

/** Makes the folder and installs the package there. */
export function makeProject(project) {
  const missing = missingIn(root);
  if (missing.length > 0) throw new Error(`npm run build: the package lacks ${missing.join(", ")}`);
  mkdirSync(project);
  const [{ filename }] = JSON.parse(npm(root, "pack", "--json", "--ignore-scripts", "--pack-destination", project));
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "project", private: true, type: "module" }));
  npm(project, "install", "--ignore-scripts", join(project, filename));
}
