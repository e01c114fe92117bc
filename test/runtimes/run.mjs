// The runtime matrix: the packed tarball, installed as a user installs it, runs the same body in every host.
//
//   node test/runtimes/run.mjs [--write] [NAME...]    only hosts whose name begins so; --write puts the table into the README
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import * as main from "../../dist/index.js";
import { browsers } from "./hosts/browsers.mjs";
import { processes } from "./hosts/processes.mjs";
import { workerds } from "./hosts/workerd.mjs";
import { makeProject } from "./install.mjs";
import { makeSuite } from "./suite.mjs";

const here = import.meta.dirname;
const root = resolve(here, "../..");
const write = process.argv.includes("--write");
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));

/** A project with the package installed, and the body and suite beside it. */
function makeMatrixProject(folder) {
  const project = join(folder, "project");
  makeProject(project);
  cpSync(join(here, "body.mjs"), join(project, "body.mjs"));
  writeFileSync(join(project, "suite.json.mjs"), `export default ${JSON.stringify(makeSuite())};\n`);
  return project;
}

/** What a host saved is restored here. */
function checkStates(states) {
  for (const { algorithm, state, rest, input, digest } of states) {
    const message = Uint8Array.from({ length: input }, (_, i) => i % 251).subarray(rest);
    const hasher = main.algorithms[algorithm].restore(main.fromHex(state));
    if (hasher.update(message).digest("hex") !== digest) throw new Error(`${algorithm}: its state is another here`);
  }
}

async function runHost(host, context) {
  try {
    const report = await host.run(context);
    if (report.checks.states === "ok") checkStates(report.states);
    return { name: host.name, version: host.version(), ...report };
  } catch (error) {
    return { name: host.name, version: "", checks: { host: String(error.message ?? error) } };
  }
}

const COLUMNS = ["one-shot", "incremental", "streams", "states", "threads"];

function cell({ checks, threads }, column) {
  if (checks[column] !== "ok") return "FAILED";
  return column === "threads" ? `${threads || "on the calling thread"}` : "pass";
}

function table(reports) {
  const row = (cells) => `| ${cells.join(" | ")} |`;
  const lines = reports.map((report) =>
    row([report.name, report.version, report.backends?.join(", "), ...COLUMNS.map((column) => cell(report, column))]),
  );
  const head = ["runtime", "version", "builds", ...COLUMNS];
  return [row(head), row(head.map(() => "---")), ...lines].join("\n");
}

function failures({ name, checks }) {
  return Object.entries(checks).flatMap(([check, result]) => (result === "ok" ? [] : [`${name}: ${check}: ${result}`]));
}

function writeTable(text) {
  const path = join(root, "README.md");
  const marks = /(<!-- runtimes -->\n)[\s\S]*?(\n<!-- \/runtimes -->)/;
  writeFileSync(
    path,
    readFileSync(path, "utf8").replace(marks, (_, start, end) => start + text + end),
  );
}

const folder = mkdtempSync(join(tmpdir(), "blake-simd-runtimes-"));
try {
  const scratch = (name) => mkdtempSync(join(folder, name.replace(/\W+/g, "-")));
  const context = { project: makeMatrixProject(folder), scratch };
  const hosts = [...processes, ...workerds, ...browsers].filter(
    ({ name }) => wanted.length === 0 || wanted.some((start) => name.startsWith(start)),
  );
  const reports = [];
  for (const host of hosts) reports.push(await runHost(host, context));
  console.log(table(reports));
  const failed = reports.flatMap(failures);
  for (const line of failed) console.error(line);
  if (failed.length > 0) process.exitCode = 1;
  else if (write) writeTable(table(reports));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
