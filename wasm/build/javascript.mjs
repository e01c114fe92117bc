// Turns a kernel into JavaScript with Binaryen's wasm2js: a function that makes an instance, whose exports are those of
// a WebAssembly instance of the same source.
import { readFileSync, writeFileSync } from "node:fs";
import { shortenedCode } from "./shorten.mjs";

// Of bytes, and of what is only zeroed. Words come from whoever makes an instance, since their order in these is the
// processor's.
const VIEWS = {
  HEAP8: "Int8Array",
  HEAPU8: "Uint8Array",
  HEAPF64: "Float64Array",
};

// Of each instance: wasm2js's own would all work in the memory of the last one. A block is zeroed by stores, since V8
// takes 42 to 57 ns for the call of `fill` and 12 for these (without a compiler 150 and 310).
const HELPERS = {
  wasm2js_memory_copy: "(to, from, length) {\n  HEAPU8.copyWithin(to, from, from + length);\n }",
  wasm2js_memory_fill: `(to, value, length) {
  if (length === 64 && !(value | to & 7)) {
   to >>= 3;
   ${Array.from({ length: 8 }, (_, i) => `HEAPF64[to${i ? ` + ${i}` : ""}] = `).join("")}0;
  } else {
   HEAPU8.fill(value, to, to + length);
  }
 }`,
};

/** @param run runs a command with arguments */
export async function writeJavaScript(run, wasm, target) {
  const module = `${wasm}.mjs`;
  await run("wasm-opt", wasm, "--all-features", "-O2", "-o", wasm);
  await run("wasm2js", wasm, "--all-features", "-O2", "-o", module);
  writeFileSync(target, asInstance(readFileSync(module, "utf8")));
}

/** The functions of wasm2js's module in one that makes an instance, with as much of its glue as they use. */
function asInstance(text) {
  const functions = withViews(shortenedCode(between(text, /^(?= var global\$0 )/m, /^ bufferView = HEAPU8;/m)));
  const exported = between(text, /^(?= {2}"init":)/m, /^ };\n}/m);
  const size = /new ArrayBuffer\((\d+)\);\n var HEAP8/.exec(text)[1];
  const helpers = Object.entries(HELPERS).flatMap(([name, code]) =>
    functions.includes(name) ? [` function ${name}${code}\n`] : [],
  );
  const code = [...helpers, functions, ...segments(text)].join("");
  const views = Object.entries(VIEWS).flatMap(([name, type]) =>
    new RegExp(`\\b${name}\\b`).test(code) ? [` var ${name} = new ${type}(buffer);\n`] : [],
  );
  const functionsOfMath = [...new Set(code.match(/\bMath_\w+/g))].map(
    (name) => ` var ${name} = ${name.replace("_", ".")};\n`,
  );
  const unknown = /\b(?:HEAPU?16|HEAPU32|HEAPF\d+|abort|wasm2js_scratch\w*|env)\b/.exec(functions);
  if (unknown) throw new Error(`the JavaScript of a kernel must need none of wasm2js's other glue, got ${unknown[0]}`);
  const head = `// Made by wasm/build.\nexport function javascript(wordsOf) {\n var buffer = new ArrayBuffer(${size});\n var HEAP32 = wordsOf(buffer);\n`;
  return `${head}${views.join("")}${functionsOfMath.join("")}${code} return {\n  "memory": { "buffer": buffer },\n${exported} };\n}\n`;
}

// From so many reads and writes of words on, a function has the view of them in a local: without a compiler each takes
// a quarter less.
const MANY = 4;

function withViews(code) {
  return code
    .split(/^(?= function )/m)
    .map((each) => (each.split("HEAP32[").length > MANY ? withView(each) : each))
    .join("");
}

const withView = (code) =>
  code.replaceAll("HEAP32[", "words[").replace(/^( function .*\n)/, "$1  var words = HEAP32;\n");

function between(text, start, end) {
  const from = text.search(start);
  const length = text.slice(from).search(end);
  if (from < 0 || length < 0) throw new Error(`wasm2js's module must have ${start} and ${end}`);
  return text.slice(from, from + length);
}

/** Constants, which wasm2js has in Base64: as numbers they need no decoder. */
function segments(text) {
  const found = text.matchAll(/base64DecodeToExistingUint8Array\(bufferView, (\d+), "([^"]+)"\)/g);
  return Array.from(found, ([, at, base64]) => ` HEAPU8.set([${[...Buffer.from(base64, "base64")]}], ${at});\n`);
}
