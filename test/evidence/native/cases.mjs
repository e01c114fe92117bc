// What the native kernels hash: every algorithm, in every mode, as the bytes that a kernel's init() reads.
import { algorithms } from "blake-simd";
import { save } from "blake-simd/states";

export const bytes = (length) => new Uint8Array(length).map((_, i) => i % 251);

const blake1 = (module, word) => ({
  module,
  modes: [{}, { salt: bytes(4 * word) }],
});
const blake2 = (module, word, more) => ({
  module,
  modes: [{}, { key: bytes(8 * word) }, { key: bytes(7), length: 20 }, ...more],
});
const tree = {
  fanout: 3,
  maxDepth: 2,
  maxLeafLength: 4096,
  nodeOffset: 5n,
  nodeDepth: 1,
  innerHashLength: 9,
  lastNode: true,
};
const extendable = [{ length: 131 }, { length: 1000, key: bytes(9) }];

/** For each algorithm its module, and options that differ in kind. */
export const subjects = {
  blake224: blake1("blake256", 4),
  blake256: blake1("blake256", 4),
  blake384: blake1("blake512", 8),
  blake512: blake1("blake512", 8),
  blake2b: blake2("blake2b", 8, [{ length: 1, salt: bytes(16) }, tree]),
  blake2s: blake2("blake2s", 4, [{ length: 1, salt: bytes(8) }, tree]),
  blake2bp: blake2("blake2b-lanes", 8, [{ length: 1 }]),
  blake2sp: blake2("blake2s-lanes", 4, [{ length: 1 }]),
  blake2xb: blake2("blake2b-lanes", 8, extendable),
  blake2xs: blake2("blake2s-lanes", 4, extendable),
  blake3: {
    module: "blake3",
    modes: [
      {},
      { key: bytes(32) },
      { context: "a context" },
      { key: bytes(32), length: 5 },
      { length: 131 },
      { length: 1000 },
    ],
  },
};

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
