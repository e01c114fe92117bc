// Files as `blakesum bao` reads and writes them. Names are byte strings.
import { closeSync, fstatSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fromText, toBytes } from "./byte-strings.js";
import { printBytes } from "./output.js";
import { codeOf, whenReady } from "./system.js";

const STDIN = 0;
const CHUNK = 256 * 1024;
const STDIO = "-";

/** A file that is read in order, and, where it is a regular one, anywhere. */
export class File {
  readonly descriptor: number;
  /** Whether it can be read anywhere in it. */
  readonly isRegular: boolean;

  static open(name: string): File {
    return new File(name === STDIO || name === "/dev/stdin" ? STDIN : openSync(toBytes(name), "r"));
  }

  private constructor(descriptor: number) {
    this.descriptor = descriptor;
    // Standard input may stand anywhere in its file.
    this.isRegular = descriptor !== STDIN && fstatSync(descriptor).isFile();
  }

  /** Its bytes from where it stands, or from `start` on, in arrays of their own. */
  async *chunks(start?: number, end = Number.POSITIVE_INFINITY): AsyncGenerator<Uint8Array, void, undefined> {
    for (let at = start ?? 0; at < end; ) {
      const bytes = this.#read(Math.min(CHUNK, end - at), start === undefined ? null : at);
      if (bytes.length === 0) return;
      at += bytes.length;
      yield bytes;
    }
  }

  /** Exactly as many bytes as that, from a place on, or fewer at the end. */
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

  /** All of its bytes. */
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
      // Windows reports the end of a pipe or console so.
      if (codeOf(error) === "EOF") return bytes.subarray(0, 0);
      throw error;
    }
  }

  close(): void {
    if (this.descriptor !== STDIN) closeSync(this.descriptor);
  }
}

/** Does its work with a copy of what can be read only once. */
export async function temporaryCopy<T>(file: File, work: (copy: File) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "blakesum-"));
  const name = fromText(join(folder, "content"));
  try {
    const sink = Sink.open(name);
    for await (const bytes of file.chunks()) sink.write(bytes);
    sink.close();
    const copy = File.open(name);
    try {
      return await work(copy);
    } finally {
      copy.close();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Where output goes: a file, or standard output. */
export class Sink {
  readonly #descriptor: number | undefined;

  static open(name: string): Sink {
    return new Sink(name === STDIO ? undefined : openSync(toBytes(name), "w"));
  }

  private constructor(descriptor: number | undefined) {
    this.#descriptor = descriptor;
  }

  write(bytes: Uint8Array): void {
    const descriptor = this.#descriptor;
    if (descriptor === undefined) {
      printBytes(bytes);
      return;
    }
    for (let rest = bytes; rest.length > 0; ) {
      const written = whenReady(() => writeSync(descriptor, rest));
      rest = rest.subarray(written);
    }
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
  }
}
