// The runtime matrix: the packed tarball, installed as a user installs it, runs the same body in every host.
//
// A run of all hosts is compared with the table in docs/platforms.md, or with --write puts it there.
//
//   node test/runtimes/run.mjs [--write] [--brief] [--cases FILE] [NAME...]
//
//   --brief   only hosts without an emulator, and 1 GiB in the first one alone
//   --cases   also the cases of a file that `npm run random-cases -- --write FILE` has written
//   NAME      only hosts whose name begins so
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import * as main from "../../dist/index.js";
import * as states from "../../dist/states.js";
import { DIGEST } from "./gibibyte.mjs";
import { browsers } from "./hosts/browsers.mjs";
import { emulated } from "./hosts/emulated.mjs";
import { processes } from "./hosts/processes.mjs";
import { workerds } from "./hosts/workerd.mjs";
import { makeProject } from "./install.mjs";
import { makeSuite } from "./suite.mjs";

const here = import.meta.dirname;
const root = resolve(here, "../..");
const { values: options, positionals: wanted } = parseArgs({
  options: {
    write: { type: "boolean", default: false },
    brief: { type: "boolean", default: false },
    cases: { type: "string" },
  },
  allowPositionals: true,
});
const more = options.cases ? JSON.parse(readFileSync(options.cases, "utf8")) : [];

/** A project with the package installed, and the body and suite next to it. */
function makeMatrixProject(folder) {
  const project = join(folder, "project");
  makeProject(project);
  for (const file of ["body.mjs", "gibibyte.mjs", "node-streams.mjs"]) cpSync(join(here, file), join(project, file));
  for (const name of ["overflow.mjs", "overflow"])
    cpSync(join(root, "test/support", name), join(project, name), { recursive: true });
  writeFileSync(join(project, "suite.json.mjs"), `export default ${JSON.stringify(makeSuite(more))};\n`);
  return project;
}

/** What a host saved is restored here. */
function checkStates(saved) {
  for (const { algorithm, state, rest, input, digest } of saved) {
    const message = new Uint8Array(input).map((_, i) => i % 251).subarray(rest);
    const hasher = states.restore(main.algorithms[algorithm], main.fromHex(state));
    if (hasher.update(message).digest("hex") !== digest) throw new Error(`${algorithm}: its state is another here`);
  }
}

/** What a stream of 1 GiB may take, in MiB, above what the runtime has before. */
const MOST = 100;

async function checkGibibyte(host, context) {
  const { result, grown } = await host.gibibyte(context);
  console.log(`${host.name}: 1 GiB through HashStream took ${grown.toFixed(0)} MiB`);
  if (result !== DIGEST) return `expected the digest ${DIGEST}, got ${result}`;
  return grown < MOST ? "ok" : `expected less than ${MOST} MiB, got ${grown}`;
}

async function runHost(host, context) {
  const { name, pinned } = host;
  try {
    const report = await host.run(context);
    if (report.checks.states === "ok") checkStates(report.states);
    if (host.gibibyte && !(options.brief && host !== processes[0]))
      report.checks["1 GiB"] = await checkGibibyte(host, context);
    return { name, pinned, version: host.version(), ...report };
  } catch (error) {
    return { name, pinned, version: "", checks: { host: String(error.message ?? error) } };
  }
}

function threadsOf({ checks, threads }) {
  if (checks.threads !== "ok") return "FAILED";
  return threads || "none";
}

const nameOf = ({ name, backends }) => (backends?.includes("simd128") ? name : `${name}, without SIMD`);

function table(reports) {
  const row = (cells) => `| ${cells.join(" | ")} |`;
  const lines = reports.map((report) => row([nameOf(report), report.version, threadsOf(report)]));
  const head = ["runtime", "version", "workers"];
  return [row(head), row(head.map(() => "---")), ...lines].join("\n");
}

function failures({ name, checks }) {
  return Object.entries(checks).flatMap(([check, result]) => (result === "ok" ? [] : [`${name}: ${check}: ${result}`]));
}

const PAGE = join(root, "docs/platforms.md");
const MARKED = /(<!-- runtimes -->\n).*?(<!-- \/runtimes -->)/s;

function writeTable(text) {
  const page = readFileSync(PAGE, "utf8");
  writeFileSync(
    PAGE,
    page.replace(MARKED, (_, start, end) => `${start}\n${text}\n\n${end}`),
  );
}

/** The table in docs/platforms.md has to be this one, but for the versions of browsers and of the Node that runs this. */
function staleTable(reports) {
  const [told = ""] = MARKED.exec(readFileSync(PAGE, "utf8")) ?? [];
  const lines = told.split("\n").filter((line) => line.startsWith("|"));
  const versions = lines.map((line) => line.split(" | ")[1]);
  // After the head's two lines.
  const fresh = table(reports.map((report, i) => (report.pinned ? report : { ...report, version: versions[i + 2] })));
  if (lines.join("\n") === fresh) return [];
  return ["docs/platforms.md: its table must be the one above; `node test/runtimes/run.mjs --write` writes it"];
}

const folder = mkdtempSync(join(tmpdir(), "blake-simd-runtimes-"));
try {
  const scratch = (name) => mkdtempSync(join(folder, name.replace(/\W+/g, "-")));
  const context = { project: makeMatrixProject(folder), scratch };
  const hosts = [...processes, ...(options.brief ? [] : emulated), ...workerds, ...browsers].filter(
    ({ name }) => wanted.length === 0 || wanted.some((start) => name.startsWith(start)),
  );
  const reports = [];
  for (const host of hosts) reports.push(await runHost(host, context));
  console.log(table(reports));
  const failed = reports.flatMap(failures);
  if (options.write && failed.length === 0) writeTable(table(reports));
  if (wanted.length === 0 && !options.brief) failed.push(...staleTable(reports));
  for (const line of failed) console.error(line);
  if (failed.length > 0) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
