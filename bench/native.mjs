// The native programs of bench/native: built into build/native, run on the same cases, reported in the same rows.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import process from "node:process";
import { modes, pattern } from "./cases.mjs";
import { root, run, say } from "./prepare.mjs";

const sources = `${root}bench/native/`;
const out = `${root}build/native/`;

/** Each program: how it is built, and the path of the result. */
const programs = [
  { name: "Rust", tool: "cargo", build: () => buildRust("best") },
  { name: "Rust, blake3 kept to SSE4.1", tool: "cargo", build: () => buildRust("sse41", "--features", "sse41") },
  { name: "Go", tool: "go", build: buildGo },
];

/** A copy is built, so that Cargo.lock stays out of the source tree. */
function buildRust(name, ...options) {
  cpSync(`${sources}rust`, `${out}rust`, { recursive: true, preserveTimestamps: true });
  run("cargo", ["build", "--release", "--quiet", "--target-dir", `${out}target-${name}`, ...options], {
    cwd: `${out}rust`,
  });
  return `${out}target-${name}/release/blake-bench-native`;
}

function buildGo() {
  const program = `${out}go-rivals`;
  run("go", ["build", "-o", `${program}.new`, "."], { cwd: `${sources}go` });
  renameSync(`${program}.new`, program);
  return program;
}

/** Builds what the machine can build, nothing on Windows; returns the programs' paths. */
export function buildNative() {
  if (process.platform === "win32") return [];
  mkdirSync(out, { recursive: true });
  say("bench: building the native programs into build/native");
  return programs.flatMap(({ name, tool, build }) => {
    try {
      return [build()];
    } catch {
      say(`bench: ${name}: could not be built (needs ${tool}); going on without it`);
      return [];
    }
  });
}

/** Runs the programs on the cases of one algorithm; they have only the plain hash of one message. */
export function runNative(paths, { algorithm, cases, rounds, time }) {
  const sizes = cases.filter(({ mode }) => mode === "hash").map(({ size }) => size);
  if (sizes.length === 0) return [];
  const args = [algorithm, sizes.join(","), String(rounds), String(time)];
  return paths.flatMap((path) => JSON.parse(execFileSync(path, args, { stdio: ["ignore", "pipe", 2] })));
}

/** The programs' rows as the survey has them; their digests are judged by the oracle. */
export async function toRows(measured) {
  const { equal, expectedDigest } = await import("./oracle.mjs");
  const judge = ({ algorithm, size, digest }) => {
    const expected = expectedDigest({ algorithm, mode: "hash" }, pattern(size));
    return equal(Buffer.from(digest, "hex"), expected) ? "right" : "WRONG";
  };
  return measured.map((row) => ({
    ...row,
    kind: "native",
    mode: "hash",
    bytes: modes.hash.bytes(row.size),
    digest: judge(row),
  }));
}

/** The versions that the manifests pin. */
export function nativeVersions() {
  const rust = readFileSync(`${sources}rust/Cargo.toml`, "utf8").matchAll(/^(\w+) = "=(.+)"$/gm);
  const go = readFileSync(`${sources}go/go.mod`, "utf8").matchAll(/^\t(\S+) v(\S+)$/gm);
  return Object.fromEntries([...rust, ...go].map(([, name, version]) => [name, version]));
}
