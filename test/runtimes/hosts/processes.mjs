// Hosts that run a module file and print the report: Node, Deno, Bun.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const ENTRY = `
import * as main from "blake-simd";
import * as parallel from "blake-simd/parallel";
import * as streams from "blake-simd/streams";
import { runBody } from "./body.mjs";
import suite from "./suite.json.mjs";
console.log(JSON.stringify(await runBody({ main, streams, parallel }, suite)));
`;

function processHost(name, binary, args, versionArgs = ["--version"]) {
  return {
    name,
    version: () => execFileSync(binary(), versionArgs, { encoding: "utf8" }).match(/\d+\.\d+\.\d+/)[0],
    run({ project }) {
      const entry = join(project, "entry.mjs");
      writeFileSync(entry, ENTRY);
      const options = { cwd: project, encoding: "utf8", timeout: 120_000, stdio: ["ignore", "pipe", "inherit"] };
      return JSON.parse(execFileSync(binary(), [...args, entry], options));
    },
  };
}

const installed = (path) => () => join(import.meta.dirname, "../node_modules", path);

export const processes = [
  processHost(`Node ${process.versions.node.split(".")[0]}`, () => process.execPath, []),
  ...[22, 24, 26].map((major) => processHost(`Node ${major}`, installed(`node${major}/bin/node`), [])),
  // No permission flag, and no prompt for one.
  processHost("Deno", installed("@deno/linux-x64-glibc/deno"), ["run", "--no-prompt"]),
  processHost("Bun", installed("@oven/bun-linux-x64/bin/bun"), []),
];
