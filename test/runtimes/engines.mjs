// Engines without WebAssembly: every algorithm of blake-simd, as the condition react-native chooses it, against the vectors,
// whole, in pieces, and from states that this Node has saved. A run of all engines is compared with the table in
// docs/platforms.md, or with --write puts it there.
//
//   node test/runtimes/engines.mjs [--write | --brief | NAME...]    --brief: not those of other processors, under emulators
//                                                                   NAME: only engines whose name begins so
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { runHermes, scriptOf, translated } from "../support/hermes.mjs";
import { chromium } from "./hosts/browsers.mjs";
import { processors } from "./hosts/emulated.mjs";
import { openPage } from "./hosts/page.mjs";
import { binaries } from "./hosts/processes.mjs";
import { makeSuite } from "./suite.mjs";

const root = resolve(import.meta.dirname, "../..");
const installed = createRequire(import.meta.url);
const folder = mkdtempSync(join(tmpdir(), "blake-simd-engines-"));

// A few cases of each algorithm: engines without a compiler take a second for a megabyte.
const MOST = 5000;
const { cases, states } = makeSuite();
const short = cases.filter(({ input }) => input <= MOST);

const BODY = `
import { algorithms, backend, fromHex, toHex } from "blake-simd";
import { restore, save } from "blake-simd/states";
const counting = (length) => new Uint8Array(length).map((_, i) => i % 251);
const same = (what, got, expected) => {
  if (got !== expected) throw new Error(what + ": got " + got + ", expected " + expected);
};
function optionsOf(options) {
  const revived = Object.assign({}, options);
  for (const name of ["key", "salt", "personal"]) if (name in revived) revived[name] = fromHex(revived[name]);
  if ("nodeOffset" in revived) revived.nodeOffset = BigInt(revived.nodeOffset);
  return revived;
}
function webAssembly() {
  if (typeof WebAssembly === "undefined") return "missing";
  try {
    new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
    return "allowed";
  } catch {
    return "forbidden";
  }
}
function run({ cases, states }) {
  same("backend", backend(), "javascript");
  for (const { algorithm, input, options, digest } of cases) {
    const hash = algorithms[algorithm];
    const message = counting(input);
    const given = optionsOf(options);
    same(algorithm + " of " + input, toHex(hash(message, given)), digest);
    const [hasher, neighbour] = [hash.create(given), hash.create()];
    for (let at = 0; at < input; at += 333) {
      hasher.update(message.subarray(at, at + 333));
      neighbour.update("x");
    }
    same(algorithm + " in pieces", hasher.digest("hex"), digest);
  }
  for (const { algorithm, state, rest, input, digest } of states) {
    const hasher = restore(algorithms[algorithm], fromHex(state));
    same(algorithm + " saved again", toHex(save(hasher)), state);
    same(algorithm + " restored", hasher.update(counting(input).subarray(rest)).digest("hex"), digest);
  }
  const text = algorithms.blake3.create().update("\\u00e9\\ud83d\\ude00\\ud800");
  same("text", text.digest("hex"), algorithms.blake3.hex(Uint8Array.of(195, 169, 240, 159, 152, 128, 239, 191, 189)));
  same("base64", algorithms.blake3.create().digest("base64"), "rxNJufX5oaagQE3qNtzJSZvLJcmtwRK3zJqTyuQfMmI=");
  return webAssembly();
}
try {
  globalThis.result = run(${JSON.stringify({ cases: short, states })});
} catch (error) {
  globalThis.result = String(error.stack || error);
}
`;

const script = await scriptOf(BODY, { resolveDir: root });

async function quickJs() {
  const { getQuickJS } = installed("quickjs-emscripten");
  const context = (await getQuickJS()).newContext();
  const value = context.unwrapResult(context.evalCode(`${script}; globalThis.result`));
  const result = context.dump(value);
  value.dispose();
  return result;
}

function node(program, ...args) {
  const code = `${script}; console.log(globalThis.result);`;
  return execFileSync(program, [...args, "--jitless", "--no-warnings", "-"], {
    input: code,
    encoding: "utf8",
    timeout: 600_000,
  });
}

function hermes() {
  const program = installed.resolve("hermes-engine-cli/linux64-bin/hermes");
  return runHermes(program, `${translated(script)}; print(globalThis.result);`, join(folder, "hermes.js"));
}

/** A page in Chromium with further flags, under a policy. */
async function page(flags, policy) {
  const command = (url, profile) => {
    const [program, ...args] = chromium.command(url, profile);
    return [program, ...args.filter((arg) => !arg.startsWith("--js-flags")), ...flags];
  };
  const report = 'fetch("/report", { method: "POST", body: JSON.stringify(globalThis.result) });';
  const files = {
    "/index.html": '<!doctype html><title>blake-simd</title><script type="module" src="/page.js"></script>',
    "/page.js": `${script}; ${report}`,
  };
  const headers = { "Content-Security-Policy": policy };
  return openPage({ command }, { files, headers, folder: mkdtempSync(join(folder, "page-")) });
}

const STRICT = "script-src 'self'";
const CURRENT = "script-src 'self' 'wasm-unsafe-eval'";
const { dependencies } = JSON.parse(readFileSync(join(import.meta.dirname, "package.json"), "utf8"));
const node26 = dependencies.node26.split("@")[1];

const brief = process.argv.includes("--brief");

// What keeps WebAssembly from each of them, and its version if this repository chooses it.
const engines = [
  { name: "Node 20, `--jitless`", wasm: "missing", run: () => node(process.execPath) },
  { name: "Node 26, `--jitless`", version: node26, wasm: "missing", run: () => node(binaries.node26) },
  ...(brief ? [] : processors).map(({ name, version, command }) => ({
    name: `${name}, \`--jitless\``,
    version,
    wasm: "missing",
    run: () => node(...command),
  })),
  { name: "Chromium, `--jitless`", wasm: "missing", run: () => page(["--js-flags=--jitless"], CURRENT) },
  { name: "Chromium, a policy that forbids it", wasm: "forbidden", run: () => page([], STRICT) },
  { name: "Hermes", version: dependencies["hermes-engine-cli"], wasm: "missing", run: hermes },
  { name: "QuickJS", version: dependencies["quickjs-emscripten"], wasm: "missing", run: quickJs },
];

async function outcome({ run, wasm }) {
  const result = await Promise.resolve()
    .then(run)
    .catch((error) => String(error.stderr || error.message || error));
  return result.trim() === wasm ? "pass" : `expected WebAssembly to be ${wasm}, got ${result.trim().slice(0, 400)}`;
}

const PAGE = join(root, "docs/platforms.md");
const MARKED = /(<!-- engines -->\n).*?(<!-- \/engines -->)/s;
const row = (cells) => `| ${cells.join(" | ")} |`;
const HEAD = ["engine", "version"];

try {
  const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
  const chosen = engines.filter(({ name }) => wanted.length === 0 || wanted.some((start) => name.startsWith(start)));
  const rows = [];
  for (const engine of chosen) {
    const result = await outcome(engine);
    rows.push(row([engine.name, engine.version ?? ""]));
    console.log(`${engine.name}: ${result}`);
    if (result !== "pass") process.exitCode = 1;
  }
  const table = [row(HEAD), row(HEAD.map(() => "---")), ...rows].join("\n");
  console.log(table);
  const text = readFileSync(PAGE, "utf8");
  const fresh = text.replace(MARKED, (_, start, end) => `${start}\n${table}\n\n${end}`);
  if (process.argv.includes("--write") && !process.exitCode) writeFileSync(PAGE, fresh);
  else if (wanted.length === 0 && !brief && fresh !== text) {
    console.error("docs/platforms.md: its table must be the one above; --write writes it");
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
