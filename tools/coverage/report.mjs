// The report over everything in build/coverage/raw, in js/'s own lines; lists what nothing has run.
import { readFileSync } from "node:fs";
import { CoverageReport } from "monocart-coverage-reports";
import { DIST, RAW } from "./raw.mjs";

const FOLDER = "build/coverage/report";

/** The places of a file's branches, and of its lines, that nothing has run. */
function uncovered({ path, branchMap, b, statementMap, s }) {
  const lines = Object.entries(statementMap).filter(([id]) => s[id] === 0);
  const branches = Object.entries(branchMap).flatMap(([id, { locations }]) =>
    locations.filter((_, i) => b[id][i] === 0),
  );
  const places = [
    ...lines.map(([, { start }]) => ({ ...start, kind: "line" })),
    ...branches.map(({ start }) => ({ ...start, kind: "branch" })),
  ].sort((one, other) => one.line - other.line || one.column - other.column);
  return places.map(({ line, column, kind }) => `${path}:${line}:${column + 1}: ${kind}`);
}

export async function report() {
  const coverage = new CoverageReport({
    outputDir: FOLDER,
    // What else there is in dist/ is the same code for other runtimes.
    entryFilter: ({ url }) => url.startsWith(`${DIST}/`) && !/\/dist\/(conditional|javascript)/.test(url),
    sourceFilter: (path) => path.startsWith("js/"),
    reports: ["console-summary", "json", "json-summary"],
    logging: "error",
  });
  await coverage.addFromDir(RAW);
  await coverage.generate();
  const files = Object.values(JSON.parse(readFileSync(`${FOLDER}/coverage-final.json`, "utf8")));
  for (const line of files.flatMap(uncovered)) console.log(line);
}
