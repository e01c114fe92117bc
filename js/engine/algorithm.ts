// What an algorithm is to its users: a function with members, made from a short description.
import { type Input, requireBytes, requireUnits, toMessage, toMessages, unitsOf } from "../input/bytes.js";
import { wrongKind } from "../input/errors.js";
import { toHex } from "../input/text.js";
import { copyInto } from "../input/views.js";
import { Hasher, type HasherClass, type Identity } from "./hasher.js";
import type { Kernel, Parameters } from "./kernel.js";
import type { KernelModule } from "./kernel-module.js";
import { ONESHOT, OUTPUT_SIZE } from "./memory.js";
import { allocate, requireEnough, writeDigest } from "./output.js";

/**
 * A hash algorithm. Call it for the digest of a whole message, of as many bytes as `length` says, else `digestLength`; or
 * use its members. A call throws a TypeError for a wrong kind of input, option or option value, and a RangeError for a
 * value out of range.
 *
 * @example
 * blake3("hello"); // Uint8Array(32)
 */
export interface Algorithm<Options extends object = object, H extends Hasher = Hasher, Name extends string = string> {
  // Without a comment of its own: an editor shows the algorithm's at each call.
  (input: Input, options?: Options): Uint8Array<ArrayBuffer>;
  /**
   * Writes the digest of a whole message to the first bytes of `output`, which may be `input`. It allocates nothing for a
   * Uint8Array of up to 64 KiB; a longer one costs a small view for each 64 KiB, text or another kind one small object.
   *
   * @example
   * for (let round = 0; round < 100_000; round++) blake2b.into(buffer, buffer);
   * @returns `output`
   * @throws as the call does; RangeError where `output` is shorter than the digest
   */
  into<T extends Uint8Array>(output: T, input: Input, options?: Options): T;
  /**
   * The digests of independent messages, in their order, under the same options. With SIMD several messages are hashed side
   * by side, faster than one after the other: in BLAKE3 those of up to 1024 bytes, for digests of up to 32; in BLAKE2s those
   * of any length, after `useBlake2sLanes()`.
   *
   * @example
   * blake2s.many(["a", "b"]); // [blake2s("a"), blake2s("b")]
   * @throws as the call does; TypeError for inputs that are not iterable, and before any of them is hashed
   */
  many(inputs: Iterable<Input>, options?: Options): Uint8Array<ArrayBuffer>[];
  /**
   * Starts an incremental hash.
   *
   * @throws TypeError for a wrong option or kind of value; RangeError for a value out of range
   * @example
   * blake3.create({ key }).update("a").update("b").digest();
   */
  create(options?: Options): H;
  /**
   * The digest of a whole message, as lower-case hexadecimal text.
   *
   * @example
   * blake3.hex("hello"); // "ea8f163d…"
   * @throws as the call does
   */
  hex(input: Input, options?: Options): string;
  /** The algorithm's name, such as `"blake3"`. */
  readonly algorithm: Name;
  /** Bytes in a digest, where `length` does not say otherwise. */
  readonly digestLength: number;
  /** Bytes in each block of the compression function. */
  readonly blockLength: number;
}

/** What one algorithm adds to the engine. */
export interface Description<Options extends object, Name extends string> extends Identity {
  readonly name: Name;
  /** Bytes in a digest, where the options do not say otherwise. */
  readonly digestLength: number;
  /** Bytes that the kernel's `init` reads. */
  readonly parametersLength: number;
  /** The `many` of another kernel, if the program has one that is faster. */
  readonly faster?: () => Algorithm<Options>["many"] | undefined;
  /** Hashes messages in the kernel's lanes, under the parameters that are loaded; left out where that does not pay. */
  readonly sideBySide?: SideBySide;
  /**
   * Reads and checks the options, then claims the kernel and writes the bytes that `init` reads. Returns the digest's
   * length in bytes.
   */
  encode(options: Options): number;
}

/** What it takes to continue with a saved state of an algorithm's. */
export interface Resumable {
  readonly name: string;
  readonly module: KernelModule;
  /** Bytes that the kernel's `init` reads. */
  readonly parametersLength: number;
  /** Returns the hasher that has a state. */
  resume(parameters: Parameters, state: Uint8Array<ArrayBuffer>): Hasher;
}

/** Every algorithm's own. */
export const resumables = /* @__PURE__ */ new WeakMap<object, Resumable>();

type Message = Uint8Array | string;
type Output = Uint8Array<ArrayBuffer>;

/**
 * Returns digests of messages, of `length` bytes each; `units` are their lengths, `block` is the algorithm's block length. Messages that it leaves
 * out, or all if it returns undefined, are hashed one by one.
 */
export type SideBySide = (
  kernel: Kernel,
  messages: readonly Message[],
  units: readonly number[],
  block: number,
  length: number,
) => Uint8Array<ArrayBuffer>[] | undefined;

/** Makes an algorithm whose hashers are plain ones, or of the class that is given. */
export function defineAlgorithm<
  Options extends object,
  Name extends string,
  H extends Hasher = Hasher,
  I extends Identity = Identity,
>(
  description: Description<Options, Name> & I,
  hasherClass: HasherClass<I, H> = Hasher as unknown as HasherClass<I, H>,
): Algorithm<Options, H, Name> {
  const { name, module, digestLength, blockLength, parametersLength } = description;
  let plain: Parameters | undefined;

  function defaults(): Parameters {
    plain ??= parametersOf({} as Options, false);
    return plain;
  }

  function parametersOf(options: Options, secret: boolean): Parameters {
    const length = description.encode(options);
    const kernel = module.opened;
    const bytes = kernel.parameters.bytes.slice(0, parametersLength);
    kernel.release(0);
    return { bytes, digestLength: length, secret };
  }

  /** Opens the kernel with the default options' parameters loaded. */
  function openPlain(): Kernel {
    const { bytes } = defaults();
    const kernel = module.open();
    kernel.freeInput();
    kernel.load(bytes);
    return kernel;
  }

  function hash(input: Input, options?: Options): Uint8Array<ArrayBuffer> {
    if (arguments.length > 2) throw wrongKind(name, "arguments", "at most 2", arguments.length);
    const message = toMessage(name, "input", input);
    const units = unitsOf(message);
    if (options !== undefined) return hashUnder(options, message, units);
    const kernel = openPlain();
    const digest = digestOf(kernel, message, units, digestLength);
    kernel.close();
    return digest;
  }

  function hashUnder(options: Options, message: Message, units: number): Uint8Array<ArrayBuffer> {
    try {
      const length = description.encode(options);
      const kernel = module.opened;
      // What the machine cannot allocate is no reason to lose the kernel.
      const long = length > OUTPUT_SIZE ? outputFor(kernel, length) : undefined;
      requireSame(kernel, message, units);
      const digest = digestOf(kernel, message, units, length, long);
      kernel.release(length);
      return digest;
    } finally {
      module.tidy();
    }
  }

  function digestOf(kernel: Kernel, message: Message, units: number, length: number, output?: Output): Output {
    if (hashPlaced(kernel, message, units, length)) return new Uint8Array(kernel.outputOf(length));
    const digest = output ?? new Uint8Array(length);
    hashLong(kernel, message, units, digest, length);
    return digest;
  }

  /** Where a digest goes: an output that was given, or a new one. An error gives the kernel back. */
  function outputFor<T extends Uint8Array = Output>(kernel: Kernel, length: number, output?: T): T {
    try {
      if (output === undefined) return allocate(name, length) as Uint8Array as T;
      requireEnough(name, output, length);
      return output;
    } catch (error) {
      kernel.release(0);
      throw error;
    }
  }

  /** Reading the options may have run code of the user's, which shortened the message. An error gives the kernel back. */
  function requireSame(kernel: Kernel, message: Message, units: number, index?: number): void {
    try {
      requireUnits(name, message, units, index);
    } catch (error) {
      kernel.release(0);
      throw error;
    }
  }

  function hex(...args: [input: Input, options?: Options]): string {
    return toHex(hash(...args));
  }

  function into<T extends Uint8Array>(output: T, input: Input, options?: Options): T {
    const message = toMessage(name, "input", input);
    requireBytes(name, "output", output);
    const units = unitsOf(message);
    if (options !== undefined) return intoUnder(options, message, units, output);
    if (output[digestLength - 1] === undefined) requireEnough(name, output, digestLength);
    const kernel = openPlain();
    write(kernel, message, units, output, digestLength);
    kernel.close();
    return output;
  }

  function intoUnder<T extends Uint8Array>(options: Options, message: Message, units: number, output: T): T {
    try {
      const length = description.encode(options);
      const kernel = module.opened;
      requireSame(kernel, message, units);
      write(kernel, message, units, outputFor(kernel, length, output), length);
      kernel.release(length);
      return output;
    } finally {
      module.tidy();
    }
  }

  function many(inputs: Iterable<Input>, options?: Options): Output[] {
    const faster = description.faster?.();
    return faster ? faster(inputs, options) : manyHere(inputs, options);
  }

  function manyHere(inputs: Iterable<Input>, options?: Options): Output[] {
    const messages = toMessages(name, inputs);
    const units = messages.map(unitsOf);
    try {
      if (options !== undefined) return manyUnder(options, messages, units);
      messages.forEach((message, i) => {
        requireUnits(name, message, units[i] as number, i);
      });
      const kernel = openPlain();
      const digests = digestsOf(kernel, messages, units, digestLength, []);
      kernel.close();
      return digests;
    } finally {
      module.tidy();
    }
  }

  function manyUnder(options: Options, messages: Message[], units: number[]): Output[] {
    const length = description.encode(options);
    const kernel = module.opened;
    const long = length > OUTPUT_SIZE ? messages.map(() => outputFor(kernel, length)) : [];
    messages.forEach((message, i) => {
      requireSame(kernel, message, units[i] as number, i);
    });
    const digests = digestsOf(kernel, messages, units, length, long);
    kernel.release(length);
    return digests;
  }

  function digestsOf(
    kernel: Kernel,
    messages: Message[],
    units: number[],
    length: number,
    outputs: Output[],
  ): Output[] {
    const lanes = kernel.exports.many && description.sideBySide;
    const digests = lanes?.(kernel, messages, units, blockLength, length) ?? [];
    for (let i = 0; i < messages.length; i++) {
      digests[i] ??= digestOf(kernel, messages[i] as Message, units[i] as number, length, outputs[i]);
    }
    return digests;
  }

  function create(options?: Options): H {
    return new hasherClass(description, options === undefined ? defaults() : parametersOf(options, true));
  }

  function resume(parameters: Parameters, state: Uint8Array<ArrayBuffer>): H {
    return new hasherClass(description, parameters, state);
  }

  const members = { name, hex, into, many, create, algorithm: name, digestLength, blockLength };
  for (const [member, value] of Object.entries(members)) {
    // Lanes that are loaded later replace `many`.
    Object.defineProperty(hash, member, { value });
  }
  resumables.set(hash, { name, module, parametersLength, resume });
  return hash as unknown as Algorithm<Options, H, Name>;
}

/** Hashes a message under the parameters that are loaded, into the first `length` bytes of `target`. */
export function write(kernel: Kernel, message: Message, units: number, target: Uint8Array, length: number): void {
  if (hashPlaced(kernel, message, units, length)) copyInto(target, kernel.outputOf(length));
  else hashLong(kernel, message, units, target, length);
}

/** One kernel call for a message that fits the input area and a digest that fits the output area, else false. */
function hashPlaced(kernel: Kernel, message: Message, units: number, length: number): boolean {
  const placed = length <= OUTPUT_SIZE ? kernel.place(message, units) : -1;
  if (placed < 0) return false;
  kernel.hash(placed, length);
  return true;
}

function hashLong(kernel: Kernel, message: Message, units: number, target: Uint8Array, length: number): void {
  kernel.exports.init(ONESHOT);
  kernel.absorb(ONESHOT, kernel.pour(message, units, 0, ONESHOT));
  writeDigest(kernel, ONESHOT, target, length);
  kernel.wipeOneshot();
  kernel.wipeInput();
}

export function requireOptions(name: string, options: unknown): void {
  if (typeof options === "object" && options !== null) return;
  throw wrongKind(name, "options", "a plain object", options);
}
