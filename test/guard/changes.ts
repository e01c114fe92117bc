// What may happen to a caller's memory, and the memory that it happens to.
import type { Arrays, Bytes } from "../support/calls/row.mjs";

const NEW_BYTE = 0xee;

export interface Change {
  readonly name: string;
  act(buffer: ArrayBufferLike): void;
  /** What the array holds afterwards; undefined if it is detached. */
  after(before: Bytes): Bytes | undefined;
}

export const overwritten: Change = {
  name: "overwritten",
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
    const buffer = shared ? new SharedArrayBuffer(bytes.length) : new ArrayBuffer(bytes.length);
    new Uint8Array(buffer).set(bytes);
    names.set(buffer, name);
    return [name, view(buffer, name)];
  });
  return { names, views: Object.fromEntries(entries) as Arrays };
}
