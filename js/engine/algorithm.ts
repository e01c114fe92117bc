// Makes an algorithm, which is a function with members, from a short description.
import { type Bytes, type Input, type Message, requireBytes, toInputs, toMessage } from "../input/bytes.js";
import { isLocalUint8Array } from "../input/caller-bytes.js";
import { requireArguments } from "../input/errors.js";
import { NO_OPTIONS, type NotIterable } from "../input/options.js";
import { encode } from "../input/text.js";
import { Hasher, type HasherClass, type Identity } from "./hasher.js";
import { HasherState } from "./hasher-state.js";
import { type Checked, type Kernel, type Parameters, wipeParameters, written } from "./kernel.js";
import { OUTPUT_SIZE } from "./memory.js";
import { allocate, requireRoom, writeDigest } from "./output.js";

/**
 * A hash algorithm: a function that returns the digest of a whole message, with members for everything else. The digest
 * has `digestLength` bytes unless the option `length` sets a different length.
 *
 * A function that takes any algorithm has a parameter of this type. If it passes options, it names them, so that only
 * algorithms with these options are accepted: `Algorithm<{ key: Uint8Array }>`.
 *
 * A call throws a TypeError if the input, an option or its value is of the wrong type, and a RangeError if a value is
 * out of range.
 *
 * @example
 * blake3("hello"); // Uint8Array(32)
 */
export interface Algorithm<
  Options extends object = NotIterable,
  H extends Hasher = Hasher,
  Name extends string = string,
> {
  /**
   * Hashes `input` and returns its digest in a new array: of `digestLength` bytes, or of as many as the option `length`
   * says.
   *
   * @param input the message: text, which is hashed as UTF-8, or bytes
   * @param options the algorithm's own, such as `length` and `key`
   */
  (input: Input, options?: Options): Uint8Array<ArrayBuffer>;
  /**
   * Writes the digest of a whole message, `input`, to the first bytes of `output`, which may be the same array.
   * Nothing is allocated if the input is a Uint8Array of up to 64 KiB. A longer one allocates a small view for every
   * 64 KiB; text and other inputs one small object.
   *
   * @example
   * for (let round = 0; round < 100_000; round++) blake2b.into(buffer, buffer);
   * @returns `output`
   * @throws the same errors as a call; RangeError if `output` is shorter than the digest
   */
  into<T extends Uint8Array>(input: Input, output: T, options?: Options): T;
  /**
   * Returns the digests of independent messages, in order, all hashed with the same options. With SIMD, some are hashed
   * in parallel, which is faster: BLAKE3 messages of up to 1024 bytes, for digests of up to 32 bytes; BLAKE2s messages
   * of 65 to 16384 bytes, if the program includes `blake2sp`.
   *
   * @example
   * blake2s.many(["a", "b"]); // [blake2s("a"), blake2s("b")]
   * @throws the same errors as a call, before any message is hashed; TypeError if `inputs` is not iterable
   */
  many(inputs: Iterable<Input>, options?: Options): Uint8Array<ArrayBuffer>[];
  /**
   * Returns an incremental hasher.
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
interface Description<Options extends object, Name extends string> extends Identity {
  readonly name: Name;
  /** The default digest length, in bytes. */
  readonly digestLength: number;
  /** Hashes messages in the lanes of a kernel; undefined if that is never faster. */
  readonly hashBatch: HashBatch | undefined;
  /** Reads and checks the options. Returns parameters if there is no secret among them. Errors name the call. */
  check(options: Options, call: string): Checked | Parameters;
}

/** What is needed to restore a saved state of an algorithm. */
interface Resumable {
  readonly identity: Identity;
  readonly hasherClass: HasherClass<Hasher>;
}

/** The {@link Resumable} of each algorithm. */
export const resumables = /* @__PURE__ */ new WeakMap<object, Resumable>();

/**
 * Writes digests of messages whose lengths are `units` to `digests`; `kernel` has loaded the parameters. Messages that
 * are left without a digest are hashed one by one.
 */
export type HashBatch = (
  kernel: Kernel,
  messages: readonly Message[],
  units: readonly number[],
  parameters: Parameters,
  digests: (Bytes | undefined)[],
) => void;

/** Defines an algorithm whose hashers are instances of `hasherClass`. */
export function defineAlgorithm<Options extends object, Name extends string, H extends Hasher = Hasher>(
  description: Description<Options, Name>,
  hasherClass: HasherClass<H> = Hasher as HasherClass<Hasher> as HasherClass<H>,
): Algorithm<Options, H, Name> {
  const { name, module, digestLength, blockLength, parametersLength } = description;
  const hexCall = `${name}.hex`;
  const intoCall = `${name}.into`;
  const manyCall = `${name}.many`;
  const createCall = `${name}.create`;
  let plain: Parameters | undefined;

  function plainParameters(): Parameters {
    plain ??= stored(description.check(NO_OPTIONS as Options, name));
    return plain;
  }

  function stored(options: Checked | Parameters): Parameters {
    return options.bytes ? options : written(options, parametersLength);
  }

  function parametersOf(call: string, options?: Options): Parameters {
    return options === undefined ? plainParameters() : stored(description.check(options, call));
  }

  function hash(input: Input, options?: Options): Bytes {
    // Keep the call chain short: V8's inlining budget is limited. 3 % of a short message's time.
    if (arguments.length > 2) requireArguments(name, arguments.length, 2);
    if (options !== undefined) return hashUnder(name, options, input) as Bytes;
    const kernel = beginPlain(toMessage(name, "input", input));
    const digest = new Uint8Array(kernel.output.first(digestLength));
    kernel.end();
    return digest;
  }

  function hex(input: Input, options?: Options): string {
    requireArguments(hexCall, arguments.length, 2);
    if (options === undefined) {
      const kernel = beginPlain(toMessage(hexCall, "input", input));
      const text = kernel.text.hexSlice(0, digestLength);
      kernel.end();
      return text;
    }
    const digest = hashUnder(hexCall, options, input, undefined, true);
    return typeof digest === "string" ? digest : allocate(hexCall, digest.length, () => encode(digest, "hex"));
  }

  function into<T extends Uint8Array>(input: Input, output: T, options?: Options): T {
    requireArguments(intoCall, arguments.length, 3);
    if (!isLocalUint8Array(output)) requireBytes(intoCall, "output", output);
    if (options !== undefined) return hashUnder(intoCall, options, input, output) as T;
    const message = toMessage(intoCall, "input", input);
    if (output.length < digestLength) requireRoom(intoCall, output, digestLength);
    const kernel = beginPlain(message);
    output.set(kernel.output.first(digestLength));
    kernel.end();
    return output;
  }

  /** Begins a call that has the plain digest of a message in OUTPUT. */
  function beginPlain(message: Message): Kernel {
    const { bytes } = plain ?? plainParameters();
    const { length } = message;
    const kernel = module.begin();
    kernel.load(bytes, false);
    kernel.hashMessage(message, length, digestLength);
    return kernel;
  }

  /** Hashes a message under options. */
  function hashUnder(
    call: string,
    options: Options,
    input: Input,
    output?: Uint8Array,
    asHex?: boolean,
  ): Uint8Array | string {
    // First, since a getter among the options may resize the other arguments.
    const checked = options === NO_OPTIONS ? (plain ?? plainParameters()) : description.check(options, call);
    try {
      const { digestLength: length } = checked;
      const message = toMessage(call, "input", input);
      const units = message.length;
      if (output) requireRoom(call, output, length);
      const kernel = module.begin();
      if (checked.bytes) kernel.load(checked.bytes, checked.secret);
      else kernel.write(checked, parametersLength);
      const digest = compute(call, kernel, message, units, length, output, asHex);
      kernel.wipeOutput(length);
      kernel.end();
      return digest;
    } finally {
      module.finish();
    }
  }

  /** Hashes a message with the loaded parameters, to an output if there is one. */
  function compute(
    call: string,
    kernel: Kernel,
    message: Message,
    units: number,
    length: number,
    output?: Uint8Array,
    asHex?: boolean,
  ): Uint8Array | string {
    if (length > OUTPUT_SIZE) {
      const target: Uint8Array = output ?? allocate(call, length);
      kernel.absorb(message, units);
      writeDigest(kernel, target, length);
      kernel.wipeState();
      return target;
    }
    kernel.hashMessage(message, units, length);
    if (output === undefined)
      return asHex ? kernel.text.hexSlice(0, length) : new Uint8Array(kernel.output.first(length));
    output.set(kernel.output.first(length));
    return output;
  }

  function many(inputs: Iterable<Input>, options?: Options): Bytes[] {
    requireArguments(manyCall, arguments.length, 2);
    const given = toInputs(manyCall, inputs);
    const parameters = parametersOf(manyCall, options);
    const { bytes, digestLength: length, secret } = parameters;
    try {
      const { length: count } = given;
      const messages = new Array<Message>(count);
      const units = new Array<number>(count);
      for (let i = 0; i < count; i++) {
        const message = toMessage(manyCall, "inputs", given[i] as Input, i);
        messages[i] = message;
        units[i] = message.length;
      }
      return module.run((kernel) => {
        kernel.load(bytes, secret);
        const digests = new Array<Bytes | undefined>(messages.length);
        description.hashBatch?.(kernel, messages, units, parameters, digests);
        for (let i = 0; i < messages.length; i++) {
          digests[i] ??= compute(manyCall, kernel, messages[i] as Message, units[i] as number, length) as Bytes;
        }
        kernel.wipeOutput(length);
        return digests as Bytes[];
      });
    } finally {
      wipeParameters(parameters);
    }
  }

  function create(options?: Options): H {
    requireArguments(createCall, arguments.length, 1);
    return new hasherClass(description, new HasherState(description, parametersOf(createCall, options)));
  }

  const members = { name, hex, into, many, create, algorithm: name, digestLength, blockLength };
  // A function's own `name` can be defined but not assigned.
  for (const [member, value] of Object.entries(members)) Object.defineProperty(hash, member, { value });
  resumables.set(hash, { identity: description, hasherClass });
  return hash as unknown as Algorithm<Options, H, Name>;
}
