// Bundles the declarations of each entry: tsc writes one file for each module to build/types, of which dist/ gets one
// for each entry, and one that they share, so that a class is the same class whichever entry it comes from.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";

const MODULES = "build/types";
// For projects whose own lib has no Symbol.dispose.
const LIBRARY = '/// <reference lib="esnext.disposable" preserve="true" />\n';
const BYTES = "input/bytes";
// TypeScript before 5.7 has no type argument here: this says the same to it and to later releases.
const portableBytes = (text) => text.replace(/\b(Uint8Array|Buffer)<ArrayBuffer>/g, 'ReturnType<$1Constructor["of"]>');

const { exports } = JSON.parse(readFileSync("package.json", "utf8"));
const entries = Object.values(exports)
  .filter((entry) => entry.types)
  .map((entry) => relative("dist", entry.types).replace(/\.d\.ts$/, ""));

/** Calls what calls return by its short name, which editors then show, and the bases of streams what they stand for. */
function nameTypes(file) {
  const module = join(MODULES, file);
  const text = readFileSync(module, "utf8")
    .replace(/\bLazy(Transform \} from) ".*?"/, '$1 "node:stream"')
    .replace(/\bextends Lazy(?=\w+Stream<|Transform\b)/, "extends ");
  writeFileSync(module, text);
  if (file === `${BYTES}.d.ts` || !text.includes("Uint8Array<ArrayBuffer>")) return;
  const path = relative(dirname(module), join(MODULES, BYTES));
  const imported = `import type { Bytes } from "./${path}.js";\n`;
  const named = text.replaceAll("Uint8Array<ArrayBuffer>", "Bytes");
  writeFileSync(module, /\bimport .*\bBytes\b/.test(text) ? named : imported + named);
}
for (const file of readdirSync(MODULES, { recursive: true })) if (file.endsWith(".d.ts")) nameTypes(file);

/** What an entry exports only as a type: a class that only the package makes objects of has no constructor to offer. */
function typesOf(entry) {
  const [clauses, names] = [/export type \{([^}]*)\}|\btype (\w+)/g, /\w+/g];
  const text = readFileSync(`js/${entry}.ts`, "utf8");
  return new Set([...text.matchAll(clauses)].flatMap(([, list, name]) => list?.match(names) ?? name));
}

const portable = {
  name: "portable",
  renderChunk(code, { name, isEntry }) {
    const types = isEntry ? typesOf(name) : new Set();
    const marked = (item) => (types.has(item.split(" ").at(-1)) ? `type ${item}` : item);
    const text = portableBytes(code).replace(
      /^export \{ (.*?) \}/gm,
      (_, list) => `export { ${list.split(", ").map(marked).join(", ")} }`,
    );
    return /Symbol\.(asyncD|d)ispose/.test(text) ? LIBRARY + text : text;
  },
  // rollup-plugin-dts takes a type from the first entry in the alphabet that exports it; that of Node needs Node's
  // types.
  generateBundle(_, bundle) {
    for (const [file, chunk] of Object.entries(bundle)) {
      if (file !== "node.d.ts") chunk.code = chunk.code.replace("from './node.js'", "from './streams.js'");
      chunk.code = chunk.code.replace(/^(?: {4})+/gm, (indent) => "\t".repeat(indent.length / 4));
    }
  },
};

const isEntry = (module) => entries.some((entry) => module.endsWith(join(MODULES, `${entry}.d.ts`)));

/** Entries from which a module is reached. */
function usersOf(module, graph, seen = new Set()) {
  if (seen.has(module)) return [];
  seen.add(module);
  if (isEntry(module)) return [module];
  return graph.getModuleInfo(module).importers.flatMap((importer) => usersOf(importer, graph, seen));
}

/**
 * Where a module's declarations go: what an algorithm needs, or hazmat and another entry, to one file, which names no
 * type of Node or of the DOM; what other entries share to a file of its own; all else to its entry's.
 */
function chunkOf(module, graph) {
  if (isEntry(module)) return undefined;
  const users = new Set(usersOf(module, graph).map((path) => basename(path, ".d.ts")));
  if ([...users].some((user) => user === "index" || user.startsWith("blake"))) return "shared";
  if (users.size === 1) return undefined;
  return users.has("hazmat") ? "shared" : "sources";
}

const bundle = await rollup({
  input: Object.fromEntries(entries.map((entry) => [entry, join(MODULES, `${entry}.d.ts`)])),
  external: [/^node:/],
  plugins: [dts(), portable],
  onwarn({ message }) {
    // Bases that no project names.
    if (!/ type exports .*: (Disposable|NotIterable)(, NotIterable)?\. /.test(message)) throw new Error(message);
  },
});
await bundle.write({
  dir: "dist",
  entryFileNames: "[name].d.ts",
  chunkFileNames: "[name].d.ts",
  hoistTransitiveImports: false,
  manualChunks: chunkOf,
});
