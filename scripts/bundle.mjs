// Bundles dist/ from js/. A cold start takes about as many milliseconds as it reads files, so an import reads few: what needs
// no kernel is one file, what each family adds another. In dist/ that file holds the kernel too, in dist/bun/ the kernel that
// is faster there; in dist/edge/, for runtimes that forbid compiling bytes, kernels stay files of their own, which
// package.json's `imports` choose. So a user's bundle has its kernel behind all other code: mixed into it, the kernel's text
// would cost 0.15 kB more, gzipped.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { build } from "esbuild";

const { exports, bin, version } = JSON.parse(readFileSync("package.json", "utf8"));
const FAMILIES = Object.keys(exports)
  .filter((entry) => entry.startsWith("./blake"))
  .map((entry) => source(entry.slice(2)));
const SHARED = "shared.js";
const OPTIONS = { bundle: true, format: "esm", platform: "neutral", target: "es2022", write: false };

function source(name) {
  return resolve(`js/${name}.ts`);
}

const entriesOf = (files) =>
  files.filter((file) => file?.startsWith("./dist/")).map((file) => source(file.replace(/^\.\/dist\/(.*)\.js$/, "$1")));
const library = entriesOf(Object.values(exports).map((entry) => entry.default));

// What runs in a worker becomes text in the module that starts it, so that there is no file to serve or to find.
const workerText = {
  name: "worker text",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/worker-source\.js$/ }, () => ({ path: "worker.ts", namespace: "worker" }));
    onLoad({ filter: /.*/, namespace: "worker" }, async ({ path }) => {
      const options = { ...OPTIONS, minify: true, format: "iife" };
      const { outputFiles } = await build({ ...options, entryPoints: [`js/parallel/${path}`] });
      return { contents: `export const workerSource = ${JSON.stringify(outputFiles[0].text)};` };
    });
  },
};

/** The families' modules that need no kernel. */
async function sharedModules() {
  const external = ["#kernels/*"];
  const { metafile } = await build({ ...OPTIONS, entryPoints: FAMILIES, outdir: ".", metafile: true, external });
  const isKernel = (path) => path.startsWith("#kernels/");
  const needsKernel = (path) =>
    isKernel(path) || metafile.inputs[path].imports.some((other) => needsKernel(other.path));
  return Object.keys(metafile.inputs)
    .filter((path) => !needsKernel(path))
    .map((path) => resolve(path));
}

// Written in the place of a file of dist/, whose path depends on where the import comes to lie.
const PLACE = "dist:";

/** Leaves imports of `files`, module -> file of dist/, in place. */
function asFiles(files) {
  return {
    name: "files of dist",
    setup({ onResolve }) {
      onResolve({ filter: /^\.\.?\// }, ({ path, importer, resolveDir, kind }) => {
        const file = kind !== "entry-point" && files.get(resolve(resolveDir, path.replace(/\.js$/, ".ts")));
        return file && file !== files.get(importer) ? { path: `${PLACE}${file}`, external: true } : undefined;
      });
    },
  };
}

function write(outputFiles, outdir) {
  for (const { path, text } of outputFiles) {
    const here = relative(dirname(path), outdir) || ".";
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text.replaceAll(`"${PLACE}`, `"${here}/`));
  }
}

const shared = await sharedModules();

const fileOf = (entry) => relative("js", entry).replace(/\.ts$/, ".js");
const files = new Map([
  ...shared.map((module) => [module, SHARED]),
  ...library.map((entry) => [entry, fileOf(entry)]),
  // A module that an entry exports as a whole shares the entry's file.
  ...FAMILIES.map((entry) => [resolve("js/algorithms", relative("js", entry)), fileOf(entry)]),
  [source("algorithms/all"), "index.js"],
  [source("subtrees/subtrees"), "hazmat.js"],
]);
const entries = { outbase: "js", splitting: true, chunkNames: "chunks/[hash]", plugins: [asFiles(files), workerText] };

/**
 * @param external kernels that stay files of their own
 * @param conditions by which package.json's `imports` choose the kernels
 */
async function bundleLibrary(outdir, { external = [], conditions = [] } = {}) {
  const contents = shared.map((module) => `export * from ${JSON.stringify(module)};\n`).join("");
  const common = { stdin: { contents, resolveDir: "." }, outfile: join(outdir, SHARED) };
  const others = { ...entries, entryPoints: library, outdir, external: ["node:*", ...external] };
  for (const options of [common, others]) {
    const { outputFiles } = await build({ ...OPTIONS, ...options, conditions });
    write(outputFiles, resolve(outdir));
  }
}

/** Each command in a file of its own, whole: it starts with one read, and runs where few descriptors are left. */
async function bundleCommands() {
  for (const file of Object.values(bin)) {
    const entry = source(file.replace(/^dist\/(.*)\.cjs$/, "$1"));
    const define = { PACKAGE_VERSION: JSON.stringify(version) };
    const options = { entryPoints: [entry], outfile: file, format: "cjs", platform: "node", minify: true, write: true };
    await build({ ...OPTIONS, ...options, plugins: [workerText], define });
    chmodSync(file, 0o755);
  }
}

await bundleLibrary("dist");
await bundleLibrary("dist/bun", { conditions: ["bun"] });
await bundleLibrary("dist/edge", { external: ["#kernels/*"] });
await bundleCommands();
