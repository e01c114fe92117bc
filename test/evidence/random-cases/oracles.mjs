// What knows the right digests: Rust's blake3, blake2b_simd and blake2s_simd in one program, and @noble/hashes.
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { blake224, blake256, blake384, blake512 } from "@noble/hashes/blake1.js";

const noble = { blake224, blake256, blake384, blake512 };
const root = join(import.meta.dirname, "../../..");
const hex = (value) => Buffer.from(value).toString("hex");

/** Built in a copy, so that nothing is left among the sources. */
function buildRust() {
  const folder = join(root, "build/oracles/rust");
  mkdirSync(folder, { recursive: true });
  cpSync(join(root, "test/vectors/generate/oracles/rust"), folder, { recursive: true });
  execFileSync("cargo", ["build", "--quiet", "--release"], { cwd: folder, stdio: ["ignore", "inherit", "inherit"] });
  return join(folder, "target/release/oracle");
}

/** A case as a line of the Rust program. */
function requestOf({ name, options, message, isCounting }) {
  const fields = isCounting ? { input: message.length } : { message: hex(message) };
  for (const [option, value] of Object.entries(options)) {
    fields[option] = typeof value === "boolean" ? Number(value) : typeof value === "number" ? value : hex(value);
  }
  if (name.startsWith("blake2x")) fields.total = options.length;
  return `${[name, ...Object.entries(fields).map(([field, value]) => `${field}=${value}`)].join(" ")}\n`;
}

export class Oracles {
  #program = spawn(buildRust(), { stdio: ["pipe", "pipe", "inherit"] });
  #lines = createInterface({ input: this.#program.stdout })[Symbol.asyncIterator]();

  /** The digest of a case. */
  async digestOf(given) {
    if (given.name in noble) return Buffer.from(noble[given.name](given.message, given.options));
    this.#program.stdin.write(requestOf(given));
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`the Rust program has no digest of case ${given.number}`);
    return Buffer.from(value, "hex");
  }

  end() {
    this.#program.stdin.end();
  }
}
