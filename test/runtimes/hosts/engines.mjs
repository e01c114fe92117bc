// Engines without WebAssembly: every algorithm of blake-simd, as the condition react-native chooses it, in one script.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { runHermes, scriptOf, translated } from "../../support/hermes.mjs";
import { chromium, HTML } from "./browsers.mjs";
import { processors } from "./emulated.mjs";
import { openPage } from "./page.mjs";
import { binaries } from "./processes.mjs";

const installed = createRequire(import.meta.url);

async function quickJs(script) {
  const { getQuickJS } = installed("quickjs-emscripten");
  const context = (await getQuickJS()).newContext();
  const value = context.unwrapResult(context.evalCode(`${script}; globalThis.report`));
  const report = context.dump(value);
  value.dispose();
  return report;
}

const node =
  (program, ...args) =>
  (script) =>
    execFileSync(program, [...args, "--jitless", "--no-warnings", "-"], {
      input: `${script}; console.log(globalThis.report);`,
      encoding: "utf8",
      timeout: 600_000,
    });

function hermes(script, folder) {
  const program = installed.resolve("hermes-engine-cli/linux64-bin/hermes");
  return runHermes(program, `${translated(script)}; print(globalThis.report);`, join(folder, "hermes.js"));
}

/** A page in Chromium with further flags, under a policy. */
const page = (flags, policy) => (script, folder) => {
  const command = (url, profile) => {
    const [program, ...args] = chromium.command(url, profile);
    return [program, ...args.filter((arg) => !arg.startsWith("--js-flags")), ...flags];
  };
  const report = 'fetch("/report", { method: "POST", body: JSON.stringify(globalThis.report) });';
  const files = { "/index.html": HTML, "/page.js": `${script}; ${report}` };
  return openPage({ command }, { files, headers: { "Content-Security-Policy": policy }, folder });
};

const STRICT = "script-src 'self'";
const CURRENT = "script-src 'self' 'wasm-unsafe-eval'";
const { dependencies } = JSON.parse(readFileSync(join(import.meta.dirname, "../package.json"), "utf8"));

// What keeps WebAssembly from each of them, and its version: a text if this repository chooses it.
const all = [
  { name: "Node 20, `--jitless`", version: () => process.versions.node, run: node(process.execPath) },
  { name: "Node 26, `--jitless`", version: dependencies.node26.split("@")[1], run: node(binaries.node26) },
  ...processors.map(({ name, version, command }) => ({
    name: `${name}, \`--jitless\``,
    version,
    isEmulated: true,
    run: node(...command),
  })),
  { name: "Chromium, `--jitless`", version: chromium.version, run: page(["--js-flags=--jitless"], CURRENT) },
  { name: "Chromium, a policy that forbids it", version: chromium.version, wasm: "forbidden", run: page([], STRICT) },
  { name: "Hermes", version: dependencies["hermes-engine-cli"], run: hermes },
  { name: "QuickJS", version: dependencies["quickjs-emscripten"], run: quickJs },
];

export const engines = all.map(({ name, version, wasm = "missing", isEmulated, run }) => ({
  name,
  pinned: typeof version === "string",
  isEmulated,
  version: () => (typeof version === "string" ? version : version()),
  async run({ project, scratch }) {
    const script = await scriptOf('import "./engine.mjs";', { resolveDir: project });
    const report = (await run(script, scratch(name))).trim();
    return { checks: { engine: report === wasm ? "ok" : `expected WebAssembly to be ${wasm}, got ${report}` } };
  },
}));
