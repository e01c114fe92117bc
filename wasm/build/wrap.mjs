// Writes the JavaScript that wraps each module of wasm/dist: a file that holds both builds as text, and two that import
// them. `npm run build` runs it, since it needs no Emscripten.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { toText } from "./text.mjs";

const isOne = ({ baseline, simd128 }) => baseline.equals(simd128);

/** Returns a module that holds builds as text. */
export function inline(kernels) {
  const value = (name, bytes) => (name === "baseline" && isOne(kernels) ? "simd128" : JSON.stringify(toText(bytes)));
  const lines = Object.entries(kernels).map(([name, bytes]) => `export const ${name} = ${value(name, bytes)};\n`);
  return `// Made by wasm/build.\n${lines.join("")}`;
}

// For runtimes that forbid compiling bytes: their bundlers make modules of these imports.
function imported(module, kernels, suffix) {
  const names = isOne(kernels) ? ["baseline"] : Object.keys(kernels);
  const lines = names.map((name) => `import ${name} from "./${module}.${name}.wasm${suffix}";\n`);
  const exports = isOne(kernels) ? "baseline, baseline as simd128" : names.join(", ");
  return `// Made by wasm/build.\n${lines.join("")}export { ${exports} };\n`;
}

/** @param kernels the bytes of the two builds, the longer one first: gzip stores what they have in common once */
export function wrap(folder, module, kernels) {
  writeFileSync(join(folder, `${module}.js`), inline(kernels));
  writeFileSync(join(folder, `${module}.workerd.js`), imported(module, kernels, ""));
  writeFileSync(join(folder, `${module}.edge-light.js`), imported(module, kernels, "?module"));
}

if (import.meta.filename === process.argv[1]) {
  const folder = resolve(import.meta.dirname, "../dist");
  for (const file of readdirSync(folder)) {
    const [, module] = /^(.*)\.simd128\.wasm$/.exec(file) ?? [];
    if (!module) continue;
    const [simd128, baseline] = ["simd128", "baseline"].map((name) =>
      readFileSync(join(folder, `${module}.${name}.wasm`)),
    );
    wrap(folder, module, { simd128, baseline });
  }
}
