// The programs that know the right digests: they reply to requests line by line, as rust/src/main.rs says.
import { execFileSync, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL(".", import.meta.url));
const out = fileURLToPath(new URL("../../build/oracles/", import.meta.url));
const build = (tool, args, language) => execFileSync(tool, args, { cwd: folder + language, stdio: ["ignore", 2, 2] });

/** Builds the Rust program with features of the crate; returns its path. */
export function buildRust(features = "") {
  const target = `${out}${features || "rust"}`;
  build("cargo", ["build", "--quiet", "--release", "--locked", "--target-dir", target, "--features", features], "rust");
  return `${target}/release/oracle`;
}

function textOf(value) {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  return typeof value === "boolean" ? Number(value) : value;
}

/** One request: an operation and its fields. */
export function lineOf(operation, fields) {
  const entries = Object.entries(fields).map(([name, value]) => `${name}=${textOf(value)}`);
  return `${[operation, ...entries].join(" ")}\n`;
}

/** A program that runs. */
export class Oracle {
  #program;
  #lines;

  constructor(path = buildRust()) {
    this.#program = spawn(path, { stdio: ["pipe", "pipe", "inherit"] });
    this.#lines = createInterface({ input: this.#program.stdout })[Symbol.asyncIterator]();
  }

  async reply(operation, fields) {
    this.#program.stdin.write(lineOf(operation, fields));
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`no reply to ${operation}`);
    return value;
  }

  /** Its bytes, and whether they are all that there should be. */
  async ask(operation, fields) {
    const [hex, failed] = (await this.reply(operation, fields)).split(" ").reverse();
    return { done: !failed, bytes: Buffer.from(hex, "hex") };
  }

  end() {
    this.#program.stdin.end();
  }
}
