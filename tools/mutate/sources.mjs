// The sources that are mutated, and the modules and tests that each concerns.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

function filesBelow(root, folder, pattern) {
  const names = readdirSync(join(root, folder), { recursive: true });
  return names
    .map((name) => `${folder}/${name}`)
    .filter((name) => pattern.test(name))
    .sort();
}

// The oracle is not ours, and the debug build's checks are nothing in the others.
export const sourcesOfC = (root) =>
  filesBelow(root, "wasm", /^wasm\/(?!oracle|dist).*\.[ch]$/).filter((name) => name !== "wasm/decoder.c");

// The command has tests of its own, over dist/: test/cli.
export const sourcesOfTypeScript = (root) => filesBelow(root, "js", /^js\/(?!cli\/).*(?<!\.d)\.ts$/);

/** Each module of wasm/build.mjs with all files that it includes. */
export function modulesOf(root) {
  const build = readFileSync(join(root, "wasm/build.mjs"), "utf8");
  const table = build.slice(build.indexOf("const modules = {"), build.indexOf("const builds ="));
  const rows = [...table.matchAll(/^ {2}"?([\w-]+)"?: \{(.*)\},$/gm)];
  return new Map(rows.map(([, name, row]) => [name, closure(root, sourcesIn(row))]));
}

function sourcesIn(row) {
  const named = [...row.matchAll(/"([\w/-]+\.c)"/g)].map(([, file]) => `wasm/${file}`);
  const shapes = [...row.matchAll(/blake2Shapes\("(\w)"\)/g)].flatMap(([, word]) =>
    ["scalars", "rows"].map((shape) => `wasm/blake2/blake2${word}-${shape}.c`),
  );
  return [...named, ...shapes];
}

function closure(root, files) {
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

const digests = ["official-vectors", "every-length", "splits", "many"].map((name) => `test/digests/${name}.test.ts`);
const leaks = ["test/engine/leaks-of-secrets.test.ts", "test/engine/saved-states.test.ts"];

// What is most likely to fail, and is quick; whatever survives meets the whole suite.
const firstTests = [
  [/^wasm\/blake3\/blake3-subtrees\.c/, ["test/digests/subtrees.test.ts", "test/parallel"]],
  [/^wasm\//, [...digests, ...leaks]],
  [/^js\/input\//, ["test/api"]],
  [/^js\/engine\//, ["test/api", ...digests, ...leaks]],
  [/^js\/algorithms\//, ["test/api", ...digests, ...leaks]],
  [/^js\/(subtrees|hazmat)/, ["test/digests/subtrees.test.ts", "test/parallel/digests.test.ts"]],
  [/^js\/parallel/, ["test/parallel"]],
  [/^js\/streams/, ["test/streams"]],
  [/^js\/(node|hmac)/, ["test/node", "test/digests/hmac.test.ts"]],
  [/^js\/bao/, ["test/bao"]],
  [/^js\//, ["test/api"]],
];

export const firstTestsOf = (file) => firstTests.find(([pattern]) => pattern.test(file))[1];
