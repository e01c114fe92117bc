// Reads WebAssembly's binary format (WebAssembly 2.0 section 5): bytes, numbers in LEB128, vectors.

export class BinaryReader {
  constructor(bytes, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  byte() {
    return this.bytes[this.at++];
  }

  number() {
    let [value, unit, byte] = [0, 1, 0];
    do {
      byte = this.byte();
      value += (byte & 127) * unit;
      unit *= 128;
    } while (byte & 128);
    return value;
  }

  /** @returns {bigint} */
  signed() {
    let [value, shift, byte] = [0n, 0n, 0];
    do {
      byte = this.byte();
      value |= BigInt(byte & 127) << shift;
      shift += 7n;
    } while (byte & 128);
    return BigInt.asIntN(Number(shift), value);
  }

  list(read) {
    return Array.from({ length: this.number() }, read);
  }
}
