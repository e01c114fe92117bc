// What the native kernels hash: every algorithm, in several modes, as the bytes that a kernel's init() reads.
import { algorithms } from "blake-simd";
import { save } from "blake-simd/states";
import { randomFrom } from "../random.mjs";
import { optionsOf } from "../random-cases/cases.mjs";

export const bytes = (length) => new Uint8Array(length).map((_, i) => i % 251);

/** No options, and random ones whose digests fit the driver's OUTPUT. */
export function modesOf(name) {
  const random = randomFrom(name.length);
  const modes = Array.from({ length: 5 }, () => optionsOf[name](random));
  return [{}, ...modes.filter(({ length = 0 }) => length <= 0x4000)].filter((mode) => mode.length || !/x/.test(name));
}

const HEADER = 32;

/** The parameters of a hasher, from its saved state (docs/states.md). */
export function parametersOf(name, options) {
  const hasher = algorithms[name].create(options);
  const saved = save(hasher);
  const length = new DataView(saved.buffer).getUint32(24, true);
  const own = saved.slice(HEADER, HEADER + length);
  return { parameters: own, outputLength: hasher.digestLength };
}

const word = (value) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};

/** A request for driver.c. The parameters' last zeros are not saved, so it fills them up. */
export function request(operation, name, options, lengths) {
  const { parameters, outputLength } = parametersOf(name, options);
  const words = [lengths.length, ...lengths].map(word);
  return Buffer.concat([word(operation), word(outputLength), word(parameters.length), parameters, ...words]);
}
