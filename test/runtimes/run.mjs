// The runtime matrix: the packed tarball, installed as a user installs it, runs the same body in every host, and what
// of it needs no WebAssembly in engines without that.
//
// A run of all hosts is compared with the tables in docs/platforms.md, or with --write puts them there.
//
//   node test/runtimes/run.mjs [--write] [--brief] [--cases FILE] [NAME...]
//
//   --brief   only hosts without an emulator
//   --cases   also the cases of a file that `npm run random-cases -- --write FILE` has written
//   NAME      only hosts whose name begins so
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import * as main from "../../dist/index.js";
import * as states from "../../dist/states.js";
import { browsers } from "./hosts/browsers.mjs";
import { emulated } from "./hosts/emulated.mjs";
import { engines } from "./hosts/engines.mjs";
import { processes } from "./hosts/processes.mjs";
import { workerds } from "./hosts/workerd.mjs";
import { makeProject } from "./install.mjs";
import { restore } from "./project/body.mjs";
import { makeSuite } from "./suite.mjs";

const root = resolve(import.meta.dirname, "../..");
const { values: options, positionals: wanted } = parseArgs({
  options: {
    write: { type: "boolean", default: false },
    brief: { type: "boolean", default: false },
    cases: { type: "string" },
  },
  allowPositionals: true,
});
const more = options.cases ? JSON.parse(readFileSync(options.cases, "utf8")) : [];

/** A project with the package installed, and what hosts run next to it. */
function makeMatrixProject(folder) {
  const project = join(folder, "project");
  makeProject(project);
  cpSync(join(root, "test/runtimes/project"), project, { recursive: true });
  writeFileSync(join(project, "suite.json.mjs"), `export default ${JSON.stringify(makeSuite(more))};\n`);
  return project;
}

async function runHost(host, context) {
  const { name, pinned } = host;
  try {
    const report = await host.run(context);
    // What a host saved is restored here.
    for (const state of report.states ?? []) restore({ main, states }, state);
    return { name, pinned, version: host.version(), ...report };
  } catch (error) {
    return { name, pinned, version: "", checks: { host: String(error.message ?? error) } };
  }
}

function runtimeCells({ name, version, backends, checks, threads }) {
  const workers = checks.threads === "ok" ? threads || "none" : "FAILED";
  return [backends?.includes("simd128") ? name : `${name}, without SIMD`, version, workers];
}

/** By the name of their place in docs/platforms.md. */
const tables = {
  runtimes: {
    head: ["runtime", "version", "workers"],
    hosts: [...processes, ...(options.brief ? [] : emulated), ...workerds, ...browsers],
    cells: runtimeCells,
  },
  engines: {
    head: ["engine", "version"],
    hosts: engines.filter(({ isEmulated }) => !(options.brief && isEmulated)),
    cells: ({ name, version }) => [name, version],
  },
};

function tableOf({ head, cells }, reports) {
  const row = (cells) => `| ${cells.join(" | ")} |`;
  return [row(head), row(head.map(() => "---")), ...reports.map((report) => row(cells(report)))].join("\n");
}

const PAGE = join(root, "docs/platforms.md");

/**
 * The page with a table. Unless it is to be written, versions of browsers and of the Node that runs this are the page's
 * own.
 */
function pageWith(name, table, reports) {
  const page = readFileSync(PAGE, "utf8");
  const marked = new RegExp(`(<!-- ${name} -->\n\n)(.*?)(\n\n<!-- /${name} -->)`, "s");
  const versions = marked
    .exec(page)[2]
    .split("\n")
    .map((line) => line.split(" | ")[1]);
  // After the head's two lines.
  const told = reports.map((report, i) => ({ ...report, version: versions[i + 2] ?? "" }));
  const rows = tableOf(table, options.write ? reports : reports.map((report, i) => (report.pinned ? report : told[i])));
  return page.replace(marked, (_, start, _told, end) => start + rows + end);
}

async function runTable(name, table, context) {
  const isWanted = (host) => wanted.length === 0 || wanted.some((start) => host.name.startsWith(start));
  const reports = [];
  for (const host of table.hosts.filter(isWanted)) reports.push(await runHost(host, context));
  console.log(tableOf(table, reports));
  const failed = reports.flatMap(({ name, checks }) =>
    Object.entries(checks).flatMap(([check, result]) => (result === "ok" ? [] : [`${name}: ${check}: ${result}`])),
  );
  if (wanted.length === 0 && !options.brief && failed.length === 0) {
    const page = pageWith(name, table, reports);
    if (options.write) writeFileSync(PAGE, page);
    else if (page !== readFileSync(PAGE, "utf8")) failed.push(`docs/platforms.md: its table of ${name} is another`);
  }
  for (const line of failed) console.error(line);
  if (failed.length > 0) process.exitCode = 1;
}

const folder = mkdtempSync(join(tmpdir(), "blake-simd-runtimes-"));
try {
  const scratch = (name) => mkdtempSync(join(folder, name.replace(/\W+/g, "-")));
  const context = { project: makeMatrixProject(folder), scratch };
  for (const [name, table] of Object.entries(tables)) await runTable(name, table, context);
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
