// Turns a kernel into JavaScript with Binaryen's wasm2js: a function that makes an instance, whose exports are those of a
// WebAssembly instance of the same source.
import { readFileSync, writeFileSync } from "node:fs";

const VIEWS = {
  HEAP8: "Int8Array",
  HEAPU8: "Uint8Array",
  HEAP16: "Int16Array",
  HEAPU16: "Uint16Array",
  HEAP32: "Int32Array",
};

// Of each instance: wasm2js's own would all work in the memory of the last one.
const HELPERS = {
  wasm2js_memory_copy: "(to, from, length) {\n  HEAPU8.copyWithin(to, from, from + length);\n }",
  wasm2js_memory_fill: "(to, value, length) {\n  HEAPU8.fill(value, to, to + length);\n }",
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
  const functions = shortened(between(text, /^(?= var global\$0 )/m, /^ bufferView = HEAPU8;/m));
  const exported = between(text, /^(?= {2}"init":)/m, /^ };\n}/m);
  const size = /new ArrayBuffer\((\d+)\);\n var HEAP8/.exec(text)[1];
  const helpers = Object.entries(HELPERS).flatMap(([name, code]) =>
    functions.includes(name) ? [` function ${name}${code}\n`] : [],
  );
  const code = [...helpers, functions, ...segments(text)].join("");
  const views = Object.entries(VIEWS).flatMap(([name, type]) =>
    code.includes(`${name}[`) || code.includes(`${name}.`) ? [` var ${name} = new ${type}(buffer);\n`] : [],
  );
  const functionsOfMath = [...new Set(code.match(/\bMath_\w+/g))].map(
    (name) => ` var ${name} = ${name.replace("_", ".")};\n`,
  );
  const unknown = /\b(?:HEAPU32|HEAPF\d+|abort|wasm2js_scratch\w*|env)\b/.exec(code);
  if (unknown) throw new Error(`the JavaScript of a kernel must need none of wasm2js's other glue, got ${unknown[0]}`);
  const head = `// Made by wasm/build.mjs.\nexport function javascript() {\n var buffer = new ArrayBuffer(${size});\n`;
  return `${head}${views.join("")}${functionsOfMath.join("")}${code} return {\n  "memory": { "buffer": buffer },\n${exported} };\n}\n`;
}

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

// Operands without parentheses.
const OPERAND = String.raw`(?:\$\w+|HEAP32\[[^\]()]*\]|\d+)`;
const SUM_FIRST = new RegExp(String.raw`\((${OPERAND} \+ ${OPERAND}) \| 0\) \+ (${OPERAND}) \| 0`, "g");
const SUM_LAST = new RegExp(String.raw`(${OPERAND}) \+ \((${OPERAND} \+ ${OPERAND}) \| 0\) \| 0`, "g");
const SHIFTED = /(\$\w+ >>> [1-9]\d?) \| 0;/g;

/** Without conversions to 32 bits that change nothing: a sum of three words is exact, and a shifted word has less than 32. */
function shortened(code) {
  return code.replace(SUM_FIRST, "$1 + $2 | 0").replace(SUM_LAST, "$1 + $2 | 0").replace(SHIFTED, "$1;");
}
