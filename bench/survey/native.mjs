// The programs of test/oracles as native rivals: run on the same cases, reported in the same rows.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import process from "node:process";
import { buildRust, lineOf } from "../../test/oracles/program.mjs";
import { modes, pattern } from "../cases/cases.mjs";
import { root, say } from "./prepare.mjs";

/** Each program: how it is built, and the path of the result. */
const programs = [
  { name: "Rust", tool: "cargo", build: () => buildRust() },
  { name: "Rust, blake3 kept to SSE4.1", tool: "cargo", build: () => buildRust("sse41") },
];

/** Builds what the machine can build, nothing on Windows; returns the programs' paths. */
export function buildNative() {
  if (process.platform === "win32") return [];
  say("bench: building the native programs into build/oracles");
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
export function runNative(paths, { algorithm, cases, rounds, time: milliseconds }) {
  const sizes = cases.filter(({ mode }) => mode === "hash").map(({ size }) => size);
  if (sizes.length === 0) return [];
  const input = lineOf("time", { algorithm, sizes, rounds, milliseconds });
  return paths.flatMap((path) => JSON.parse(execFileSync(path, { input, stdio: ["pipe", "pipe", 2] })));
}

/** The programs' rows as the survey has them; their digests are judged by the oracle. */
export async function toRows(measured) {
  const { equal, expectedDigest } = await import("../cases/oracle.mjs");
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
  const rust = readFileSync(`${root}test/oracles/rust/Cargo.toml`, "utf8").matchAll(/^(\w+) = "=(.+)"$/gm);
  return Object.fromEntries([...rust].map(([, name, version]) => [name, version]));
}
