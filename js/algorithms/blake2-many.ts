// Hashes many messages in parallel: copies them to slices of the kernel's input area, one slice per lane
// (wasm/blake2/many.h), and reads the digests from the ends of the messages.
import type { HashBatch } from "../engine/algorithm.js";
import type { Kernel, KernelModule } from "../engine/kernel.js";
import { Area, INPUT_SIZE, JOBS, JOBS_SIZE, slots, WORKERS, WORKERS_SIZE } from "../engine/memory.js";
import type { Message } from "../input/bytes.js";
import { utf8 } from "../input/utf8.js";
import { asBytes, copyBytes, copyPiece, viewPart } from "../input/views.js";

type Digest = Uint8Array<ArrayBuffer>;

/** A lane's slice of the input area with the messages in it, and its list of jobs. */
class Lane {
  /** The bytes of the slice in use: whole blocks. */
  used = 0;
  readonly #slice: Uint8Array<ArrayBuffer>;
  readonly #jobs: DataView;
  readonly #block: number;
  /** The maximum of `used` since the last wipe. */
  #written = 0;
  #jobCount = 0;
  /** The index and the offset of each message that ends in the slice, one after the other. */
  readonly #ended: number[] = [];
  /** The index and the remaining bytes of a message that did not fit. */
  #cut = 0;
  #rest: Uint8Array | undefined;
  /** Cached views of digests by their block, all of the same length. */
  readonly #digests: (Digest | undefined)[];

  constructor(slice: Uint8Array<ArrayBuffer>, jobs: DataView, block: number) {
    this.#slice = slice;
    this.#jobs = jobs;
    this.#block = block;
    this.#digests = slots(slice.length / block);
  }

  get isFull(): boolean {
    return this.used >= this.#slice.length;
  }

  /** Copies as much of a message as fits. */
  put(index: number, message: Message, length: number): void {
    const at = this.used;
    const room = this.#slice.length - at;
    if (typeof message === "string") {
      if (3 * length > room) this.#putBytes(index, utf8().encode(message));
      else this.#addJob(index, utf8().encodeInto(message, this.#slice.subarray(at)).written, true);
    } else if (length <= room) {
      copyBytes(this.#slice, at, message, length);
      this.#addJob(index, length, true);
    } else {
      copyPiece(this.#slice, at, message, 0, room);
      this.#cut = index;
      this.#rest = viewPart(message, room, length);
      this.#addJob(index, room, false);
    }
  }

  #putBytes(index: number, bytes: Uint8Array): void {
    this.put(index, asBytes(bytes), bytes.length);
  }

  #addJob(index: number, length: number, ends: boolean): void {
    this.#writeJob(length, ends);
    this.#jobCount++;
    if (ends) this.#ended.push(index, this.used);
    // The block length is a power of 2. An empty message takes one block too.
    this.used += ((length || 1) + this.#block - 1) & -this.#block;
  }

  /**
   * Writes the next job: the next `length` bytes of the slice, which start at a whole block. `ends` is whether they end the
   * message. A job of 0 bytes that does not end a message terminates the list, unless that is full.
   */
  #writeJob(length: number, ends: boolean): void {
    const at = 4 * this.#jobCount;
    if (at < this.#jobs.byteLength) this.#jobs.setUint32(at, (ends ? 0x80000000 : 0) + length, true);
  }

  /** Continues the message that did not fit, if any. */
  resume(): void {
    const rest = this.#rest;
    this.#rest = undefined;
    if (rest) this.#putBytes(this.#cut, rest);
  }

  /** Completes the list of jobs and returns their number. */
  close(): number {
    const count = this.#jobCount;
    this.#writeJob(0, false);
    this.#jobCount = 0;
    this.#written = Math.max(this.#written, this.used);
    this.used = 0;
    return count;
  }

  /** Copies the digests, which have overwritten the messages. Copying a cached view is faster than `slice`. */
  takeDigests(digests: Digest[], length: number): void {
    if (this.#digests[0]?.length !== length) this.#digests.fill(undefined);
    for (let i = 0; i < this.#ended.length; i += 2) {
      const at = this.#ended[i + 1] as number;
      const block = at / this.#block;
      this.#digests[block] ??= this.#slice.subarray(at, at + length);
      digests[this.#ended[i] as number] = new Uint8Array(this.#digests[block]);
    }
    this.#ended.length = 0;
  }

  wipe(): void {
    this.#slice.fill(0, 0, this.#written);
    this.#written = 0;
  }
}

/** The lanes of a kernel. */
class Lanes {
  readonly #kernel: Kernel;
  readonly #lanes: readonly Lane[];
  readonly #workers: Area;

  constructor(kernel: Kernel, block: number) {
    const memory = kernel.exports.memory.buffer as ArrayBuffer;
    const count = (kernel.exports.lanes as () => number)();
    const [slice, jobs] = [INPUT_SIZE / count, JOBS_SIZE / count];
    this.#kernel = kernel;
    this.#lanes = Array.from({ length: count }, (_, i) => {
      const input = kernel.input.bytes.subarray(i * slice, (i + 1) * slice);
      return new Lane(input, new DataView(memory, JOBS + i * jobs, jobs), block);
    });
    this.#workers = new Area(memory, WORKERS, WORKERS_SIZE);
  }

  get count(): number {
    return this.#lanes.length;
  }

  /** Hashes messages of any length with the loaded parameters. */
  hash(messages: readonly Message[], units: readonly number[], length: number): Digest[] {
    const digests = slots<Digest>(messages.length) as Digest[];
    let next = 0;
    do {
      for (const lane of this.#lanes) lane.resume();
      for (let lane = this.#leastFull(); !lane.isFull && next < messages.length; lane = this.#leastFull()) {
        lane.put(next, messages[next] as Message, units[next] as number);
        next++;
      }
    } while (this.#run(digests, length));
    this.#workers.wipe(WORKERS_SIZE);
    for (const lane of this.#lanes) lane.wipe();
    return digests;
  }

  /** Returns the lane with the most room, so that the lanes finish together. */
  #leastFull(): Lane {
    let found = this.#lanes[0] as Lane;
    for (const lane of this.#lanes) if (lane.used < found.used) found = lane;
    return found;
  }

  /** Hashes what is in the slices. Returns false if that is nothing. */
  #run(digests: Digest[], length: number): boolean {
    let jobs = 0;
    for (const lane of this.#lanes) jobs += lane.close();
    if (jobs === 0) return false;
    this.#kernel.exports.many?.();
    for (const lane of this.#lanes) lane.takeDigests(digests, length);
    return true;
  }
}

const lanes = /* @__PURE__ */ new WeakMap<Kernel, Lanes>();

function lanesOf(kernel: Kernel, block: number): Lanes {
  const known = lanes.get(kernel);
  if (known) return known;
  const made = new Lanes(kernel, block);
  lanes.set(kernel, made);
  return made;
}

// The overhead of the lanes per message and per call, in blocks, as fitted to measurements: n messages of b blocks in
// total take 690 + 128 n + 42 b ns in the lanes and 73 n + 94 b ns one by one.
const COST_EACH = 1;
const COST_ONCE = 14;

/** Hashes messages in the lanes of a module's kernel, unless that would be slower. */
export function hashBatchIn(module: KernelModule): HashBatch {
  return (_kernel, messages, units, block, parameters) => {
    if (!areLong(units, block)) return undefined;
    try {
      const kernel = module.begin();
      let digests: Digest[] | undefined;
      if (kernel.exports.many && units.length >= lanesOf(kernel, block).count) {
        kernel.load(parameters.bytes, parameters.secret);
        digests = lanesOf(kernel, block).hash(messages, units, parameters.digestLength);
      }
      kernel.end();
      return digests;
    } finally {
      module.finish();
    }
  };
}

/** Whether messages are long enough for lanes to be faster, if there are enough of them. */
function areLong(units: readonly number[], block: number): boolean {
  let blocks = 0;
  for (const length of units) blocks += Math.ceil((length || 1) / block);
  return blocks >= COST_EACH * units.length + COST_ONCE;
}
