// Runs a module in an engine without modules and classes: bundles it, and translates it to what Hermes has, as React
// Native's own translation would.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { build } from "esbuild";
import ts from "typescript";

const TRANSLATION = { target: ts.ScriptTarget.ES5, downlevelIteration: true, ignoreDeprecations: "6.0" };

/** One script of an entry and all that it imports. */
export async function scriptOf(contents, { resolveDir, conditions = ["react-native"], minify = false }) {
  const options = {
    bundle: true,
    format: "iife",
    target: "es2020",
    platform: "neutral",
    mainFields: ["module", "main"],
    write: false,
    logLevel: "error",
  };
  const { outputFiles } = await build({ ...options, stdin: { contents, resolveDir }, conditions, minify });
  return outputFiles[0].text;
}

/** The same in ECMAScript 5. */
export function translated(script) {
  return ts.transpileModule(script, { compilerOptions: TRANSLATION }).outputText;
}

/** Runs a script with Hermes and returns what it prints. */
export function runHermes(hermes, script, file) {
  writeFileSync(file, script);
  return execFileSync(hermes, ["-O", "-w", file], { encoding: "utf8", timeout: 600_000, maxBuffer: 2 ** 26 });
}
