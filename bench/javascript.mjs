// The build for engines without WebAssembly, next to packages that are pure JavaScript: MB/s, best of interleaved
// rounds, in Node with and without its compilers and in Hermes. The first run installs what it needs.
//
//   node bench/javascript.mjs [--engine NAME]... [--algorithm NAME]... [--size BYTES]... [--rounds N]
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { installRivals, installRuntimes, root, run, say, work } from "./survey/prepare.mjs";

const list = (...defaults) => ({ type: "string", multiple: true, default: defaults });
const { values: options } = parseArgs({
  options: {
    engine: list("node", "node-jitless", "node26", "node26-jitless", "hermes"),
    algorithm: list("blake3", "blake2s", "blake2b", "blake256", "blake512"),
    size: list("64", "1024", "65536", "1048576"),
    rounds: { type: "string", default: "40" },
  },
});

installRivals();
installRuntimes();
if (!existsSync(`${root}dist/index.js`)) run("npm", ["run", "build"]);
// Imported only now, since they need what was just installed.
const { binaries } = await import("../test/runtimes/hosts/processes.mjs");
const { runHermes, scriptOf, translated } = await import("../test/support/hermes.mjs");

// Hermes 0.12 has no TextEncoder, and blake3-jit makes one at its import; no message here is text.
const ENCODER = "if (typeof TextEncoder === 'undefined') globalThis.TextEncoder = function () {};\n";

/** The script for an engine: without a compiler a message of 1 MiB takes a second, so there are fewer rounds. */
async function scriptFor(milliseconds, rounds, most = Number.POSITIVE_INFINITY) {
  const sizes = options.size.map(Number).filter((size) => size <= most);
  const given = JSON.stringify({ algorithms: options.algorithm, sizes, rounds, milliseconds });
  // Deleted before blake3-jit looks for it.
  const head = `${ENCODER}delete globalThis.WebAssembly;\nconst OPTIONS = ${given};\n`;
  return head + (await scriptOf('import "./survey/javascript-page.mjs";', { resolveDir: join(root, "bench") }));
}

const rounds = Number(options.rounds);
const inNode = async (binary, flags, script) =>
  execFileSync(binary, [...flags, "--no-warnings", "-"], {
    input: `${await script}\nconsole.log(globalThis.result);`,
    encoding: "utf8",
  });
const compiled = (binary) => inNode(binary, [], scriptFor(5, rounds));
const interpreted = (binary) => inNode(binary, ["--jitless"], scriptFor(20, Math.ceil(rounds / 8), 65_536));

async function inHermes() {
  const hermes = createRequire(join(root, "test/runtimes/")).resolve("hermes-engine-cli/linux64-bin/hermes");
  const script = translated(await scriptFor(50, Math.ceil(rounds / 8), 65_536));
  return runHermes(hermes, `${script}\nprint(globalThis.result);`, join(work, "hermes.js"));
}

const engines = {
  node: () => compiled(process.execPath),
  "node-jitless": () => interpreted(process.execPath),
  node26: () => compiled(binaries.node26),
  "node26-jitless": () => interpreted(binaries.node26),
  hermes: inHermes,
};

mkdirSync(work, { recursive: true });
for (const name of options.engine) {
  if (!(name in engines)) throw new Error(`--engine must be one of ${Object.keys(engines).join(", ")}, got ${name}`);
  say(`bench: ${name}`);
  console.log(`${name}: algorithm | bytes | MB/s | to the best rival\n${await engines[name]()}`);
}
