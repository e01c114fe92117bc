// A window of files that all threads hash: each takes the next one that no other has taken.
import { types } from "node:util";
import { isStandardInput, type Observer } from "../files/read.js";
import { FileError } from "../system/errors.js";
import { FileDigests, type Outcome, poolSizeOf, type Recipe } from "./computation.js";

/** A file to hash, if there is a recipe for it. */
export interface FileToHash {
  readonly name: string;
  readonly recipe?: Recipe | undefined;
}

/** A window as it is sent to workers. */
interface Content {
  readonly names: readonly string[];
  /** How each file is hashed; undefined if the calling thread has to say what becomes of it. */
  readonly recipes: readonly (Recipe | undefined)[];
  /** Bytes in the longest digest. */
  readonly place: number;
  /** The bytes that workers have read, the index of the next file, the state of each file, and then the digests. */
  readonly memory: SharedArrayBuffer;
}

// The state of a file is one of these, or a negative system error number.
/** The outcome is not known. */
const OPEN = 0;
const HASHED = 1;
/** The calling thread has to hash the file when its turn comes. */
const LEFT = 2;

/** How long the calling thread waits for a file before it lets events have their turn. */
const WAIT_MS = 10;

export class SharedWindow {
  readonly content: Content;
  readonly #read: BigInt64Array;
  readonly #next: Int32Array;
  readonly #states: Int32Array;
  readonly #digests: Uint8Array;
  #reported = 0n;

  constructor(content: Content) {
    const { names, memory } = content;
    this.content = content;
    this.#read = new BigInt64Array(memory, 0, 1);
    this.#next = new Int32Array(memory, 8, 1);
    this.#states = new Int32Array(memory, 12, names.length);
    this.#digests = new Uint8Array(memory, 12 + names.length * 4);
  }

  static of(files: readonly FileToHash[]): SharedWindow {
    const place = files.reduce((most, { recipe }) => Math.max(most, recipe?.length ?? 0), 0);
    return new SharedWindow({
      names: files.map(({ name }) => name),
      recipes: files.map(({ name, recipe }) => (isStandardInput(name) ? undefined : recipe)),
      place,
      memory: new SharedArrayBuffer(12 + files.length * (4 + place)),
    });
  }

  /** Hashes the next file that no thread has taken; returns false if there is none. */
  hashNext(digests: FileDigests): boolean {
    const i = Atomics.add(this.#next, 0, 1);
    const { names, recipes, place } = this.content;
    if (i >= names.length) return false;
    const recipe = recipes[i];
    const outcome = recipe && digests.digest(names[i] as string, recipe);
    if (types.isUint8Array(outcome)) this.#digests.set(outcome, i * place);
    Atomics.store(this.#states, i, stateOf(outcome));
    Atomics.notify(this.#states, i);
    return true;
  }

  isOpen(i: number): boolean {
    return Atomics.load(this.#states, i) === OPEN;
  }

  /** Waits for a while until the outcome of a file is known. */
  wait(i: number): void {
    Atomics.wait(this.#states, i, OPEN, WAIT_MS);
  }

  /** Returns undefined for a file that is open, or left to the calling thread. */
  outcome(i: number): Outcome | undefined {
    const state = Atomics.load(this.#states, i);
    if (state === OPEN || state === LEFT) return undefined;
    if (state !== HASHED) return new FileError(state);
    const { recipes, place } = this.content;
    return this.#digests.slice(i * place, i * place + (recipes[i] as Recipe).length);
  }

  /** Counts bytes that a worker has read. */
  addBytes(count: number): void {
    Atomics.add(this.#read, 0, BigInt(count));
  }

  /** Tells an observer how many bytes workers have read since the last time. */
  report(observer: Observer): void {
    const read = Atomics.load(this.#read, 0);
    if (read === this.#reported) return;
    const count = Number(read - this.#reported);
    this.#reported = read;
    observer.onBytes(count);
  }

  /** Ends the window: no thread takes another file. */
  end(): void {
    Atomics.store(this.#next, 0, this.content.names.length);
  }
}

/** An error without a number, or one that may pass, is the calling thread's. */
function stateOf(outcome: Outcome | undefined): number {
  if (types.isUint8Array(outcome)) return HASHED;
  const { errno, code } = (outcome ?? {}) as NodeJS.ErrnoException;
  // Workers that are about to start have files open, of which the process may have too many for a moment.
  return errno === undefined || code === "EMFILE" ? LEFT : errno;
}

/** Hashes files of a window in a worker, which calls this. */
export function perform(content: Content): void {
  const window = new SharedWindow(content);
  const observer: Observer = { onLong() {}, onBytes: (count) => window.addBytes(count), onFile() {} };
  const digests = new FileDigests(observer, poolSizeOf);
  while (window.hashNext(digests)) {}
}
