// What may happen to a caller's memory, and the memory that it happens to.
import type { Arrays, Bytes } from "../support/calls/row.mjs";

const NEW_BYTE = 0xee;
export const ROOM = 0x24000;

/** A growable SharedArrayBuffer or a resizable ArrayBuffer. */
type Changeable = ArrayBufferLike & { grow?(length: number): void; resize?(length: number): void };

export interface Change {
  readonly name: string;
  /** By how many bytes the array grows, if it does. */
  readonly by: number;
  act(buffer: Changeable): void;
  /** What the array holds afterwards; undefined if it is detached. */
  after(before: Bytes): Bytes | undefined;
}

/** Growth by some bytes, which are zeros or what is written to them at once. */
export const grown = (by: number, byte = NEW_BYTE): Change => ({
  name: `grown by ${by}`,
  by,
  act(buffer) {
    const before = buffer.byteLength;
    if (buffer.grow) buffer.grow(before + by);
    else buffer.resize?.(before + by);
    new Uint8Array(buffer, before).fill(byte);
  },
  after: (before) => Buffer.concat([before, Buffer.alloc(by, byte)]),
});

export const overwritten: Change = {
  name: "overwritten",
  by: 0,
  act: (buffer) => void new Uint8Array(buffer).fill(NEW_BYTE),
  after: ({ length }) => new Uint8Array(length).fill(NEW_BYTE),
};

interface Held {
  readonly views: Arrays;
  readonly names: ReadonlyMap<ArrayBufferLike, string>;
}

/** Puts a call's arrays into memory of their own. */
export function hold(arrays: Arrays, shared: boolean, view: (buffer: ArrayBufferLike, name: string) => unknown): Held {
  const names = new Map<ArrayBufferLike, string>();
  const entries = Object.entries(arrays).map(([name, bytes]) => {
    const options = { maxByteLength: bytes.length + ROOM };
    const buffer = shared ? new SharedArrayBuffer(bytes.length, options) : new ArrayBuffer(bytes.length, options);
    new Uint8Array(buffer).set(bytes);
    names.set(buffer, name);
    return [name, view(buffer, name)];
  });
  return { names, views: Object.fromEntries(entries) as Arrays };
}
