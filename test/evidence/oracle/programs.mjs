// The other implementations: Rust's blake3, blake2b_simd and blake2s_simd; Python's hashlib; dcrd's blake256 and
// golang.org/x/crypto in Go; @noble/hashes.
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { blake384, blake512 } from "@noble/hashes/blake1.js";

const root = join(import.meta.dirname, "../../..");
const work = join(root, "build/oracles");
const noble = { blake384, blake512 };

const knownBy = {
  blake224: ["go"],
  blake256: ["go"],
  blake2b: ["rust", "python"],
  blake2s: ["rust", "python"],
  blake2bp: ["rust"],
  blake2sp: ["rust"],
  blake2xb: ["rust", "go"],
  blake2xs: ["rust", "go"],
  blake3: ["rust"],
};

/** A program that prints a line for each line that it gets. */
class Program {
  #child;
  #lines;

  constructor(command, args) {
    this.#child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  async ask(operation, fields) {
    const words = Object.entries(fields).map(([name, value]) => `${name}=${value}`);
    this.#child.stdin.write(`${[operation, ...words].join(" ")}\n`);
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`no line for ${operation} ${words.join(" ").slice(0, 200)}`);
    return value;
  }

  end() {
    this.#child.stdin.end();
  }
}

/** Built in a copy, so that nothing is left among the sources. */
function sourcesOf(name) {
  mkdirSync(work, { recursive: true });
  cpSync(join(root, "test/vectors/generate/oracles", name), join(work, name), { recursive: true });
  return join(work, name);
}

const starters = {
  rust() {
    const cwd = sourcesOf("rust");
    execFileSync("cargo", ["build", "--quiet", "--release"], { cwd, stdio: "ignore" });
    return new Program(join(cwd, "target/release/oracle"), []);
  },
  python: () => new Program("python3", [join(import.meta.dirname, "python.py")]),
  go() {
    const cwd = sourcesOf("go");
    execFileSync("go", ["build", "-tags", "purego", "-o", "oracle", "."], { cwd, stdio: "ignore" });
    return new Program(join(cwd, "oracle"), []);
  },
};

export class Programs {
  #running = {};

  /** @param required names of those that must start; of others that cannot, a line says so */
  constructor(required) {
    for (const [name, starter] of Object.entries(starters)) {
      try {
        this.#running[name] = starter();
      } catch (error) {
        if (required.includes(name)) throw error;
        console.log(`without ${name}: ${error.message.split("\n")[0]}`);
      }
    }
  }

  /** The digest of a case, about which all that know its algorithm must agree. */
  async digestOf(given) {
    const { name, options, message } = given;
    if (name in noble) return Buffer.from(noble[name](message, options));
    const known = knownBy[name].filter((program) => program in this.#running);
    if (known.length === 0) throw new Error(`none of the programs that run knows ${name}`);
    const fields = fieldsOf(given);
    const digests = await Promise.all(known.map((program) => this.#running[program].ask(name, fields)));
    const other = digests.findIndex((digest) => digest !== digests[0]);
    if (other > 0) throw new Error(`${known[0]} and ${known[other]} disagree on case ${given.number}`);
    return Buffer.from(digests[0], "hex");
  }

  end() {
    for (const program of Object.values(this.#running)) program.end();
  }
}

const hex = (value) => Buffer.from(value).toString("hex");

function fieldsOf({ name, options, message, isCounting }) {
  const fields = isCounting ? { input: message.length } : { message: hex(message) };
  for (const [option, value] of Object.entries(options)) {
    fields[option] = typeof value === "boolean" ? Number(value) : typeof value === "number" ? value : hex(value);
  }
  return name.startsWith("blake2x") ? { ...fields, total: options.length } : fields;
}
