/** Reads WebAssembly's binary format: bytes, numbers in LEB128, vectors. */
export class BinaryReader {
  constructor(bytes: Uint8Array, at?: number);
  bytes: Uint8Array;
  at: number;
  byte(): number;
  number(): number;
  signed(): bigint;
  list<T>(read: () => T): T[];
}
