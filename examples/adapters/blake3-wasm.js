// blake3-wasm.js: the interface of blake3-wasm over blake-simd.
import { Transform } from "node:stream";
import { blake3 } from "blake-simd";

export const defaultHashLength = 32;
export const maxHashBytes = 2n ** 64n - 1n;
const bytes = (input, encoding) => (typeof input === "string" ? Buffer.from(input, encoding) : input);
const digestOf = (input, options) => Buffer.from(blake3(bytes(input), options));

const readerOf = (xof) => ({
  get position() {
    return xof.position;
  },
  set position(position) {
    xof.position = position;
  },
  readInto(target) {
    const rest = maxHashBytes - xof.position;
    return xof.readInto(rest < target.length ? target.subarray(0, Number(rest)) : target).length;
  },
  read(length) {
    const output = Buffer.alloc(length);
    return output.subarray(0, this.readInto(output));
  },
  view(length) {
    return this.read(length);
  },
  *[Symbol.iterator]() {
    while (xof.position < maxHashBytes) yield this.read(1024);
  },
});

export class NodeHash extends Transform {
  constructor(options) {
    super();
    this.hasher = blake3.create(options);
  }
  update(data, encoding) {
    this.hasher.update(bytes(data, encoding));
    return this;
  }
  digest(encoding, options) {
    if (Object(encoding) === encoding) return this.digest(undefined, encoding);
    const digest = this.reader().read(options?.length ?? defaultHashLength);
    return encoding ? digest.toString(encoding) : digest;
  }
  reader() {
    return readerOf(this.hasher.xof());
  }
  dispose() {
    this.hasher.dispose();
  }
  _transform(chunk, encoding, done) {
    this.update(chunk, encoding);
    done();
  }
  _flush(done) {
    done(null, this.digest());
  }
}

export const load = async () => {};
export const createHash = () => new NodeHash({});
export const createKeyed = (key) => new NodeHash({ key: bytes(key) });
export const createDeriveKey = (context) => new NodeHash({ context: bytes(context) });
export const hash = (input, { length = 32 } = {}) => digestOf(input, { length });
export const keyedHash = (key, input, { length = 32 } = {}) => digestOf(input, { key: bytes(key), length });
export const deriveKey = (context, material, { length = 32 } = {}) =>
  digestOf(material, { context: bytes(context), length });
