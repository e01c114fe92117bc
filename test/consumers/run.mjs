// The consumer matrix: the packed tarball, installed as a user installs it, under every bundler, framework, test runner
// and module resolution. What each of them makes has to compute the digests.
//
//   node test/consumers/run.mjs [--brief | NAME...]    --brief: without those that are `nightly`
//                                                      NAME: only consumers whose name begins so
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { blake3 } from "@noble/hashes/blake3.js";
import { makeProject } from "../runtimes/install.mjs";
import { check } from "../support/check.mjs";
import { consumers } from "./consumers.mjs";

const here = import.meta.dirname;
const root = resolve(here, "../..");
// Below this folder, so that a project finds the tools above it and the package next to it.
const build = join(here, "build");
const SHARED = ["hello.mjs", "print.mjs", "post.mjs"];
const PATH = [join(here, "node_modules/.bin"), process.env.PATH].join(delimiter);
const NODE22 = join(root, "test/runtimes/node_modules/node22/bin/node");
const EXPECTED = JSON.stringify({
  blake3: Buffer.from(blake3(Buffer.from("hello"))).toString("hex"),
  blake2b: createHash("blake2b512").update("hello").digest("hex"),
});

function run(cwd, [command, ...args]) {
  const env = { ...process.env, PATH, NO_COLOR: "1", NEXT_TELEMETRY_DISABLED: "1", WRANGLER_SEND_METRICS: "false" };
  const program = command === "node22" ? NODE22 : command;
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, env, encoding: "utf8", timeout: 300_000 });
  const output = `${stdout}${stderr}`;
  if (error || status !== 0) throw new Error(`${[command, ...args].join(" ")}: ${error ?? ""}${output}`);
  if (/blake-simd\/(dist|wasm)/.test(output) && /warn|not supported/i.test(output)) {
    throw new Error(`a warning of the package: ${output}`);
  }
  return stdout;
}

/** A consumer's own copy of its project. */
function copyProject({ name, project, files = {} }) {
  const folder = join(build, name.replace(/\W+/g, "-").toLowerCase());
  mkdirSync(folder);
  if (project) cpSync(join(here, "projects", project), folder, { recursive: true });
  for (const file of SHARED) cpSync(join(here, file), join(folder, file));
  for (const [file, content] of Object.entries(files))
    writeFileSync(join(folder, file), typeof content === "string" ? content : JSON.stringify(content));
  return folder;
}

function requireDigests({ programs = 1, error }, output) {
  const lines = output.split("\n").filter((line) => line.startsWith("{"));
  if (lines.length !== programs) throw new Error(`${programs} lines of JSON expected, got: ${output}`);
  const good = error ? (line) => JSON.parse(line).error?.includes(error) : (line) => line === EXPECTED;
  const bad = lines.find((line) => !good(line));
  if (bad) throw new Error(`expected ${error ?? EXPECTED}, got ${bad}`);
}

function runConsumer(consumer) {
  const folder = copyProject(consumer);
  const outputs = consumer.steps.map((step) => run(folder, typeof step === "string" ? step.split(" ") : step));
  requireDigests(consumer, outputs.at(-1));
}

const brief = process.argv.includes("--brief");
const wanted = process.argv.slice(2).filter((argument) => argument !== "--brief");
const chosen = consumers.filter(
  ({ name, nightly }) => !(brief && nightly) && (wanted.length === 0 || wanted.some((start) => name.startsWith(start))),
);
if (chosen.length === 0) throw new Error(`no consumer's name begins with ${wanted.join(" or ")}`);
try {
  rmSync(build, { recursive: true, force: true });
  makeProject(build);
  for (const consumer of chosen) await check(consumer.name, () => runConsumer(consumer));
} finally {
  rmSync(build, { recursive: true, force: true });
}
