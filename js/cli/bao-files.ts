// Files as `blakesum bao` reads and writes them. Names are byte strings.
import { closeSync, fstatSync, openSync, readSync, statSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fromText, toBytes } from "./byte-strings.js";
import { isStandardInput, standardInput } from "./files.js";
import { printBytes } from "./output.js";
import { codeOf, whenReady, writeAll } from "./system.js";

const STDIN = 0;
const STDOUT = 1;
const CHUNK = 256 * 1024;
const STDIO = "-";
const BIGINT = { bigint: true } as const;

/** An error with the name of the file that it concerns. */
export class FileFailure extends Error {
  readonly file: string;

  constructor(file: string, cause: unknown) {
    super(undefined, { cause });
    this.file = file;
  }
}

/** Runs `work`, whose errors become FileFailures with a file's name. */
function naming<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new FileFailure(file, error);
  }
}

/** A file that is read in order or, if it is a regular file, at any position. */
export class File {
  readonly descriptor: number;
  /** Whether it can be read at any position. */
  readonly isRegular: boolean;

  static open(name: string): File {
    return new File(isStandardInput(name) ? standardInput() : openSync(toBytes(name), "r"));
  }

  constructor(descriptor: number) {
    this.descriptor = descriptor;
    // Standard input may already be past the start of its file.
    this.isRegular = descriptor !== STDIN && fstatSync(descriptor).isFile();
  }

  /** Yields its bytes from the current position, or from `start`, each chunk in a new array. */
  async *chunks(start?: number, end = Number.POSITIVE_INFINITY): AsyncGenerator<Uint8Array, void, undefined> {
    for (let at = start ?? 0; at < end; ) {
      const bytes = this.#read(Math.min(CHUNK, end - at), start === undefined ? null : at);
      if (bytes.length === 0) return;
      at += bytes.length;
      yield bytes;
    }
  }

  /** Reads `length` bytes from `start`, or fewer at the end of the file. */
  part(start: number, length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    for (let at = 0; at < length; ) {
      const read = this.#read(length - at, start + at);
      if (read.length === 0) return bytes.subarray(0, at);
      bytes.set(read, at);
      at += read.length;
    }
    return bytes;
  }

  /** Reads all of its bytes. */
  async bytes(): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    for await (const bytes of this.chunks()) parts.push(bytes);
    return Buffer.concat(parts);
  }

  #read(length: number, position: number | null): Uint8Array {
    const bytes = new Uint8Array(length);
    try {
      return bytes.subarray(
        0,
        whenReady(() => readSync(this.descriptor, bytes, 0, length, position)),
      );
    } catch (error) {
      // Windows reports the end of a pipe or console as an error.
      if (codeOf(error) === "EOF") return bytes.subarray(0, 0);
      throw error;
    }
  }

  close(): void {
    if (this.descriptor !== STDIN) closeSync(this.descriptor);
  }
}

/** Copies a file that can be read only once, and passes the copy to `work`. */
export async function temporaryCopy<T>(file: File, work: (copy: File) => Promise<T>): Promise<T> {
  const folder = fromText(tmpdir());
  const descriptor = naming(folder, openNameless);
  const copy = new File(descriptor);
  try {
    for await (const bytes of file.chunks()) naming(folder, () => writeAll(descriptor, bytes));
    return await work(copy);
  } finally {
    copy.close();
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
export class Sink {
  readonly #name: string;
  #descriptor: number | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  write(bytes: Uint8Array): void {
    if (this.#name === STDIO) printBytes(bytes);
    else naming(this.#name, () => writeAll(this.#open(), bytes));
  }

  /** Creates or empties the file even if nothing was written. */
  end(): void {
    if (this.#name !== STDIO) naming(this.#name, () => this.#open());
  }

  /** A file that exists is emptied only now, so that it survives what fails before there is anything to write. */
  #open(): number {
    this.#descriptor ??= openSync(toBytes(this.#name), "w");
    return this.#descriptor;
  }

  close(): void {
    const descriptor = this.#descriptor;
    if (descriptor !== undefined) naming(this.#name, () => closeSync(descriptor));
  }
}
