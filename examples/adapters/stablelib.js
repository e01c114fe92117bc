// stablelib.js: the interface of @stablelib/blake2b, blake2s and blake2xs over blake-simd.
import * as blake from "blake-simd";
import { restore, save } from "blake-simd/states";

const treeOptions = ({ leafSize, innerDigestLength, nodeOffsetHighBits = 0, nodeOffsetLowBits = 0, ...others }) => ({
  nodeOffset: (BigInt(nodeOffsetHighBits) << 32n) + BigInt(nodeOffsetLowBits),
  ...others,
  maxLeafLength: leafSize,
  innerHashLength: innerDigestLength,
});

function options({ key, salt, personalization, tree } = {}) {
  const given = tree ? treeOptions(tree) : {};
  if (key?.length) given.key = key;
  if (salt) given.salt = salt;
  if (personalization) given.personal = personalization;
  return given;
}

class Hash {
  constructor(algorithm, digestLength, given) {
    this.algorithm = algorithm;
    this.hasher = algorithm.create(given);
    this.digestLength = digestLength;
    this.blockSize = algorithm.blockLength;
  }
  update(data, length = data.length) {
    this.hasher.update(data.subarray(0, length));
    return this;
  }
  finish(output) {
    output.set(this.hasher.digest().subarray(0, output.length));
    return this;
  }
  digest() {
    const output = new Uint8Array(this.digestLength);
    this.finish(output);
    return output;
  }
  reset() {
    this.hasher.reset();
    return this;
  }
  clean() {
    this.hasher.dispose();
  }
  saveState() {
    return save(this.hasher);
  }
  restoreState(state) {
    this.hasher = restore(this.algorithm, state);
    return this;
  }
  cleanSavedState(state) {
    state.fill(0);
  }
}

export class BLAKE2b extends Hash {
  constructor(length = 64, config) {
    super(blake.blake2b, length, { length, ...options(config) });
  }
}

export class BLAKE2s extends Hash {
  constructor(length = 32, config) {
    super(blake.blake2s, length, { length, ...options(config) });
  }
}

export class BLAKE2Xs extends Hash {
  // 65,535 means that the length is unknown.
  constructor(length = 65535, config) {
    super(blake.blake2xs, length, { ...(length !== 65535 && { length }), ...options(config) });
  }
  finish(output) {
    this.xof ??= this.hasher.xof();
    if (Number(this.xof.position) + output.length > this.digestLength) throw new Error("cannot generate more bytes");
    this.xof.readInto(output);
    return this;
  }
  stream(output) {
    return this.finish(output);
  }
  reset() {
    this.xof = undefined;
    return super.reset();
  }
}

/** `hash` of @stablelib/blake2b; `hash2s` is the `hash` of @stablelib/blake2s. */
export const hash = (data, length, config) => new BLAKE2b(length, config).update(data).digest();
export const hash2s = (data, length, config) => new BLAKE2s(length, config).update(data).digest();
export const xof = (length, data, key) => new BLAKE2Xs(length, { key }).update(data).digest();
