import assert from "node:assert/strict";
import { nodeResolve } from "@rollup/plugin-node-resolve";
import { rollup } from "rollup";
import { build } from "vite";
import { blake3Names } from "../blake3-names.mjs";
import { digestOf } from "../digest.mjs";

function checkNames(output) {
  const assets = output.filter(({ type }) => type === "asset");
  assert.equal(assets.length, 1);
  const [, digest] = /^assets\/[\w-]+-([0-9a-f]{16})\.\w+$/.exec(assets[0].fileName);
  assert.equal(digest, digestOf(assets[0].source, 8));
}

const emits = {
  name: "emits",
  buildStart() {
    this.emitFile({ type: "asset", name: "license.txt", source: "a license" });
  },
};
const bundle = await rollup({ input: "print.mjs", plugins: [nodeResolve(), emits, blake3Names] });
checkNames((await bundle.generate({})).output);

const options = { logLevel: "error", configFile: false, plugins: [emits, blake3Names] };
const built = await build({ ...options, build: { write: false, rolldownOptions: { input: "print.mjs" } } });
checkNames(built.output);
