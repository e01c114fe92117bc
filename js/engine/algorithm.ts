// Makes an algorithm, which is a function with members, from a short description.
import { type Bytes, type Input, type Message, requireBytes, toInputs, toMessage } from "../input/bytes.js";
import { isLocalUint8Array, pooledSecret, secretBytes } from "../input/caller-bytes.js";
import { requireArguments } from "../input/errors.js";
import { NO_OPTIONS, type NotIterable } from "../input/options.js";
import { encode } from "../input/text.js";
import { Hasher, type HasherClass } from "./hasher.js";
import { HasherState } from "./hasher-state.js";
import { type AlgorithmRecord, type Kernel, type Parameters, wipeParameters } from "./kernel.js";
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
   * Nothing is allocated if the input is a Uint8Array of up to 56 KiB. A longer one allocates a small view for every
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

/** The record of each algorithm and the class of its hashers, for saved states. */
export const records = /* @__PURE__ */ new WeakMap<object, Defined>();

interface Defined {
  readonly record: AlgorithmRecord;
  readonly hasherClass: HasherClass<Hasher>;
}

/** Defines an algorithm whose hashers are instances of `hasherClass`. */
export function defineAlgorithm<Options extends object, Name extends string, H extends Hasher = Hasher>(
  record: AlgorithmRecord<Options, Name>,
  hasherClass: HasherClass<H> = Hasher as HasherClass<Hasher> as HasherClass<H>,
): Algorithm<Options, H, Name> {
  const { name, kernels, digestLength, blockLength } = record;
  const hexCall = `${name}.hex`;
  const intoCall = `${name}.into`;
  const manyCall = `${name}.many`;
  const createCall = `${name}.create`;
  let plain: Parameters | undefined;
  /** The parameters of one call under options; zeros between calls. */
  let own: Bytes | undefined;

  function plainParameters(): Parameters {
    plain ??= { ...newParameters(name, NO_OPTIONS as Options), secret: false };
    return plain;
  }

  function newParameters(call: string, options: Options): Parameters {
    return record.parameters(options, call, pooledSecret(record.parametersLength));
  }

  function hash(input: Input, options?: Options): Bytes {
    if (arguments.length > 2) requireArguments(name, arguments.length, 2);
    if (options !== undefined) return hashOne(name, input, options) as Bytes;
    // The same as `hashOne`, in line: 8 % of the time of a message of 64 bytes.
    const message = toMessage(name, "input", input);
    const { length } = message;
    const kernel = kernels.begin();
    kernel.load(plain ?? plainParameters());
    kernel.hashMessage(message, length, digestLength);
    const digest = new Uint8Array(kernel.output.first(digestLength));
    kernel.end();
    return digest;
  }

  function hex(input: Input, options?: Options): string {
    requireArguments(hexCall, arguments.length, 2);
    const digest = hashOne(hexCall, input, options, undefined, true);
    return typeof digest === "string" ? digest : allocate(hexCall, digest.length, () => encode(digest, "hex"));
  }

  function into<T extends Uint8Array>(input: Input, output: T, options?: Options): T {
    requireArguments(intoCall, arguments.length, 3);
    if (!isLocalUint8Array(output)) requireBytes(intoCall, "output", output);
    return hashOne(intoCall, input, options, output) as T;
  }

  /** Hashes one message, to an output if there is one. */
  function hashOne(
    call: string,
    input: Input,
    options: Options | undefined,
    output?: Uint8Array,
    asHex?: boolean,
  ): Uint8Array | string {
    const message = toMessage(call, "input", input);
    const units = message.length;
    const room = output?.length as number;
    try {
      // Nothing of the caller's runs from here on but getters of options, before the parameters are written.
      own ??= secretBytes(record.parametersLength);
      const parameters = options === undefined ? plainParameters() : record.parameters(options, call, own);
      if (output && !(room >= parameters.digestLength)) requireRoom(call, output, parameters.digestLength);
      const kernel = kernels.begin();
      kernel.load(parameters);
      const digest = compute(call, kernel, message, units, parameters.digestLength, output, asHex);
      kernel.end();
      return digest;
    } finally {
      kernels.finish();
      if (options !== undefined) own?.fill(0);
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
    const parameters = options === undefined ? plainParameters() : newParameters(manyCall, options);
    const { digestLength: length } = parameters;
    try {
      const { length: count } = given;
      const messages = new Array<Message>(count);
      const units = new Array<number>(count);
      for (let i = 0; i < count; i++) {
        const message = toMessage(manyCall, "inputs", given[i] as Input, i);
        messages[i] = message;
        units[i] = message.length;
      }
      return kernels.run((kernel) => {
        kernel.load(parameters);
        const digests = new Array<Bytes | undefined>(messages.length);
        record.inLanes?.(kernel, messages, units, parameters, digests);
        for (let i = 0; i < messages.length; i++) {
          digests[i] ??= compute(manyCall, kernel, messages[i] as Message, units[i] as number, length) as Bytes;
        }
        return digests as Bytes[];
      });
    } finally {
      wipeParameters(parameters);
    }
  }

  function create(options?: Options): H {
    requireArguments(createCall, arguments.length, 1);
    const parameters = options === undefined ? plainParameters() : newParameters(createCall, options);
    return new hasherClass(record, new HasherState(record, parameters));
  }

  const members = { name, hex, into, many, create, algorithm: name, digestLength, blockLength };
  // A function's own `name` can be defined but not assigned.
  for (const [member, value] of Object.entries(members)) Object.defineProperty(hash, member, { value });
  records.set(hash, { record, hasherClass });
  return hash as unknown as Algorithm<Options, H, Name>;
}
