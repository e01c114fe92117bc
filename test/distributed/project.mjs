// A copy of an example with its locked dependencies and the packed package.
import { execFileSync } from "node:child_process";
import { cpSync } from "node:fs";
import { basename, join } from "node:path";

const root = join(import.meta.dirname, "../..");

const npm = (cwd, ...args) =>
  execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });

export function installExample(name, folder) {
  const project = join(folder, name);
  cpSync(join(root, "examples", name), project, {
    recursive: true,
    filter: (path) => basename(path) !== "node_modules",
  });
  const [{ filename }] = JSON.parse(npm(root, "pack", "--json", "--ignore-scripts", "--pack-destination", folder));
  npm(project, "ci", "--ignore-scripts", "--prefer-offline");
  npm(project, "install", "--no-save", "--ignore-scripts", "--prefer-offline", join(folder, filename));
  return project;
}
