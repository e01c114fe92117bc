// Makes an algorithm, which is a function with members, from a short description.
import { type Input, requireBytes, requireUnits, toMessage, toMessages, unitsOf } from "../input/bytes.js";
import { requireArguments, wrongKind } from "../input/errors.js";
import { toHex } from "../input/text.js";
import { copyInto } from "../input/views.js";
import { Hasher, type HasherClass, type Identity } from "./hasher.js";
import type { Kernel, Parameters } from "./kernel.js";
import type { KernelModule } from "./kernel-module.js";
import { ONESHOT, OUTPUT_SIZE } from "./memory.js";
import { allocate, requireEnough, writeDigest } from "./output.js";

/**
 * A hash algorithm: a function that returns the digest of a whole message, with members for everything else. The digest
 * has `digestLength` bytes unless the option `length` sets another length.
 *
 * A call throws a TypeError if the input, an option or its value is of the wrong type, and a RangeError if a value is
 * out of range.
 *
 * @example
 * blake3("hello"); // Uint8Array(32)
 */
export interface Algorithm<Options extends object = object, H extends Hasher = Hasher, Name extends string = string> {
  // No docstring, so that editors show the algorithm's own at each call.
  (input: Input, options?: Options): Uint8Array<ArrayBuffer>;
  /**
   * Writes the digest of a whole message to the first bytes of `output`, which may be the same array as `input`.
   * Nothing is allocated if the input is a Uint8Array of up to 64 KiB. A longer one takes a small view for every 64
   * KiB; text and other inputs take one small object.
   *
   * @example
   * for (let round = 0; round < 100_000; round++) blake2b.into(buffer, buffer);
   * @returns `output`
   * @throws the same errors as a call; RangeError if `output` is shorter than the digest
   */
  into<T extends Uint8Array>(output: T, input: Input, options?: Options): T;
  /**
   * Returns the digests of independent messages, in order, all hashed with the same options. With SIMD, some are hashed
   * in parallel, which is faster: BLAKE3 messages of up to 1024 bytes, for digests of up to 32 bytes; BLAKE2s messages
   * of any length, if the program includes `blake2sp`.
   *
   * @example
   * blake2s.many(["a", "b"]); // [blake2s("a"), blake2s("b")]
   * @throws the same errors as a call, before any message is hashed; TypeError if `inputs` is not iterable
   */
  many(inputs: Iterable<Input>, options?: Options): Uint8Array<ArrayBuffer>[];
  /**
   * Returns a hasher for a message that arrives in pieces.
   *
   * @throws TypeError for an unknown option or a value of the wrong type; RangeError for a value out of range
   * @example
   * blake3.create({ key }).update("a").update("b").digest();
   */
  create(options?: Options): H;
  /**
   * Returns the digest of a whole message as lowercase hexadecimal text.
   *
   * @example
   * blake3.hex("hello"); // "ea8f163d…"
   * @throws the same errors as a call
   */
  hex(input: Input, options?: Options): string;
  /** The algorithm's name, such as `"blake3"`. */
  readonly algorithm: Name;
  /** The default digest length, in bytes. */
  readonly digestLength: number;
  /** The block length of the compression function, in bytes. */
  readonly blockLength: number;
}

/** Describes one algorithm to the engine. */
export interface Description<Options extends object, Name extends string> extends Identity {
  readonly name: Name;
  /** The default digest length, in bytes. */
  readonly digestLength: number;
  /** Bytes that the kernel's `init` reads. */
  readonly parametersLength: number;
  /** Returns the `many` of a faster kernel, if the program includes one. */
  readonly faster?: () => Algorithm<Options>["many"] | undefined;
  /** Hashes messages in the kernel's lanes with the loaded parameters; omitted if that is never faster. */
  readonly sideBySide?: SideBySide;
  /**
   * Reads and checks the options, then claims the kernel and writes the bytes that `init` reads. Returns the digest's
   * length in bytes. Errors name the call.
   */
  encode(options: Options, call: string): number;
}

/** What is needed to restore a saved state of an algorithm. */
export interface Resumable {
  readonly name: string;
  readonly module: KernelModule;
  /** Bytes that the kernel's `init` reads. */
  readonly parametersLength: number;
  /** Returns a hasher with the given state. */
  resume(parameters: Parameters, state: Uint8Array<ArrayBuffer>): Hasher;
}

/** The {@link Resumable} of each algorithm. */
export const resumables = /* @__PURE__ */ new WeakMap<object, Resumable>();

type Message = Uint8Array | string;
type Output = Uint8Array<ArrayBuffer>;

/**
 * Returns digests of `length` bytes for messages whose lengths are `units`; `block` is the algorithm's block length.
 * Messages that have no digest in the result, or all of them if it is undefined, are hashed one by one.
 */
export type SideBySide = (
  kernel: Kernel,
  messages: readonly Message[],
  units: readonly number[],
  block: number,
  length: number,
) => Uint8Array<ArrayBuffer>[] | undefined;

/** Makes an algorithm whose hashers are instances of `hasherClass`. */
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
  const hexCall = `${name}.hex`;
  const intoCall = `${name}.into`;
  const manyCall = `${name}.many`;
  const createCall = `${name}.create`;
  let plain: Parameters | undefined;

  function defaults(): Parameters {
    plain ??= parametersOf({} as Options, false);
    return plain;
  }

  function parametersOf(options: Options, secret: boolean): Parameters {
    const length = description.encode(options, createCall);
    const kernel = module.opened;
    const bytes = kernel.parameters.bytes.slice(0, parametersLength);
    kernel.release(0);
    return { bytes, digestLength: length, secret };
  }

  /** Opens the kernel and loads the parameters of the default options. */
  function openPlain(): Kernel {
    const { bytes } = defaults();
    const kernel = module.open();
    kernel.freeInput();
    kernel.load(bytes);
    return kernel;
  }

  function hash(input: Input, options?: Options): Uint8Array<ArrayBuffer> {
    // Few calls below one another, since V8 inlines only so much: 3 % of a short message's time.
    if (arguments.length > 2) requireArguments(name, arguments.length, 2);
    const message = toMessage(name, "input", input);
    const units = unitsOf(message);
    return options === undefined ? hashPlain(message, units) : hashUnder(name, options, message, units);
  }

  function hex(input: Input, options?: Options): string {
    requireArguments(hexCall, arguments.length, 2);
    const message = toMessage(hexCall, "input", input);
    const units = unitsOf(message);
    return toHex(options === undefined ? hashPlain(message, units) : hashUnder(hexCall, options, message, units));
  }

  function hashPlain(message: Message, units: number): Output {
    const kernel = openPlain();
    const digest = digestOf(kernel, message, units, digestLength);
    kernel.close();
    return digest;
  }

  function hashUnder(call: string, options: Options, message: Message, units: number): Output {
    try {
      const length = description.encode(options, call);
      const kernel = module.opened;
      // Allocated before the message is hashed, so that a failure does not cost the kernel.
      const long = length > OUTPUT_SIZE ? outputFor(call, kernel, length) : undefined;
      requireSame(call, kernel, message, units);
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

  /** Returns `output` once it is known to be long enough, or a new array. Releases the kernel before it throws. */
  function outputFor<T extends Uint8Array = Output>(call: string, kernel: Kernel, length: number, output?: T): T {
    try {
      if (output === undefined) return allocate(call, length) as Uint8Array as T;
      requireEnough(call, output, length);
      return output;
    } catch (error) {
      kernel.release(0);
      throw error;
    }
  }

  /** Checks that no getter among the options has resized the message. Releases the kernel before it throws. */
  function requireSame(call: string, kernel: Kernel, message: Message, units: number, index?: number): void {
    try {
      requireUnits(call, message, units, index);
    } catch (error) {
      kernel.release(0);
      throw error;
    }
  }

  function into<T extends Uint8Array>(output: T, input: Input, options?: Options): T {
    requireArguments(intoCall, arguments.length, 3);
    const message = toMessage(intoCall, "input", input);
    requireBytes(intoCall, "output", output);
    const units = unitsOf(message);
    if (options !== undefined) return intoUnder(options, message, units, output);
    if (output[digestLength - 1] === undefined) requireEnough(intoCall, output, digestLength);
    const kernel = openPlain();
    write(kernel, message, units, output, digestLength);
    kernel.close();
    return output;
  }

  function intoUnder<T extends Uint8Array>(options: Options, message: Message, units: number, output: T): T {
    try {
      const length = description.encode(options, intoCall);
      const kernel = module.opened;
      requireSame(intoCall, kernel, message, units);
      write(kernel, message, units, outputFor(intoCall, kernel, length, output), length);
      kernel.release(length);
      return output;
    } finally {
      module.tidy();
    }
  }

  function many(inputs: Iterable<Input>, options?: Options): Output[] {
    requireArguments(manyCall, arguments.length, 2);
    const faster = description.faster?.();
    return faster ? faster(inputs, options) : manyHere(inputs, options);
  }

  function manyHere(inputs: Iterable<Input>, options?: Options): Output[] {
    const messages = toMessages(manyCall, inputs);
    const units = messages.map(unitsOf);
    try {
      if (options !== undefined) return manyUnder(options, messages, units);
      messages.forEach((message, i) => {
        requireUnits(manyCall, message, units[i] as number, i);
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
    const length = description.encode(options, manyCall);
    const kernel = module.opened;
    const long = length > OUTPUT_SIZE ? messages.map(() => outputFor(manyCall, kernel, length)) : [];
    messages.forEach((message, i) => {
      requireSame(manyCall, kernel, message, units[i] as number, i);
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
    requireArguments(createCall, arguments.length, 1);
    return new hasherClass(description, options === undefined ? defaults() : parametersOf(options, true));
  }

  function resume(parameters: Parameters, state: Uint8Array<ArrayBuffer>): H {
    return new hasherClass(description, parameters, state);
  }

  const members = { name, hex, into, many, create, algorithm: name, digestLength, blockLength };
  for (const [member, value] of Object.entries(members)) {
    // A function's own `name` can be defined but not assigned.
    Object.defineProperty(hash, member, { value });
  }
  resumables.set(hash, { name, module, parametersLength, resume });
  return hash as unknown as Algorithm<Options, H, Name>;
}

/** Hashes a message with the loaded parameters and writes the digest to the first `length` bytes of `target`. */
export function write(kernel: Kernel, message: Message, units: number, target: Uint8Array, length: number): void {
  if (hashPlaced(kernel, message, units, length)) copyInto(target, kernel.outputOf(length));
  else hashLong(kernel, message, units, target, length);
}

/** Hashes in one kernel call. Returns false if the message or the digest does not fit its area. */
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
