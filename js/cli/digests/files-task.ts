// Files that the threads of a pool hash in batches: the calling thread, and workers, which load the command.
import { types } from "node:util";
import type { Task } from "../../parallel/scheduler.js";
import type { PartJob } from "../../parallel/worker-thread.js";
import { isStandardInput, type Observer } from "../files/read.js";
import { FileError } from "../system/errors.js";
import { FileDigests, type Outcome, PENDING, poolSizeOf, type Recipe } from "./computation.js";

/** A file, and how it is hashed. */
export interface FileToHash {
  readonly name: string;
  /** Undefined if the calling thread has to say what becomes of it. */
  readonly recipe?: Recipe | undefined;
}

/** Files, as they are sent to a worker, too. */
interface Batch {
  readonly names: readonly string[];
  readonly recipes: readonly (Recipe | undefined)[];
}

/** What a thread has made of the first files of a batch. */
interface Hashed {
  /** For each file the length of its digest, a negative system error number, or SKIPPED. */
  readonly states: readonly number[];
  /** The digests, in places of the same length. */
  readonly digests: Uint8Array;
  /** The number of bytes that were read. */
  readonly bytes: number;
}

/** What else a job has. */
const NO_PART = { offset: 0, length: 0, group: 0, parameters: new Uint8Array() };

/** The calling thread has to hash the file when its turn comes. */
const SKIPPED = 0;

/** A batch ends after the file with which it has read this many bytes: the others are then for any thread. */
const MOST_BYTES = 32 * 1024 * 1024;
/** The most files in a batch, whose messages then take less than 1 % of the time. */
const MOST_FILES = 512;
/** The number of files in the first batches, before it is known how large they are. */
const FIRST_FILES = 8;
/** The bytes after which a worker reports progress. */
const REPORTED = 16 * 1024 * 1024;
/** The calling thread yields to the event loop after so many reads, about two milliseconds. */
const READS = 8;

/**
 * Hashes files, at least one. A file is left to the calling thread if its error has no number, or may pass.
 *
 * @param pause is awaited now and then during long files
 */
async function hashBatch({ names, recipes }: Batch, observer: Observer, pause?: () => Promise<void>): Promise<Hashed> {
  let bytes = 0;
  const onBytes = (count: number): void => {
    bytes += count;
    observer.onBytes(count);
  };
  const fileDigests = new FileDigests({ onLong: () => observer.onLong(), onBytes, onFile() {} }, poolSizeOf);
  const place = recipes.reduce((most, recipe) => Math.max(most, recipe?.length ?? 0), 0);
  const digests = new Uint8Array(names.length * place);
  const states: number[] = [];
  try {
    for (const [i, name] of names.entries()) {
      const recipe = recipes[i];
      let outcome = recipe && !isStandardInput(name) ? fileDigests.begin(name, recipe) : undefined;
      for (let reads = 1; outcome === PENDING; reads++) {
        if (pause && reads % READS === 0) await pause();
        outcome = fileDigests.step();
      }
      if (types.isUint8Array(outcome)) digests.set(outcome, i * place);
      states.push(stateOf(outcome));
      if (bytes >= MOST_BYTES) break;
    }
  } finally {
    fileDigests.cancel();
  }
  return { states, digests: digests.slice(0, states.length * place), bytes };
}

function stateOf(outcome: Outcome | undefined): number {
  if (types.isUint8Array(outcome)) return outcome.length;
  const { errno, code } = (outcome ?? {}) as NodeJS.ErrnoException;
  // Workers that are about to start have files open, of which the process may have too many for a moment.
  return errno === undefined || code === "EMFILE" ? SKIPPED : errno;
}

/** Hashes a batch in a worker, which calls this. */
export function perform(batch: Batch, report: (bytes: number) => void): Promise<Hashed> {
  let unreported = 0;
  const onBytes = (count: number): void => {
    unreported += count;
    if (unreported < REPORTED) return;
    report(unreported);
    unreported = 0;
  };
  return hashBatch(batch, { onBytes, onLong() {}, onFile() {} });
}

/** The files with the indices from `from` to `to`. */
interface Range {
  readonly from: number;
  readonly to: number;
  /** The bytes that its worker has reported. */
  reported: number;
}

/** Hashes files with all threads of a pool. */
export class FilesTask implements Task {
  readonly count: number;
  readonly bytesInMemory = 0;
  readonly result: Promise<void>;
  readonly #files: readonly FileToHash[];
  readonly #observer: Observer;
  readonly #threads: number;
  /** What is known of each file: what was made of its batch, and where that begins. */
  readonly #known: (readonly [hashed: Hashed, from: number])[];
  readonly #begun: Range[] = [];
  /** What batches have left, or lost. */
  readonly #returned: Range[] = [];
  #next = 0;
  #missing: number;
  /** The number of files in the next batch, if there are enough. */
  #size = FIRST_FILES;
  #isOver = false;
  /** What ends the command. */
  #failure: { readonly error: unknown } | undefined;
  #resolve!: () => void;
  #wake: () => void = () => {};

  constructor(files: readonly FileToHash[], observer: Observer, threads: number) {
    this.#files = files;
    this.count = files.length;
    this.#missing = files.length;
    this.#observer = observer;
    this.#threads = threads;
    this.#known = new Array(files.length);
    this.result = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get waiting(): boolean {
    return !this.#isOver && (this.#returned.length > 0 || this.#next < this.count);
  }

  begin(): number {
    const { from, to } = this.#returned.pop() ?? this.#nextRange();
    this.#next = Math.max(this.#next, to);
    return this.#begun.push({ from, to, reported: 0 }) - 1;
  }

  /** Smaller ones towards the end, so that all threads end at about the same time, but not single short files. */
  #nextRange(): Omit<Range, "reported"> {
    const from = this.#next;
    const rest = this.count - from;
    const share = Math.ceil(Math.max(rest / (2 * this.#threads), this.#size / 64));
    return { from, to: from + Math.min(this.#size, share, rest) };
  }

  #batchOf({ from, to }: Range): Batch {
    const files = this.#files.slice(from, to);
    return { names: files.map(({ name }) => name), recipes: files.map(({ recipe }) => recipe) };
  }

  jobOf(number: number): PartJob {
    const range = this.#begun[number] as Range;
    const onProgress = (bytes: number): void => {
      range.reported += bytes;
      this.#addBytes(bytes);
    };
    const source = { kind: "program", path: __filename, input: this.#batchOf(range) } as const;
    return { ...NO_PART, source, onProgress };
  }

  async compute(number: number): Promise<number> {
    const range = this.#begun[number] as Range;
    const pause = async (): Promise<void> => {
      await new Promise(setImmediate);
      if (this.#isOver) throw new Error("the task is over");
    };
    try {
      const hashed = await hashBatch(this.#batchOf(range), this.#observer, pause);
      range.reported = hashed.bytes;
      this.complete(number, hashed);
    } catch (error) {
      this.#end(error);
    }
    // Workers may wait for more.
    return Number.POSITIVE_INFINITY;
  }

  complete(number: number, hashed: Hashed): void {
    const { from, to, reported } = this.#begun[number] as Range;
    const done = hashed.states.length;
    this.#addBytes(hashed.bytes - reported);
    this.#known.fill([hashed, from], from, from + done);
    if (from + done < to) {
      this.#returned.push({ from: from + done, to, reported: 0 });
      this.#size = done;
    } else if (hashed.bytes <= MOST_BYTES / 2) this.#size = Math.min(2 * this.#size, MOST_FILES);
    this.#missing -= done;
    if (this.#missing === 0) this.#resolve();
    this.#wake();
  }

  /** An observer that prints may fail. */
  #addBytes(count: number): void {
    try {
      this.#observer.onBytes(count);
    } catch (error) {
      this.#end(error);
    }
  }

  #end(error: unknown): void {
    if (!this.#isOver) this.#failure = { error };
    this.abort();
  }

  requeue(number: number): void {
    const { from, to, reported } = this.#begun[number] as Range;
    this.#addBytes(-reported);
    this.#returned.push({ from, to, reported: 0 });
  }

  /** The calling thread hashes what is left. */
  fail(): void {
    this.abort();
  }

  abort(): void {
    this.#isOver = true;
    this.#resolve();
    this.#wake();
  }

  /** Returns the outcome of a file, which may be still to come; undefined if it is left to the calling thread. */
  outcome(i: number): Outcome | undefined | Promise<Outcome | undefined> {
    if (this.#failure) throw this.#failure.error;
    const known = this.#known[i];
    if (known) return outcomeIn(known[0], i - known[1]);
    if (this.#isOver) return undefined;
    return new Promise<void>((resolve) => {
      this.#wake = resolve;
    }).then(() => this.outcome(i));
  }
}

function outcomeIn({ states, digests }: Hashed, i: number): Outcome | undefined {
  const state = states[i] as number;
  if (state === SKIPPED) return undefined;
  if (state < 0) return new FileError(state);
  const place = digests.length / states.length;
  return digests.slice(i * place, i * place + state);
}
