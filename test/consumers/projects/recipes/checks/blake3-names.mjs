import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { blake3 } from "@noble/hashes/blake3.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { nodeResolve } from "@rollup/plugin-node-resolve";
import { rollup } from "rollup";
import { build } from "vite";
import { blake3Names } from "../blake3-names.mjs";

function checkNames(output) {
  const assets = output.filter(({ type }) => type === "asset").map(({ fileName }) => fileName);
  assert.equal(assets.length, 1);
  const [, digest] = /^assets\/[\w-]+-([0-9a-f]{16})\.\w+$/.exec(assets[0]);
  const { source } = output.find(({ fileName }) => fileName === assets[0]);
  assert.equal(digest, bytesToHex(blake3(Buffer.from(source), { dkLen: 8 })));
}

const emits = {
  name: "emits",
  buildStart() {
    this.emitFile({ type: "asset", name: "license.txt", source: readFileSync("print.mjs") });
  },
};
const bundle = await rollup({ input: "print.mjs", plugins: [nodeResolve(), emits, blake3Names] });
checkNames((await bundle.generate({})).output);

writeFileSync("picture.bin", Buffer.alloc(10_000, "picture"));
writeFileSync("vite-entry.mjs", 'import url from "./picture.bin?url";\nconsole.log(url);');
const built = await build({
  logLevel: "error",
  configFile: false,
  plugins: [blake3Names],
  build: { write: false, rolldownOptions: { input: "vite-entry.mjs" } },
});
checkNames(built.output);
