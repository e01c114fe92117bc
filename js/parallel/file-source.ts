// Files, in Node, Deno and Bun. Workers read from the descriptor that is opened here, so that the file is one and the same
// for all of them, whatever happens to its name.
import { builtin } from "./builtin.js";
import { type Fifo, isFifo, openFifo } from "./fifo.js";
import type { Path, Place } from "./messages.js";
import type { Source } from "./source.js";

/** A file by its name. A string alone is a message of its own, as everywhere. */
export interface FilePath {
  /** The file's path: text, the bytes of a name that is no valid text, or a `file:` URL. */
  readonly path: string | Uint8Array | URL;
}

/** An open file, such as `open` of `node:fs/promises` gives. It stays open. */
export interface OpenFile {
  readonly fd: number;
  stat(options: { bigint: true }): Promise<FileStatus>;
  read(target: Uint8Array, at: number, length: number, position: number | null): Promise<{ bytesRead: number }>;
}

interface FileStatus {
  readonly size: bigint;
  readonly dev: bigint;
  readonly ino: bigint;
  isFile(): boolean;
}

// A pipe, a device and a file of /proc have their length where they end: they are read in pieces of so many bytes.
const PIECE = 0x40000;

/** Opens a file by its name; rejects with the system's error, which names it. */
export async function openPath(path: Path | URL): Promise<FileSource | FifoSource> {
  const [fs, url, net] = [builtin("node:fs"), builtin("node:url"), builtin("node:net")];
  if (!fs || !url || !net)
    throw new TypeError("blake3: source must not be a file here: there is no process.getBuiltinModule");
  const name = path instanceof URL ? url.fileURLToPath(path) : path;
  if (await isFifo(fs, name)) return new FifoSource(openFifo(fs, net, name));
  const file = await fs.promises.open(name as string, "r");
  return FileSource.of(file, name, () => file.close());
}

/** A file that is open already. It is read from its beginning, or, where it has no length, from where it stands. */
export function openHandle(file: OpenFile): Promise<FileSource> {
  return FileSource.of(file, undefined, async () => {});
}

/** What has its length where it ends: it is read in pieces, each gone when the next one is asked for. */
export interface Pieces {
  pieces(): AsyncIterable<Uint8Array>;
  /** Ends a reading that may wait without end. */
  stop?(): void;
  close(): Promise<void>;
}

export class FifoSource implements Pieces {
  readonly #fifo: Fifo;

  constructor(fifo: Fifo) {
    this.#fifo = fifo;
  }

  pieces(): AsyncIterable<Uint8Array> {
    return this.#fifo;
  }

  stop(): void {
    this.#fifo.destroy();
  }

  async close(): Promise<void> {
    this.stop();
  }
}

export class FileSource implements Source, Pieces {
  readonly length: number;
  readonly inMemory = false;
  /** Whether `length` tells how many bytes there are. */
  readonly sized: boolean;
  readonly close: () => Promise<void>;
  readonly #file: OpenFile;
  readonly #descriptor: number;
  readonly #path: Path | undefined;
  readonly #identity: string;

  static async of(file: OpenFile, path: Path | undefined, close: () => Promise<void>): Promise<FileSource> {
    try {
      return new FileSource(file, await file.stat({ bigint: true }), path, close);
    } catch (error) {
      await close();
      throw named(error, path);
    }
  }

  private constructor(file: OpenFile, status: FileStatus, path: Path | undefined, close: () => Promise<void>) {
    this.length = Number(status.size);
    this.sized = status.isFile() && status.size > 0n;
    this.close = close;
    this.#file = file;
    this.#descriptor = file.fd;
    this.#path = path;
    this.#identity = `${status.dev}:${status.ino}`;
  }

  place(at: number): Place | undefined {
    this.requireOpen();
    // In Deno a descriptor is good for the thread that has opened it.
    if (!("Deno" in globalThis)) return { kind: "descriptor", descriptor: this.#file.fd, position: at };
    if (this.#path === undefined) return undefined;
    return { kind: "path", path: this.#path, identity: this.#identity, position: at };
  }

  async bytes(at: number, length: number, room = new Uint8Array(length)): Promise<Uint8Array> {
    const target = room.subarray(0, length);
    try {
      for (let done = 0; done < length; ) {
        const read = await this.#read(target.subarray(done), at + done);
        if (read === 0) throw this.explain(new Error("the file has become shorter while it was hashed"));
        done += read;
      }
      return target;
    } catch (error) {
      target.fill(0);
      throw error;
    }
  }

  /** The bytes from here to the end. */
  async *pieces(): AsyncGenerator<Uint8Array, void, undefined> {
    const target = new Uint8Array(PIECE);
    for (let read = 1; read > 0; ) {
      read = await this.#read(target, null);
      yield target.subarray(0, read);
    }
  }

  async #read(target: Uint8Array, position: number | null): Promise<number> {
    try {
      return (await this.#file.read(target, 0, target.length, position)).bytesRead;
    } catch (error) {
      throw this.explain(error);
    }
  }

  /** @throws Error where the file has been closed; its descriptor may be another file's by then */
  requireOpen(): void {
    if (this.#file.fd !== this.#descriptor) throw closed();
  }

  /** The error of a reading, with the file's name where that is known. */
  explain(error: unknown): unknown {
    return this.#file.fd === this.#descriptor ? named(error, this.#path) : closed();
  }
}

function closed(): Error {
  return new Error("blake3: source must stay open while it is hashed, got a file that has been closed");
}

function named(error: unknown, path: Path | undefined): unknown {
  if (path === undefined || !(error instanceof Error) || "path" in error) return error;
  const text = typeof path === "string" ? path : new TextDecoder().decode(path);
  // As Node does it: what the system says names its file.
  if ("code" in error) error.message += ` '${text}'`;
  return Object.assign(error, { path: text });
}
