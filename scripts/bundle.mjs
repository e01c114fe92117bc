// Bundles dist/ from js/. A cold start takes about as many milliseconds as it reads files, so an import reads few: all
// code that families need without a kernel is one file, and each family adds one. dist/ holds the code that needs no
// kernel, once, and the entries with their kernels; in dist/conditional/ kernels stay files of their own, which
// package.json's `imports` choose by the runtime's condition: modules for runtimes that forbid compiling bytes, and
// those that are faster in Bun.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { build, transformSync } from "esbuild";

const { exports, bin, version } = JSON.parse(readFileSync("package.json", "utf8"));
const FAMILIES = Object.keys(exports)
  .filter((entry) => entry.startsWith("./blake"))
  .map((entry) => source(entry.slice(2)));
// What several entries need without a kernel: families and others, those that read sources, and those of subtrees
// alone. What reads sources uses globals of which bundlers for the edge warn, even if nothing of it is left in a
// bundle.
const SHARED = "shared.js";
const READING = "reading.js";
const TREES = "trees.js";
const OPTIONS = {
  bundle: true,
  format: "esm",
  platform: "neutral",
  target: "es2022",
  write: false,
};

function source(name) {
  return resolve(`js/${name}.ts`);
}

const entriesOf = (files) =>
  files.filter((file) => file?.startsWith("./dist/")).map((file) => source(file.replace(/^\.\/dist\/(.*)\.js$/, "$1")));
const isJavaScript = ([entry]) => /^\.\/javascript(\/|$)/.test(entry);
const library = entriesOf(Object.entries(exports).flatMap((entry) => (isJavaScript(entry) ? [] : [entry[1].default])));

// What runs in a worker becomes text in the module that starts it, so that there is no file to serve or to find.
const workerText = {
  name: "worker text",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/worker-source\.js$/ }, () => ({ path: "worker.ts", namespace: "worker" }));
    onLoad({ filter: /.*/, namespace: "worker" }, async ({ path }) => {
      // Node, Deno and Bun have a `require` there, which esbuild leaves alone in this format.
      const options = { ...OPTIONS, minify: true, format: "cjs" };
      const { outputFiles } = await build({ ...options, entryPoints: [`js/parallel/${path}`] });
      return { contents: `export const workerSource = ${JSON.stringify(outputFiles[0].text)};` };
    });
  },
};

/** The imports of every module of the library: path -> paths. */
async function readImports() {
  const external = ["node:*", "#*"];
  const options = { ...OPTIONS, entryPoints: library, outdir: ".", metafile: true, external, plugins: [workerText] };
  const { inputs } = (await build(options)).metafile;
  return new Map(Object.entries(inputs).map(([path, { imports }]) => [path, imports.map((other) => other.path)]));
}

const imports = await readImports();
const reached = (path) => [path, ...(imports.get(path) ?? []).flatMap(reached)];
const needsKernel = (module) => reached(relative(".", module)).some((path) => path.startsWith("#kernels/"));

const files = new Map();

/** The modules of entries that need no kernel and have no file yet. */
function modulesOf(entries) {
  const isFree = (path) => path.startsWith("js/") && !files.has(resolve(path));
  const within = (path) => [path, ...imports.get(path).flatMap((other) => (isFree(other) ? within(other) : []))];
  const paths = entries.flatMap((entry) => within(relative(".", entry)));
  return [...new Set(paths)].filter((path) => isFree(path) && !needsKernel(path)).map((path) => resolve(path));
}

const fileOf = (entry) => relative("js", entry).replace(/\.ts$/, ".js");
// Entries that are the same in every folder of dist/, and so are in one: the node entry finds the others by `imports`.
const common = library.filter((entry) => !needsKernel(entry) || entry === source("node"));
const commonFiles = new Set(common.map(fileOf));
for (const module of modulesOf(FAMILIES)) files.set(module, SHARED);
for (const entry of library) files.set(entry, fileOf(entry));
// A module that an entry exports as a whole shares the entry's file.
for (const entry of FAMILIES) files.set(resolve("js/algorithms", relative("js", entry)), fileOf(entry));
files.set(source("algorithms/all"), "index.js");
files.set(source("subtrees/subtrees"), "hazmat.js");
// Its class of errors is one for all entries.
files.set(source("streams/expected"), SHARED);

/** Modules that dist/ and dist/conditional/ would both have -> the files whose entries need them. */
const users = new Map();
for (const [root, file] of [...files].filter(([, each]) => each !== SHARED)) {
  for (const module of modulesOf([root])) users.set(module, (users.get(module) ?? new Set()).add(file));
}
for (const [module, [file, ...others]] of users) {
  const isCommon = [file, ...others].map((each) => commonFiles.has(each));
  const both = file === "states.js" || others.includes("states.js") ? SHARED : READING;
  const own = others.length > 0 ? TREES : file.replace(".js", "-shared.js");
  if (isCommon.includes(false)) files.set(module, isCommon.includes(true) ? both : own);
}
const sharedFiles = [...files.values()].filter((file) => !library.map(fileOf).includes(file));
for (const file of sharedFiles) commonFiles.add(file);

// Stands in for a file of dist/, whose path depends on where the import ends up.
const PLACE = "dist:";

/** Leaves imports of `files`, module -> file of dist/, in place. */
const asFiles = {
  name: "files of dist",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.?\// }, ({ path, importer, resolveDir, kind }) => {
      const file = kind !== "entry-point" && files.get(resolve(resolveDir, path.replace(/\.js$/, ".ts")));
      return file && file !== files.get(importer) ? { path: `${PLACE}${file}`, external: true } : undefined;
    });
  },
};

/**
 * Gives classes back their names: esbuild calls a class that refers to itself `_X` or `_X2`, and so would stack traces.
 */
function withClassNames(text) {
  return [...text.matchAll(/\bclass _([A-Z]\w*?)2?\b/g)].reduce(
    (code, [, name]) =>
      code
        .replace(new RegExp(`(?<![.\\w$])_${name}2?\\b`, "g"), name)
        .replace(new RegExp(`var ${name} ?= ?${name};\n?`), ""),
    text,
  );
}

/** The lines without comments, which declarations have. esbuild would take out those that mark pure calls, too. */
function bare(text) {
  const lines = text.split("\n").filter((line) => !/^ *(\/\*\*|\* |\*$|\*\/|\/\/)/.test(line));
  const code = lines.join("\n");
  const [before, after] = [text, code].map((each) => transformSync(each, { minifyWhitespace: true }).code);
  if (before !== after) throw new Error("a line that is no comment looks like one");
  return code;
}

const PURE = "/* @__PURE__ */";

/** The code for people to read, with tabs, which take half the bytes. */
const withTabs = (code) => code.replace(/^ +/gm, (indent) => "\t".repeat(indent.length / 2));

/**
 * Code that dist/ has for people to read, without white space, but with the comments that mark pure calls: two
 * operators stand for each meanwhile.
 */
function withoutSpaces(code) {
  if (code.includes("~-")) throw new Error("the code has the operators that stand for a comment");
  return transformSync(code.replaceAll(PURE, "~-"), { minifyWhitespace: true }).code.replaceAll("~-", PURE);
}

const IMPORT = /^import \{\s*([^}]*?)\s*\} from ("[^"]+");\n/gm;

/** One import of each file, and one name of what it has: esbuild writes others for each module that is there. */
function joinImports(text) {
  const names = new Map();
  for (const [, list, path] of text.matchAll(IMPORT))
    names.set(path, [...(names.get(path) ?? []), ...list.split(/,\s*/)]);
  const again = [];
  const code = text.replace(IMPORT, (_, _list, path) => {
    const all = names.get(path);
    names.delete(path);
    if (!all) return "";
    // A module's own code has no other use of a name that it imports, and so may have it back.
    const isAgain = (name) => / as /.test(name) && all.includes(name.split(" as ")[0]);
    again.push(...all.filter(isAgain).map((name) => name.split(" as ")));
    return `import { ${all.filter((name) => !isAgain(name)).join(", ")} } from ${path};\n`;
  });
  const own = (all, [name, alias]) => all.replace(new RegExp(`(?<![.\\w$])${alias}\\b`, "g"), name);
  return again.reduce(own, code).replace(/(?<=[{,] )(\w+): \1(?=[,\n]| \})/g, "$1");
}

/** @param spaced what becomes of the code's white space */
function write(outputFiles, outdir, spaced) {
  for (const { path, text } of outputFiles) {
    const isCommon = commonFiles.has(relative(outdir, path));
    const place = (_, file) => {
      if (isCommon && file === "index.js") return '"#index"';
      const folder = relative(dirname(path), commonFiles.has(file) ? resolve("dist") : outdir) || ".";
      return `"${folder.startsWith(".") ? folder : `./${folder}`}/${file}"`;
    };
    mkdirSync(dirname(path), { recursive: true });
    const placed = joinImports(bare(text).replace(new RegExp(`"${PLACE}([^"]+)"`, "g"), place));
    writeFileSync(path, withClassNames(spaced(placed)));
  }
}

async function bundle(outdir, options) {
  const { outputFiles } = await build({ ...OPTIONS, outbase: "js", plugins: [asFiles, workerText], ...options });
  write(outputFiles, resolve(outdir), outdir === "dist" ? withTabs : withoutSpaces);
}

/** What needs no kernel. */
async function bundleCommon() {
  for (const file of new Set(sharedFiles)) {
    const modules = [...files.keys()].filter((module) => files.get(module) === file);
    const contents = modules.map((module) => `export * from ${JSON.stringify(module)};\n`).join("");
    await bundle("dist", { stdin: { contents, resolveDir: "." }, outfile: join("dist", file) });
  }
  await bundle("dist", { entryPoints: common, outdir: "dist", external: ["node:*"] });
}

/** The entries that need kernels. Those in `external` stay files of their own. */
async function bundleEntries(outdir, external = []) {
  const entryPoints = library.filter((entry) => !common.includes(entry));
  const split = { splitting: true, chunkNames: "chunks/[hash]" };
  await bundle(outdir, { entryPoints, outdir, ...split, external: ["node:*", ...external] });
}

/** In dist/javascript/, a module of js/javascript/ takes the place of the one with its name in js/. */
const forJavaScript = {
  name: "javascript",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\.?\// }, ({ path, importer, resolveDir, kind }) => {
      const module = relative("js", resolve(resolveDir, path.replace(/\.js$/, ".ts")));
      const replacement = resolve("js/javascript", module);
      return kind !== "entry-point" && replacement !== importer && existsSync(replacement)
        ? { path: replacement, sideEffects: false }
        : undefined;
    });
    // Its kernels have one build, which stands for both.
    onResolve({ filter: /^#kernels\// }, ({ path }) => ({
      path: path.slice(9),
      namespace: "kernel",
      sideEffects: false,
    }));
    onLoad({ filter: /.*/, namespace: "kernel" }, ({ path }) => {
      const file = JSON.stringify(`${PLACE}kernels/${path}.js`);
      return {
        contents: `import { javascript } from ${file};\nexport { javascript as baseline, javascript as simd128 };`,
      };
    });
    onResolve({ filter: new RegExp(`^${PLACE}`) }, ({ path }) => ({ path, external: true, sideEffects: false }));
    onLoad({ filter: /\/js\/.*\.ts$/ }, ({ path }) => ({
      contents: withoutPrivate(readFileSync(path, "utf8")),
      loader: "ts",
    }));
  },
};

/**
 * Private names as plain properties: Hermes has no private ones, and a WeakMap for each would make short messages slow.
 */
function withoutPrivate(code) {
  return code
    .replace(/\.#(\w+)/g, "._$1")
    .replace(/^( +(?:(?:readonly|static|get|set|async|declare) )*\*?)#(?=\w)/gm, "$1_");
}

/** Hermes runs ES2020, but for what React Native's own translation has always taken care of, such as classes. */
const HERMES = { target: "es2020", tsconfigRaw: { compilerOptions: { useDefineForClassFields: false } } };

/** The entries for engines without WebAssembly. */
async function bundleJavaScript() {
  const entryPoints = Object.entries(exports)
    .filter(isJavaScript)
    .map(([, entry]) => source(entry.default.replace(/^\.\/dist\/javascript\/(.*)\.js$/, "$1")));
  const outdir = "dist/javascript";
  const options = {
    ...OPTIONS,
    ...HERMES,
    entryPoints,
    outdir,
    outbase: "js",
    splitting: true,
    chunkNames: "chunks/[hash]",
    minifySyntax: true,
  };
  const { outputFiles } = await build({ ...options, plugins: [forJavaScript] });
  write(outputFiles, resolve(outdir), withoutSpaces);
  await minifyKernels(join(outdir, "kernels"));
}

/** Kernels are text that nobody reads, and more than half of it names and spaces. */
async function minifyKernels(outdir) {
  const names = readdirSync("wasm/dist").flatMap((file) => file.match(/^(.*)\.javascript\.js$/)?.[1] ?? []);
  const entryPoints = Object.fromEntries(names.map((name) => [name, `wasm/dist/${name}.javascript.js`]));
  await build({ ...OPTIONS, ...HERMES, entryPoints, outdir, minify: true, write: true });
}

/** The name of a kernel's file as it is published: one build stands for both if they are the same. */
function publishedFile(path, build) {
  const of = (name) => `${path}.${name}.wasm`;
  const [own, baseline] = [build, "baseline"].map((name) => readFileSync(join("wasm/dist", of(name))));
  return of(own.equals(baseline) ? "baseline" : build);
}

// A command reads kernels from wasm/dist, each at its first use: the name of its file stands for its text.
const kernelFiles = {
  name: "kernel files",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^#kernels\// }, ({ path }) => ({ path: path.slice(9), namespace: "kernel file" }));
    onLoad({ filter: /.*/, namespace: "kernel file" }, ({ path }) => ({
      contents: ["simd128", "baseline"]
        .map((build) => `export const ${build} = ${JSON.stringify(publishedFile(path, build))};`)
        .join("\n"),
    }));
    onLoad({ filter: /\/js\/engine\/compile\.ts$/ }, ({ path }) => {
      const [before, after, ...more] = readFileSync(path, "utf8").split("export function decode(text");
      if (after === undefined || more.length > 0) throw new Error(`${path} must have one function decode`);
      const decode = `
// Without the code of the system's error, which would be taken for one of the file that is hashed.
export function decode(file) {
  try {
    return readFileSync(join(__dirname, "../../wasm/dist", file));
  } catch (cause) {
    throw new Error(\`blakesum cannot read its own file: \${cause.message}\`);
  }
}`;
      const imports = 'import { readFileSync } from "node:fs";\nimport { join } from "node:path";';
      return { contents: `${imports}${before}${decode}\nfunction decodeText(text${after}`, loader: "ts" };
    });
  },
};

/** Each command in a file of its own, which starts with one read. Its man page lies beside it. */
async function bundleCommands() {
  for (const file of Object.values(bin)) {
    const entry = source(file.replace(/^dist\/(.*)\.cjs$/, "$1"));
    const define = { PACKAGE_VERSION: JSON.stringify(version) };
    const options = {
      entryPoints: [entry],
      outfile: file,
      format: "cjs",
      platform: "node",
      minify: true,
      write: true,
    };
    await build({ ...OPTIONS, ...options, plugins: [kernelFiles, workerText], define });
    chmodSync(file, 0o755);
    const { stdout } = spawnSync(process.execPath, [file, "--man"]);
    writeFileSync(file.replace(/\.cjs$/, ".1"), stdout);
  }
}

/** Folders in which resolvers that know no `exports` look for an entry; each says where its file is. */
function writeFolders() {
  for (const [entry, { types, default: main, "react-native": native }] of Object.entries(exports)) {
    if (!types || entry === ".") continue;
    mkdirSync(entry, { recursive: true });
    const place = (file) => file && relative(entry, file);
    const manifest = { main: place(main), types: place(types), "react-native": place(native) };
    writeFileSync(join(entry, "package.json"), JSON.stringify(manifest));
  }
}

/**
 * Fails if an import of dist/ has no export there: of what two shared modules call by one name, neither is exported.
 */
async function checkImports() {
  const entryPoints = library.map((entry) => join("dist", fileOf(entry)));
  await build({ ...OPTIONS, entryPoints, outdir: ".", external: ["node:*", "#*"] });
}

await bundleCommon();
await bundleEntries("dist");
await checkImports();
await bundleEntries("dist/conditional", ["#kernels/*"]);
await bundleJavaScript();
await bundleCommands();
writeFolders();
