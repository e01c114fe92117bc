// A folder in which Node runs js/ and test/ without a build: each module translated on its own, and the package's entries
// leading to js/. A mutant changes one file there, and so do the processes that tests start see it.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { dirname, join } from "node:path";
import { build, transform } from "esbuild";
import { filesOf } from "./sources.mjs";

const WORKER = "js/parallel/worker.js";
const WORKER_TEXT = "js/parallel/worker-source.js";

export class Mirror {
  #root;
  #folder;
  /** Files that are part of the text of a worker. */
  #inWorker;
  /** The sources as they were at the start, so that they may be edited during a run. */
  #texts = new Map();

  static async make(root, folder) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const mirror = new Mirror(root, folder);
    await mirror.#fill();
    return mirror;
  }

  constructor(root, folder) {
    this.#root = root;
    this.#folder = folder;
  }

  get folder() {
    return this.#folder;
  }

  isInWorker(file) {
    return this.#inWorker.has(file);
  }

  async #fill() {
    for (const file of filesOf(this.#root, "js", "test")) {
      mkdirSync(dirname(join(this.#folder, file)), { recursive: true });
      if (!isModule(file)) cpSync(join(this.#root, file), join(this.#folder, file));
      else await this.#translate(file);
    }
    for (const name of readdirSync(this.#root)) {
      if (!["js", "test", "package.json", "build", ".git"].includes(name))
        symlinkSync(join(this.#root, name), join(this.#folder, name));
    }
    this.#writePackage();
    await this.#writeVitest();
    this.#inWorker = await this.#writeWorker();
  }

  async #translate(file) {
    const text = readFileSync(join(this.#root, file), "utf8");
    const { code } = await translate(text);
    this.#texts.set(file, { text, code });
    writeFileSync(this.#pathOf(file), code);
  }

  #pathOf(file) {
    return join(this.#folder, file.replace(/\.ts$/, ".js"));
  }

  #writePackage() {
    const json = JSON.parse(readFileSync(join(this.#root, "package.json"), "utf8"));
    const entries = Object.keys(json.exports).filter((name) => /^\.(\/[\w]+)?$/.test(name) && name !== "./javascript");
    const exports = entries.map((name) => [name, name === "." ? "./js/index.js" : `./js/${name.slice(2)}.js`]);
    json.exports = {
      ...Object.fromEntries(exports),
      "./wasm/*.wasm": "./wasm/dist/*.wasm",
      "./package.json": "./package.json",
    };
    json.imports["#vitest"] = "./vitest.mjs";
    writeFileSync(join(this.#folder, "package.json"), JSON.stringify(json));
  }

  async #writeVitest() {
    const entryPoints = [join(import.meta.dirname, "vitest-in-thread.mjs")];
    await build({
      entryPoints,
      bundle: true,
      format: "esm",
      platform: "node",
      outfile: join(this.#folder, "vitest.mjs"),
    });
  }

  /** As scripts/bundle.mjs does: what runs in a worker is text in the module that starts it. */
  async #writeWorker() {
    const options = { bundle: true, format: "iife", target: "es2022", write: false, metafile: true };
    const { outputFiles, metafile } = await build({
      ...options,
      entryPoints: [join(this.#folder, WORKER)],
      absWorkingDir: this.#folder,
    });
    const text = `export const workerSource = ${JSON.stringify(outputFiles[0].text)};`;
    writeFileSync(join(this.#folder, WORKER_TEXT), text);
    return new Set(Object.keys(metafile.inputs).map((path) => path.replace(/\.js$/, ".ts")));
  }

  /** Puts a mutant in; returns "unchanged" or "invalid" if there is nothing to test. */
  async put({ file, at, from, to }) {
    const { text } = this.#texts.get(file);
    const mutated = text.slice(0, at) + to + text.slice(at + from.length);
    let code;
    try {
      if ((await minified(text)) === (await minified(mutated))) return "unchanged";
      ({ code } = await translate(mutated));
      writeFileSync(this.#pathOf(file), code);
      if (this.isInWorker(file)) await this.#writeWorker();
    } catch {
      return "invalid";
    }
    return undefined;
  }

  async restore({ file }) {
    writeFileSync(this.#pathOf(file), this.#texts.get(file).code);
    if (this.isInWorker(file)) await this.#writeWorker();
  }
}

const isModule = (file) => file.endsWith(".ts") && !file.endsWith(".d.ts");
const options = { loader: "ts", format: "esm", target: "node20" };
const minified = async (text) => (await transform(text, { ...options, minify: true })).code;

async function translate(text) {
  const { code, map } = await transform(text, { ...options, sourcemap: true });
  const named = code
    .replace(/((?:from|import|import\() ?")(\.[^"]*)\.ts"/g, '$1$2.js"')
    .replace(/from "vitest"/g, 'from "#vitest"');
  return { code: named, map: JSON.parse(map) };
}

/** A function from an offset in a TypeScript source to that of the same code in its translation. */
export async function offsetsOf(text) {
  const { code, map } = await translate(text);
  const original = startsOfLines(text);
  const generated = startsOfLines(code);
  const pairs = [...mappingsOf(map)]
    .map((m) => [original[m.originalLine] + m.originalColumn, generated[m.generatedLine] + m.generatedColumn])
    .sort(([a], [b]) => a - b);
  return (at) => {
    let found;
    for (const [from, to] of pairs) {
      if (from > at) break;
      found = to;
    }
    return found ?? 0;
  };
}

const startsOfLines = (text) => [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];

function* mappingsOf(map) {
  const lines = map.mappings.split(";");
  const source = new SourceMap(map);
  for (const [line, segments] of lines.entries()) {
    let column = 0;
    for (const segment of segments.split(",").filter(Boolean)) {
      column += firstNumberOf(segment);
      const entry = source.findEntry(line, column);
      if (entry.originalLine !== undefined) yield { ...entry, generatedLine: line, generatedColumn: column };
    }
  }
}

/** The first number of a segment of a source map, in base 64. */
function firstNumberOf(segment) {
  const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  let value = 0;
  for (const [i, character] of [...segment].entries()) {
    const digit = digits.indexOf(character);
    value |= (digit & 31) << (5 * i);
    if (digit < 32) break;
  }
  return value & 1 ? -(value >> 1) : value >> 1;
}
