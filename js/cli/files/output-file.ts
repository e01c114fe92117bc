// Files as `blakesum bao` writes them. Names are byte strings.
import { closeSync, fstatSync, openSync, statSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fromText, toBytes } from "../system/byte-strings.js";
import { writeAll } from "../system/descriptors.js";
import { FileFailure, runFor } from "../system/errors.js";
import { printBytes } from "../system/output.js";
import { File, isStandardInput } from "./read.js";

const STDIN = 0;
const STDOUT = 1;
const STDIO = "-";
const BIGINT = { bigint: true } as const;

/** Copies a file that can be read only once, and passes the copy to `work`. */
export async function temporaryCopy<T>(file: File, work: (copy: File) => Promise<T>): Promise<T> {
  const folder = fromText(tmpdir());
  const descriptor = runFor(folder, openNameless);
  try {
    for (const bytes of file.chunks()) runFor(folder, () => writeAll(descriptor, bytes));
    return await work(new File(descriptor));
  } finally {
    closeSync(descriptor);
  }
}

/** Opens a temporary file and removes its name at once, so that no signal can leave it behind. */
function openNameless(): number {
  const name = join(tmpdir(), `blakesum-${crypto.randomUUID()}`);
  const descriptor = openSync(name, "wx+", 0o600);
  unlinkSync(name);
  return descriptor;
}

/** @throws FileFailure if an output is the file of an input, which writing would destroy */
export function requireOther(output: string, inputs: readonly string[]): void {
  const same = inputs.find((input) => isSame(input, output));
  if (same !== undefined) throw new FileFailure(same, new Error("input and output are the same file"));
}

/** Compares what the names lead to: links, other spellings, redirections. */
function isSame(input: string, output: string): boolean {
  try {
    const read = isStandardInput(input) ? fstatSync(STDIN, BIGINT) : statSync(toBytes(input), BIGINT);
    const written = output === STDIO ? fstatSync(STDOUT, BIGINT) : statSync(toBytes(output), BIGINT);
    // A terminal or socket may well be both.
    const holdsBytes = read.isFile() || read.isBlockDevice();
    return holdsBytes && read.dev === written.dev && read.ino === written.ino;
  } catch {
    // An output that does not exist yet; reading reports any other error.
    return false;
  }
}

/** An output file, or standard output. Errors are FileFailures with the file's name, or OutputErrors. */
export class OutputFile {
  readonly #name: string;
  #descriptor: number | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  write(bytes: Uint8Array): void {
    if (this.#name === STDIO) printBytes(bytes);
    else runFor(this.#name, () => writeAll(this.#open(), bytes));
  }

  /** Creates or empties the file even if nothing was written. */
  end(): void {
    if (this.#name !== STDIO) runFor(this.#name, () => this.#open());
  }

  /** A file that exists is emptied only now, so that it survives what fails before there is anything to write. */
  #open(): number {
    this.#descriptor ??= openSync(toBytes(this.#name), "w");
    return this.#descriptor;
  }

  close(): void {
    const descriptor = this.#descriptor;
    if (descriptor !== undefined) runFor(this.#name, () => closeSync(descriptor));
  }
}
