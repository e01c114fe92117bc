// Files, in Node, Deno and Bun. Workers read from the descriptor that is opened here, so that they all read the same
// file even if its name is reused.

import { isFifo, openFifo } from "../files/fifo.js";
import { type ReadAsync, readerOf, readFullyAsync, readPieces } from "../files/read.js";
import { builtin } from "../input/builtin.js";
import { wrongKind } from "../input/errors.js";
import { isUrl } from "../input/globals.js";
import { wholeNumber } from "../input/options.js";
import type { Path, Place } from "./messages.js";
import { becameShorter } from "./part-kernel.js";
import { Pieces, type PoolSource } from "./source.js";

type NamedPath = string | Uint8Array | URL;

/** A file, given by its name, in a plain object without other properties: no stream, request or object of a class is a file. */
export interface FilePath {
  /** The file's path: text, bytes (for a name that is not valid UTF-8), or a `file:` URL. */
  readonly path: string | Uint8Array | URL;
  /** Refuses whatever has other properties, and instances of classes. */
  readonly [other: string]: string | Uint8Array | URL;
}

/** An open file, such as a FileHandle from `node:fs/promises`. It stays open. */
export interface OpenFile {
  /** Its descriptor; -1 once it is closed. */
  readonly fd: number;
  /** What the file system knows of the file. */
  stat(options: { bigint: true }): Promise<FileStatus>;
  /** What has it is a stream, whose bytes may be those of a part of the file. */
  readonly pipe?: never;
  /** Reads up to `length` bytes into `target` from the index `at` on, from a position in the file. */
  read(target: Uint8Array, at: number, length: number, position: number | null): Promise<{ bytesRead: number }>;
}

interface FileStatus {
  readonly size: bigint;
  readonly dev: bigint;
  readonly ino: bigint;
  /** The number of blocks that it takes. */
  readonly blocks?: bigint | null;
  isFile(): boolean;
}

const CALL = "Blake3Pool.hash";
const MAX_SIZE = BigInt(Number.MAX_SAFE_INTEGER);

// Pipes, devices and files in /proc do not report their length, so they are read in pieces of this many bytes.
const PIECE = 0x40000;

/** Opens a file by its name; rejects with the system's error, which contains the name. */
export async function openPath(path: NamedPath): Promise<PoolSource | Pieces> {
  const [fs, url, net] = [builtin("node:fs"), builtin("node:url"), builtin("node:net")];
  if (!fs || !url || !net)
    throw new TypeError("Blake3Pool.hash: source must not be a file here: there is no process.getBuiltinModule");
  const name = isUrl(path) ? url.fileURLToPath(path) : path;
  if (await isFifo(fs, name)) {
    const fifo = openFifo(fs, net, name);
    const stop = (): void => fifo.destroy();
    return new Pieces(
      undefined,
      () => fifo,
      async () => stop(),
      stop,
    );
  }
  const file = await fs.promises.open(name as string, "r");
  return FileSource.of(file, name, () => file.close());
}

/** A file that is already open. It is read from its start or, if it has no length, from its current position. */
export function openHandle(file: OpenFile): Promise<PoolSource | Pieces> {
  return FileSource.of(file, undefined, async () => {});
}

class FileSource implements PoolSource {
  readonly length: number;
  readonly inMemory = false;
  readonly close: () => Promise<void>;
  readonly #file: OpenFile;
  readonly #reader: ReadAsync;
  readonly #descriptor: number;
  /** Whether workers can read the file by its descriptor. */
  readonly #isReal: boolean;
  readonly #path: Path | undefined;
  readonly #identity: string;

  static async of(file: OpenFile, path: Path | undefined, close: () => Promise<void>): Promise<PoolSource | Pieces> {
    try {
      const status = await file.stat({ bigint: true });
      const source = new FileSource(file, status, path, close);
      const isSized = status.isFile() && source.length > 0;
      if (isSized && (await source.#isAsLong(status))) return source;
      return new Pieces(undefined, () => readPieces(source.#read, new Uint8Array(PIECE), isSized ? 0 : null), close);
    } catch (error) {
      await close();
      throw named(error, path);
    }
  }

  private constructor(file: OpenFile, status: FileStatus, path: Path | undefined, close: () => Promise<void>) {
    if (typeof (status as Partial<FileStatus> | null)?.isFile !== "function") {
      throw wrongKind(CALL, "stat()", "a file's status", status);
    }
    this.length = Number(wholeNumber(CALL, "size", status.size, MAX_SIZE));
    this.close = close;
    this.#file = file;
    this.#reader = readerOf(CALL, file);
    this.#descriptor = file.fd;
    this.#path = path;
    this.#identity = `${status.dev}:${status.ino}`;
    this.#isReal = path !== undefined || isDescriptorOf(file.fd, status);
  }

  /** Whether there are as many bytes as the size says. A file of a kernel, as in /sys, takes no blocks, and has a size that it need not have. */
  async #isAsLong({ blocks }: FileStatus): Promise<boolean> {
    return blocks === undefined || Number(blocks) > 0 || (await this.#read(new Uint8Array(1), this.length - 1)) === 1;
  }

  place(at: number): Place | undefined {
    this.requireOpen();
    // In Deno, a descriptor is valid only in the thread that opened it.
    if (!this.#isReal) return undefined;
    if (!("Deno" in globalThis)) return { kind: "descriptor", descriptor: this.#descriptor, position: at };
    if (this.#path === undefined) return undefined;
    return { kind: "path", path: this.#path, identity: this.#identity, position: at };
  }

  async bytes(at: number, length: number, room?: Uint8Array): Promise<Uint8Array> {
    // Only the pool's own file may write to the room, which is a view of the workers' memory.
    const target = room && this.#path !== undefined ? room.subarray(0, length) : new Uint8Array(length);
    try {
      const read = await readFullyAsync(this.#read, target, at);
      if (read < length) throw this.explain(becameShorter());
      return target;
    } catch (error) {
      target.fill(0);
      throw error;
    }
  }

  readonly #read = async (target: Uint8Array, position: number | null): Promise<number> => {
    try {
      return await this.#reader(target, position);
    } catch (error) {
      throw this.explain(error);
    }
  };

  /** @throws Error if the file has been closed, since its descriptor may now belong to a different file */
  requireOpen(): void {
    if (this.#file.fd !== this.#descriptor) throw closed();
  }

  /** Returns a read's error, with the file's name if it is known. */
  explain(error: unknown): unknown {
    return this.#file.fd === this.#descriptor ? named(error, this.#path) : closed();
  }
}

/** Whether a handle's descriptor is the system's: a file system that is not the system's numbers its files itself. */
function isDescriptorOf(descriptor: number, { dev, ino }: FileStatus): boolean {
  try {
    const status = builtin("node:fs")?.fstatSync(descriptor, { bigint: true });
    return status?.dev === dev && status.ino === ino;
  } catch {
    return false;
  }
}

function closed(): Error {
  return new Error("Blake3Pool.hash: source must stay open while it is hashed, got a file that has been closed");
}

function named(error: unknown, path: Path | undefined): unknown {
  if (path === undefined || !(error instanceof Error) || "path" in error) return error;
  const text = typeof path === "string" ? path : new TextDecoder().decode(path);
  // As in Node's own system errors, the message contains the path.
  if ("code" in error || error.message.startsWith(CALL)) error.message += ` '${text}'`;
  return Object.assign(error, { path: text });
}
