// The sources that are mutated, and the modules and tests that each concerns.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** The files of the project, new ones included, that are there. */
export function filesOf(root, ...folders) {
  const list = ["ls-files", "-co", "--exclude-standard", ...folders];
  const names = execFileSync("git", list, { cwd: root, encoding: "utf8" }).split("\n");
  return names.filter((name) => name && existsSync(join(root, name)));
}

function filesBelow(root, folder, pattern) {
  const names = readdirSync(join(root, folder), { recursive: true });
  return names
    .map((name) => `${folder}/${name}`)
    .filter((name) => pattern.test(name))
    .sort();
}

// The oracle is not ours. What only engines without WebAssembly get is tested in dist/, by test/javascript.
const notMutated = ["wasm/decoder.c", "wasm/pairs.h"];
export const sourcesOfC = (root) =>
  filesBelow(root, "wasm", /^wasm\/(?!oracle|dist).*(?<!-javascript)\.[ch]$/).filter(
    (name) => !notMutated.includes(name),
  );

// The command has tests of its own, over dist/: test/cli.
export const sourcesOfTypeScript = (root) => filesBelow(root, "js", /^js\/(?!cli\/).*(?<!\.d)\.ts$/);

/** Each module of wasm/build.mjs with the sources that are compiled for it. */
export function sourcesOfModules(root) {
  const build = readFileSync(join(root, "wasm/build.mjs"), "utf8");
  const table = build.slice(build.indexOf("const modules = {"), build.indexOf("const builds ="));
  const rows = [...table.matchAll(/^ {2}"?([\w-]+)"?: \{(.*)\},$/gm)];
  return new Map(rows.map(([, name, row]) => [name, sourcesIn(row)]));
}

/** Each module with all files that it includes. */
export function modulesOf(root) {
  return new Map([...sourcesOfModules(root)].map(([name, files]) => [name, closure(root, files)]));
}

function sourcesIn(row) {
  return [...row.matchAll(/"([\w/-]+\.c)"/g)].map(([, file]) => `wasm/${file}`);
}

export function closure(root, files) {
  const seen = new Set();
  const visit = (file) => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const [, name] of readFileSync(join(root, file), "utf8").matchAll(/^ *# *include "(.*)"/gm)) {
      visit(normalize(join(dirname(file), name)));
    }
  };
  files.forEach(visit);
  return seen;
}

const leaks = ["test/engine/leaks-of-secrets.test.ts", "test/engine/saved-states.test.ts"];
const algorithms = ["official-vectors", "keys-and-salts"].map((name) => `test/digests/${name}.test.ts`);

// What is most likely to fail, the quick before the slow; whatever survives is run against the whole suite.
const model = "test/api/whole-api-model.test.ts";
const everyAlgorithm = ["test/digests", "-t", "blake(256|2b|2s|3)$"];
const stagesOfTypeScript = [
  [/^js\/input\//, [[model], ["test/api"]]],
  [/^js\/(states|engine\/saved-)/, [["test/engine/saved-states"], ["test/digests/collector"]]],
  [/^js\/engine\/numbers/, [["test/api/typed-updates.test.ts"]]],
  [/^js\/engine\/xof/, [["test/digests/extendable-output.test.ts", "test/digests/blake2x.test.ts"], ["test/api"]]],
  [/^js\/algorithms\/.*-many/, [["test/digests/many"], leaks]],
  [/^js\/(engine|algorithms)\//, [[model, ...algorithms], ["test/api"], everyAlgorithm, leaks]],
  [
    /^js\/(subtrees|hazmat)/,
    [
      ["test/digests/subtrees.test.ts", "test/digests/collector", "test/digests/group-values.test.ts"],
      ["test/bao", "test/parallel"],
    ],
  ],
  [/^js\/parallel/, [["test/parallel/subtree-kernel.test.ts", "test/parallel/early-ends.test.ts"], ["test/parallel"]]],
  [/^js\/streams/, [["test/streams"]]],
  [/^js\/(node|hmac)/, [["test/node", "test/digests/hmac.test.ts"]]],
  [/^js\/bao/, [["test/bao"]]],
  [/^js\//, [["test/api"]]],
];

/** The tests of a module's algorithms are in a block with the name of each. */
const algorithmsOf = { blake256: "blake2(24|56)", blake512: "blake(384|512)", blake3: "blake3|xof in" };

function stagesOfModule(module) {
  if (module === "blake3-subtrees") {
    return [
      ["test/parallel/last-part.test.ts", "test/parallel/subtree-kernel.test.ts"],
      ["test/parallel", "test/bao"],
    ];
  }
  const named = ["-t", algorithmsOf[module] ?? module.replace("-lanes", "")];
  return [[...algorithms, ...named], ["test/digests/splits.test.ts", "test/digests/many.test.ts", ...named], leaks];
}

/** Lists of arguments for vitest, one after the other; of C, the module that the change was built into. */
export const firstTestsOf = (file, module) =>
  module ? stagesOfModule(module) : stagesOfTypeScript.find(([pattern]) => pattern.test(file))[1];
