// Hashes many messages in parallel: copies them to slices of the kernel's input area, one slice per lane
// (wasm/blake2/many.h), and reads the digests from the ends of the messages.
import type { HashBatch } from "../engine/algorithm.js";
import type { Kernel, Parameters } from "../engine/kernel.js";
import type { KernelModule } from "../engine/kernel-module.js";
import { Area, INPUT_SIZE, JOBS, JOBS_SIZE, WORKERS, WORKERS_SIZE } from "../engine/memory.js";
import { encoder, type Message } from "../input/bytes.js";
import { asBytes, copyBytes, copyPiece, viewPart } from "../input/views.js";

// The smallest block length in bytes. Digests are at multiples of it.
const SMALLEST_BLOCK = 64;

/** The exports of a kernel that hash messages in its lanes. */
class LaneKernel {
  readonly lanes: number;
  /** The part of the input area of each lane. */
  readonly slices: readonly Uint8Array[];
  readonly #kernel: Kernel;
  readonly #jobs: Area;
  readonly #workers: Area;
  /** Cached views of digests in the input area, all of the same length. */
  readonly #places: (Uint8Array<ArrayBuffer> | undefined)[] = [];
  #placeLength = 0;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
    this.lanes = (kernel.exports.lanes as () => number)();
    const size = INPUT_SIZE / this.lanes;
    this.slices = Array.from({ length: this.lanes }, (_, i) => kernel.input.bytes.subarray(i * size, (i + 1) * size));
    const memory = kernel.exports.memory.buffer as ArrayBuffer;
    this.#jobs = new Area(memory, JOBS, JOBS_SIZE);
    this.#workers = new Area(memory, WORKERS, WORKERS_SIZE);
  }

  /** Runs the jobs of all lanes. Digests overwrite the messages. */
  run(): void {
    this.#kernel.exports.many?.();
  }

  /** Returns a copy of the digest at an offset in the input area. Copying a cached view is faster than `slice`. */
  digestAt(place: number, length: number): Uint8Array<ArrayBuffer> {
    if (length !== this.#placeLength) this.#places.fill(undefined);
    this.#placeLength = length;
    const index = place / SMALLEST_BLOCK;
    this.#places[index] ??= this.#kernel.input.bytes.subarray(place, place + length);
    return new Uint8Array(this.#places[index]);
  }

  /**
   * Writes a job to a lane's list: the next `length` bytes of the lane's slice, starting at a whole block. `ends` is
   * whether they end the message. A job of 0 bytes that does not end a message terminates the list.
   */
  setJob(lane: number, job: number, length: number, ends: boolean): void {
    const size = JOBS_SIZE / this.lanes;
    const at = lane * size + 4 * job;
    if (4 * job < size) this.#jobs.view.setUint32(at, (ends ? 0x80000000 : 0) + length, true);
  }

  /** Zeroes the states of messages in progress. */
  wipe(): void {
    this.#workers.wipe(WORKERS_SIZE);
  }
}

const laneKernels = /* @__PURE__ */ new WeakMap<Kernel, LaneKernel>();

function laneKernelOf(kernel: Kernel): LaneKernel {
  const known = laneKernels.get(kernel);
  if (known) return known;
  const made = new LaneKernel(kernel);
  laneKernels.set(kernel, made);
  return made;
}

/** The slices of the input area, and the messages in them. Places are offsets in the input area. */
class Slices {
  readonly #kernel: LaneKernel;
  readonly #block: number;
  readonly #size: number;
  /** For each slice: the bytes in use, the maximum so far, and the number of jobs. */
  readonly #used: Int32Array;
  readonly #soiled: Int32Array;
  readonly #jobs: Int32Array;
  /** For each slice: the index and the remaining bytes of a message that did not fit. */
  readonly #cut: Int32Array;
  readonly #rest: (Uint8Array | undefined)[];
  /** The messages that end in the current jobs, and the places of their digests. */
  #endings = 0;
  readonly #ended: number[] = [];
  readonly #places: number[] = [];

  constructor(kernel: Kernel, block: number) {
    const laneKernel = laneKernelOf(kernel);
    const zeros = () => new Int32Array(laneKernel.lanes);
    this.#kernel = laneKernel;
    this.#block = block;
    this.#size = INPUT_SIZE / laneKernel.lanes;
    this.#used = zeros();
    this.#soiled = zeros();
    this.#jobs = zeros();
    this.#cut = zeros();
    this.#rest = new Array(laneKernel.lanes).fill(undefined);
  }

  /** Returns the slice with the most room, so that the lanes finish together; -1 if all are full. */
  roomiest(): number {
    const used = this.#used;
    let found = 0;
    for (let slice = 1; slice < used.length; slice++) {
      if ((used[slice] as number) < (used[found] as number)) found = slice;
    }
    return (used[found] as number) < this.#size ? found : -1;
  }

  /** Copies as much of a message as fits to a slice. */
  put(slice: number, index: number, message: Message, length: number): void {
    const target = this.#kernel.slices[slice] as Uint8Array;
    const at = this.#used[slice] as number;
    const room = this.#size - at;
    if (typeof message === "string") {
      if (3 * length > room) this.#putBytes(slice, index, encoder.encode(message));
      else this.#place(slice, index, encoder.encodeInto(message, target.subarray(at)).written, true);
    } else if (length <= room) {
      copyBytes(target, at, message, length);
      this.#place(slice, index, length, true);
    } else {
      copyPiece(target, at, message, 0, room);
      this.#rest[slice] = viewPart(message, room, length);
      this.#place(slice, index, room, false);
    }
  }

  #putBytes(slice: number, index: number, bytes: Uint8Array): void {
    this.put(slice, index, asBytes(bytes), bytes.length);
  }

  #place(slice: number, index: number, length: number, ends: boolean): void {
    const job = this.#jobs[slice] as number;
    this.#kernel.setJob(slice, job, length, ends);
    this.#jobs[slice] = job + 1;
    if (ends) {
      this.#ended[this.#endings] = index;
      this.#places[this.#endings++] = slice * this.#size + (this.#used[slice] as number);
    } else {
      this.#cut[slice] = index;
    }
    // The block length is a power of 2. An empty message takes one block too.
    const block = this.#block;
    this.#used[slice] = (this.#used[slice] as number) + (((length || 1) + block - 1) & -block);
  }

  /** Continues the messages that did not fit. */
  resume(): void {
    for (let slice = 0; slice < this.#rest.length; slice++) {
      const rest = this.#rest[slice];
      this.#rest[slice] = undefined;
      if (rest) this.#putBytes(slice, this.#cut[slice] as number, rest);
    }
  }

  /** Hashes the contents of the slices, stores the digests and empties the slices. Returns false if they were empty. */
  hash(digests: Uint8Array<ArrayBuffer>[], length: number): boolean {
    const kernel = this.#kernel;
    let jobs = 0;
    for (let slice = 0; slice < this.#jobs.length; slice++) {
      const count = this.#jobs[slice] as number;
      kernel.setJob(slice, count, 0, false);
      jobs += count;
      this.#jobs[slice] = 0;
      this.#soiled[slice] = Math.max(this.#soiled[slice] as number, this.#used[slice] as number);
      this.#used[slice] = 0;
    }
    if (jobs === 0) return false;
    kernel.run();
    for (let i = 0; i < this.#endings; i++) {
      digests[this.#ended[i] as number] = kernel.digestAt(this.#places[i] as number, length);
    }
    this.#endings = 0;
    return true;
  }

  wipe(): void {
    this.#kernel.wipe();
    for (let slice = 0; slice < this.#used.length; slice++) {
      const end = Math.max(this.#soiled[slice] as number, this.#used[slice] as number);
      this.#kernel.slices[slice]?.fill(0, 0, end);
    }
  }
}

// The overhead of the lanes per message and per call, in blocks, as fitted to measurements: n messages of b blocks in
// total take 690 + 128 n + 42 b ns in the lanes and 73 n + 94 b ns one by one.
const COST_EACH = 1;
const COST_ONCE = 14;

/** Hashes messages in the lanes of a module's kernel, unless that would be slower. */
export function hashBatchIn(module: KernelModule): HashBatch {
  return (_kernel, messages, units, block, parameters) => {
    try {
      const kernel = module.begin();
      const faster = isFaster(kernel, messages, units, block);
      const digests = faster ? hashSideBySide(kernel, messages, units, block, parameters) : undefined;
      kernel.end();
      return digests;
    } finally {
      module.finish();
    }
  };
}

/** Whether there are enough messages, and long enough ones, for lanes to be faster. */
function isFaster(kernel: Kernel, messages: readonly Message[], units: readonly number[], block: number): boolean {
  if (!kernel.exports.many || messages.length < laneKernelOf(kernel).lanes) return false;
  const blocks = units.reduce((sum, length) => sum + Math.ceil((length || 1) / block), 0);
  return blocks >= COST_EACH * messages.length + COST_ONCE;
}

/** Hashes messages of any length. */
function hashSideBySide(
  kernel: Kernel,
  messages: readonly Message[],
  units: readonly number[],
  block: number,
  parameters: Parameters,
): Uint8Array<ArrayBuffer>[] {
  kernel.load(parameters);
  const digests = new Array<Uint8Array<ArrayBuffer>>(messages.length);
  const slices = new Slices(kernel, block);
  let next = 0;
  do {
    slices.resume();
    for (let slice = slices.roomiest(); slice >= 0 && next < messages.length; slice = slices.roomiest()) {
      const index = next++;
      slices.put(slice, index, messages[index] as Message, units[index] as number);
    }
  } while (slices.hash(digests, parameters.digestLength));
  slices.wipe();
  return digests;
}
