// blake2b.js: the interface of blake2b over blake-simd.
import { blake2b as hash } from "blake-simd";
import { restore, save } from "blake-simd/states";

class Blake2b {
  constructor(length, key, salt, personal) {
    const options = { length };
    if (key) options.key = key;
    if (salt) options.salt = salt;
    if (personal) options.personal = personal;
    this.hasher = hash.create(options);
  }
  update(bytes) {
    this.hasher.update(bytes);
    return this;
  }
  digest(output) {
    if (!output || output === "binary") return this.hasher.digest();
    return typeof output === "string" ? this.hasher.digest(output) : this.hasher.digestInto(output);
  }
  final(output) {
    return this.digest(output);
  }
  getPartialHash() {
    return save(this.hasher);
  }
  setPartialHash(state) {
    this.hasher = restore(hash, state);
  }
}

export default function blake2b(length, key, salt, personal) {
  return new Blake2b(length || 32, key, salt, personal);
}
blake2b.ready = blake2b.prototype.ready = async (done) => done?.();
blake2b.WASM_SUPPORTED = blake2b.WASM_LOADED = blake2b.SUPPORTED = true;
Object.assign(blake2b, { BYTES_MIN: 16, BYTES: 32, BYTES_MAX: 64, KEYBYTES_MIN: 16, KEYBYTES: 32, KEYBYTES_MAX: 64 });
Object.assign(blake2b, { SALTBYTES: 16, PERSONALBYTES: 16 });
