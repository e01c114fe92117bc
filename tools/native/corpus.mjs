// The inputs that libFuzzer found to reach code of a kernel, kept in corpus/MODULE.txt, one in base64 on each line, so that
// a run in a fresh clone begins with what earlier ones have found.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const fileOf = (module) => join(import.meta.dirname, "corpus", `${module}.txt`);

/** Writes the inputs of a module to a folder, as libFuzzer names them. */
export function unpackCorpus(module, folder) {
  mkdirSync(folder, { recursive: true });
  if (!existsSync(fileOf(module))) return;
  for (const line of readFileSync(fileOf(module), "utf8").split("\n").filter(Boolean)) {
    const input = Buffer.from(line, "base64");
    writeFileSync(join(folder, createHash("sha1").update(input).digest("hex")), input);
  }
}

/** Keeps the inputs in a folder as those of a module. */
export function packCorpus(module, folder) {
  const inputs = readdirSync(folder).map((name) => readFileSync(join(folder, name)));
  const lines = inputs.sort((a, b) => a.length - b.length || a.compare(b)).map((input) => input.toString("base64"));
  mkdirSync(join(import.meta.dirname, "corpus"), { recursive: true });
  writeFileSync(fileOf(module), lines.map((line) => `${line}\n`).join(""));
  return inputs.length;
}
