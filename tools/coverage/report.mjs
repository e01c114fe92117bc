// The report over everything in build/coverage/raw, in js/'s own lines; lists what nothing has run.
import { readdirSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { mergeProcessCovs } from "@bcoe/v8-coverage";
import { convert } from "ast-v8-to-istanbul";
import istanbul from "istanbul-lib-coverage";
import { parseAst } from "vitest/node";
import { DIST, RAW, readJson } from "./raw.mjs";

// What else there is in dist/ is the same code for other runtimes.
const isCounted = ({ url }) => url.startsWith(`${DIST}/`) && !/\/dist\/(conditional|javascript)/.test(url);

const BATCH = 100;

function countedIn(file) {
  const { result } = readJson(`${RAW}/${file}`) ?? { result: [] };
  return { result: result.filter(isCounted) };
}

// Engines disagree about where the code of a class's fields begins and ends, so each engine's files are merged by themselves.
const ENGINES = { deno: /^coverage-deno/, chromium: /^coverage-chromium/, node: /^coverage-\d/ };

/** What an engine's processes and threads have run, by script; there are thousands of files, too many for memory at once. */
function scriptsOf(engine) {
  const files = readdirSync(RAW).filter((file) => engine.test(file));
  let sum = { result: [] };
  for (let i = 0; i < files.length; i += BATCH) {
    sum = mergeProcessCovs([sum, ...files.slice(i, i + BATCH).map(countedIn)]);
  }
  return sum.result;
}

/** The source map at the end of a script, not that of a worker's text inside it; a script without one has no code. */
function sourceMapOf(code) {
  const [, map] = /^\/\/# sourceMappingURL=data:application\/json[^,]*;base64,([\w+/=]+)/m.exec(code) ?? [];
  return map && JSON.parse(Buffer.from(map, "base64"));
}

/** A script's coverage in js/'s lines, by source. */
async function convertedToSources(coverage) {
  const path = fileURLToPath(coverage.url);
  const code = readFileSync(path, "utf8");
  const sourceMap = sourceMapOf(code);
  if (!sourceMap) return {};
  const ast = parseAst(code, { sourceType: path.endsWith(".cjs") ? "commonjs" : "module" });
  return convert({ ast, code, coverage, sourceMap, wrapperLength: 0 });
}

/** The places in a file that nothing has run; a missing else has the place of its if. */
function uncovered(file) {
  const functions = Object.entries(file.fnMap).filter(([id]) => file.f[id] === 0);
  const branches = Object.entries(file.branchMap).flatMap(([id, { loc, locations }]) =>
    locations.filter((_, i) => file.b[id][i] === 0).map(({ start }) => (start.line === undefined ? loc.start : start)),
  );
  const places = [
    ...file.getUncoveredLines().map((line) => ({ line: Number(line), column: 0, kind: "line" })),
    ...functions.map(([, { loc }]) => ({ ...loc.start, kind: "function" })),
    ...branches.map(({ line, column }) => ({ line, column, kind: "branch" })),
  ].sort((one, other) => one.line - other.line || one.column - other.column);
  return places.map(({ line, column, kind }) => `${relative(".", file.path)}:${line}:${column + 1}: ${kind}`);
}

const percentage = (kind, { covered, total, pct }) => `${kind}: ${covered} of ${total} (${pct} %)`;

export async function report() {
  const map = istanbul.createCoverageMap({});
  for (const coverage of Object.values(ENGINES).flatMap(scriptsOf)) map.merge(await convertedToSources(coverage));
  map.filter((path) => relative(".", path).startsWith("js/"));
  const files = map.files().map((path) => map.fileCoverageFor(path));
  for (const line of files.flatMap(uncovered)) console.log(line);
  const summary = map.getCoverageSummary();
  const kinds = ["lines", "functions", "branches"].map((kind) => percentage(kind, summary[kind]));
  console.log(kinds.join(", "));
}
