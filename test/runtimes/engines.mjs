// Engines without WebAssembly: every algorithm of blake-simd, as the condition react-native chooses it, against the vectors,
// whole, in pieces, and from states that this Node has saved.
//
//   node test/runtimes/engines.mjs
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { runHermes, scriptOf, translated } from "../support/hermes.mjs";
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
const counting = (length) => Uint8Array.from({ length }, (_, i) => i % 251);
const same = (what, got, expected) => {
  if (got !== expected) throw new Error(what + ": got " + got + ", expected " + expected);
};
function optionsOf(options) {
  const revived = Object.assign({}, options);
  for (const name of ["key", "salt", "personal"]) if (name in revived) revived[name] = fromHex(revived[name]);
  if ("nodeOffset" in revived) revived.nodeOffset = BigInt(revived.nodeOffset);
  return revived;
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
  return "ok " + cases.length + " cases, " + states.length + " states";
}
globalThis.result = run(${JSON.stringify({ cases: short, states })});
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

function node(binary) {
  const code = `${script}; console.log(globalThis.result);`;
  return execFileSync(binary, ["--jitless", "--no-warnings", "-"], { input: code, encoding: "utf8", timeout: 120_000 });
}

const inHermes = () => {
  const hermes = installed.resolve("hermes-engine-cli/linux64-bin/hermes");
  return runHermes(hermes, `${translated(script)}; print(globalThis.result);`, join(folder, "hermes.js"));
};

const engines = {
  "Node, --jitless": () => node(process.execPath),
  Hermes: inHermes,
  QuickJS: quickJs,
};

try {
  for (const [name, run] of Object.entries(engines)) {
    const result = await Promise.resolve()
      .then(run)
      .catch((error) => String(error.stderr || error.message || error));
    console.log(`${name}: ${result.trim().slice(0, 400)}`);
    if (!result.startsWith("ok ")) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
