// The state of one hasher, in arrays of its own: a kernel's memory has it only during a call.
import type { Message } from "../input/bytes.js";
import { copyBytes, pooledCopy, pooledSecret } from "../input/caller-bytes.js";
import { utf8 } from "../input/utf8.js";
import { type AlgorithmRecord, type Kernel, type Parameters, stateSizeOf } from "./kernel.js";
import { countIn, STATE } from "./memory.js";

/** Short updates are buffered up to this many bytes: of fewer, BLAKE3's lanes would be idle for a part of the time. */
const BUFFER_SIZE = 0x2000;
/** Buffers of up to this many bytes are made fast. A first update that is longer is hashed at once. */
const SHORT = 1024;
/** Between updates, what is hashed is a multiple of this many bytes: four chunks of BLAKE3, one for each lane. */
const GROUP = 4096;
/** The length of the smallest buffer. */
const SMALLEST = 64;

const NONE = /* @__PURE__ */ new Uint8Array(0);

export class HasherState {
  readonly parameters: Parameters;
  /** Whether an exception has ended an update, so that nobody knows how much of it is in the state. */
  interrupted = false;
  readonly #algorithm: AlgorithmRecord;
  /** The kernel's state after all hashed bytes, maybe with zeros at its end; undefined while all are in the buffer. */
  #state: Uint8Array<ArrayBuffer> | undefined;
  /** The message bytes that are not hashed yet, and zeros. */
  #buffer: Uint8Array<ArrayBuffer> = NONE;
  #buffered = 0;

  constructor(algorithm: AlgorithmRecord, parameters: Parameters, state?: Uint8Array<ArrayBuffer>) {
    this.#algorithm = algorithm;
    this.parameters = parameters;
    this.#state = state;
  }

  /** Appends to the message: to the buffer or, if that is full or the update is long, by the kernel. */
  update(message: Message, units: number): void {
    const most = typeof message === "string" ? 3 * units : units;
    const end = this.#buffered + most;
    const isFirst = this.#state === undefined && this.#buffered === 0;
    if (end > BUFFER_SIZE || most > (isFirst ? SHORT : GROUP)) this.#hash(message, units, end, isFirst);
    else this.#append(message, units, end);
  }

  #append(message: Message, units: number, end: number): void {
    if (end > this.#buffer.length) this.#makeRoom(end);
    if (typeof message === "string") {
      const room = this.#buffered > 0 ? this.#buffer.subarray(this.#buffered) : this.#buffer;
      this.#buffered += utf8().encodeInto(message, room).written;
    } else {
      copyBytes(this.#buffer, this.#buffered, message, units);
      this.#buffered = end;
    }
  }

  #makeRoom(length: number): void {
    const before = this.#buffer;
    const size = length > SHORT ? BUFFER_SIZE : Math.max(length, SMALLEST, Math.min(4 * before.length, SHORT));
    const larger = pooledSecret(size);
    if (this.#buffered > 0) larger.set(before);
    this.#buffer = larger;
    if (this.#buffered > 0) before.fill(0);
  }

  /** Hashes the buffered bytes and the message: a first message whole, of later ones whole groups. The rest is buffered. */
  #hash(message: Message, units: number, mostWritten: number, isFirst: boolean): void {
    const { kernels } = this.#algorithm;
    try {
      this.interrupted = true;
      const kernel = kernels.begin();
      this.#hashIn(kernel, message, units, mostWritten, isFirst);
      kernel.endUpdate();
      this.interrupted = false;
    } finally {
      kernels.finish();
    }
  }

  #hashIn(kernel: Kernel, message: Message, units: number, mostWritten: number, isFirst: boolean): void {
    const { input } = kernel;
    this.#load(kernel);
    input.willWrite(mostWritten);
    if (this.#state === undefined) kernel.exports.init(STATE);
    const end = input.writeAll(message, units, this.#buffered);
    const rest = isFirst ? 0 : end % GROUP;
    if (end > rest) input.update(end - rest);
    if (rest > this.#buffer.length) this.#makeRoom(rest);
    if (this.#buffer.length <= SHORT) this.#buffer.fill(0, rest, this.#buffered);
    if (rest > 0) this.#buffer.set(input.bytes.subarray(end - rest, end));
    this.#buffered = rest;
    this.#storeState(kernel);
  }

  #storeState(kernel: Kernel): void {
    const size = stateSizeOf(kernel.state);
    if (this.#state === undefined || this.#state.length < size) {
      this.#state?.fill(0);
      this.#state = pooledSecret(size);
    }
    this.#state.set(kernel.state.first(this.#state.length));
  }

  /** Loads the buffered bytes to INPUT, and the state before them, if there is one, to STATE. */
  #load(kernel: Kernel): void {
    if (this.#state) kernel.state.bytes.set(this.#state);
    else kernel.load(this.parameters);
    if (this.#buffered > 0) kernel.input.bytes.set(this.#toCopy());
  }

  /** The buffered bytes; zeros after them are copied faster than a view is made. */
  #toCopy(): Uint8Array {
    return this.#buffer.length > SHORT ? this.#buffer.subarray(0, this.#buffered) : this.#buffer;
  }

  /** Makes a call that has the first `length` bytes of the digest in OUTPUT, and returns what `read` does. */
  digest<Result>(length: number, read: (kernel: Kernel) => Result): Result {
    return this.#algorithm.kernels.run((kernel) => {
      if (this.#state) {
        this.#finish(kernel);
        kernel.finalize(length);
      } else {
        this.#load(kernel);
        kernel.hashInput(this.#buffered, length);
      }
      return read(kernel);
    });
  }

  /** Makes a call that has the state after all message bytes in STATE, and returns what `read` does. */
  use<Result>(read: (kernel: Kernel) => Result): Result {
    return this.#algorithm.kernels.run((kernel) => {
      this.#finish(kernel);
      return read(kernel);
    });
  }

  #finish(kernel: Kernel): void {
    this.#load(kernel);
    if (this.#state === undefined) kernel.exports.init(STATE);
    kernel.input.willWrite(this.#buffered);
    if (this.#buffered > 0) kernel.input.update(this.#buffered);
  }

  /** Returns an independent state with the same message so far, and parameters of its own. */
  clone(): HasherState {
    const { parameters } = this;
    const own = parameters.secret ? { ...parameters, bytes: pooledCopy(parameters.bytes) } : parameters;
    const clone = new HasherState(this.#algorithm, own, this.#state && pooledCopy(this.#state));
    clone.#buffer = pooledCopy(this.#buffer);
    clone.#buffered = this.#buffered;
    return clone;
  }

  /** Returns the number of message bytes so far. */
  count(): bigint {
    return BigInt(this.#buffered) + (this.#state ? countIn(this.#state) : 0n);
  }

  /** Wipes the message, and returns to its start. */
  clear(): void {
    this.#algorithm.kernels.current?.wipeInput();
    this.#state?.fill(0);
    this.#state = undefined;
    this.#buffer.fill(0);
    this.#buffered = 0;
    this.interrupted = false;
  }
}
