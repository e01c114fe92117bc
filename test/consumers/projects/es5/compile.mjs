// node compile.mjs COMPILER: a copy of the installed package whose modules a compiler has made ES5.
import assert from "node:assert/strict";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import babel from "@babel/core";
import swc from "@swc/core";
import ts from "typescript5";

const compilers = {
  // Without targets, its default, preset-env compiles everything.
  babel: (code) => babel.transformSync(code, { compact: false, presets: [["@babel/preset-env", { modules: false }]] }),
  swc: (code) => swc.transformSync(code, { jsc: { target: "es5" }, module: { type: "es6" } }),
  typescript: (code) => ({
    code: ts.transpile(code, { target: ts.ScriptTarget.ES5, module: ts.ModuleKind.ESNext, downlevelIteration: true }),
  }),
};

const compile = compilers[process.argv[2]];
const copy = "node_modules/blake-simd";
cpSync("../node_modules/blake-simd", copy, { recursive: true });
for (const name of readdirSync(join(copy, "dist"), { recursive: true })) {
  if (!name.endsWith(".js")) continue;
  const file = join(copy, "dist", name);
  const { code } = compile(readFileSync(file, "utf8"));
  assert.doesNotMatch(code, /^\s*(class|const) |=> {$/m);
  writeFileSync(file, code);
}
