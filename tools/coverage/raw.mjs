// V8's coverage as Node.js writes it: files of which each has the scripts that a process or a thread has run.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** Absolute, for processes that run in other folders. */
export const RAW = resolve("build/coverage/raw");
export const DIST = pathToFileURL(resolve("dist/")).href;

export function writeRaw(name, scripts) {
  mkdirSync(RAW, { recursive: true });
  writeFileSync(join(RAW, `coverage-${name}.json`), JSON.stringify({ result: scripts }));
}

/** A file's content; undefined if its process was ended while it wrote it. */
export function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
