// Reads callers' buffers, of any realm, and makes arrays that can be wiped.

import { readGlobal } from "./globals.js";

const TypedArray = /* @__PURE__ */ Object.getPrototypeOf(Uint8Array.prototype);
const { get: typeOf } = /* @__PURE__ */ Object.getOwnPropertyDescriptor(TypedArray, Symbol.toStringTag) as {
  get: { call(of: unknown): string | undefined };
};

/** Returns whether a value is a Uint8Array, of any realm or subclass. */
export function isUint8Array(value: unknown): value is Uint8Array {
  return typeOf.call(value) === "Uint8Array";
}

/** Returns whether a value is a Uint8Array of this realm. Faster than {@link isUint8Array}. */
export function isLocalUint8Array(value: unknown): value is Uint8Array {
  // A Proxy is no view.
  return ArrayBuffer.isView(value) && value instanceof Uint8Array;
}

/**
 * Copies an array whose length was said to be `length`. Runs no code of a subclass, whose length may be a lie: it must
 * not have bytes hashed that others left in the target.
 */
export function copyBytes(target: Uint8Array, at: number, bytes: Uint8Array, length: number): void {
  if (bytes[length] !== undefined || (length > 0 && bytes[length - 1] === undefined)) {
    throw new RangeError("blake-simd: an array must have as many bytes as its length says");
  }
  if (length > MOST_LOOPED) target.set(bytes, at);
  else for (let i = 0; i < length; i++) target[at + i] = bytes[i] as number;
}

/** Up to this many bytes, a loop takes a third of the 25 ns of `set`. */
const MOST_LOOPED = 16;

/**
 * Returns zeros for a secret, which can be wiped. Without the ArrayBuffer, V8 would keep an array of up to 64 bytes in
 * its heap, and move it at a garbage collection or when `buffer` is read, as by `subarray`: the old bytes stay there.
 */
export function secretBytes(length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new ArrayBuffer(length));
}

/** Returns a copy of `length` bytes, which may be a secret. */
export function copyOf(bytes: Uint8Array, length = bytes.length): Uint8Array<ArrayBuffer> {
  const copy = secretBytes(length);
  copyBytes(copy, 0, bytes, length);
  return copy;
}

/** Arrays of up to this many bytes share a buffer: making one for each takes several times as long. */
const SMALL = 1024;
let shared = /* @__PURE__ */ new ArrayBuffer(0);
let sharedEnd = 0;

/**
 * Returns an array of zeros for bytes that may be secret, which never moves, so that it can be wiped. It must not leave
 * this package: its buffer has others, too.
 */
export function pooledSecret(length: number): Uint8Array<ArrayBuffer> {
  // NaN too: a part of the shared buffer for it would alias other arrays.
  if (!(length <= SMALL)) return new Uint8Array(new ArrayBuffer(length));
  if (sharedEnd + length > shared.byteLength) {
    shared = new ArrayBuffer(4 * SMALL);
    sharedEnd = 0;
  }
  const array = new Uint8Array(shared, sharedEnd, length);
  // Aligned for copies by words.
  sharedEnd += (length + 7) & -8;
  return array;
}

/** Returns such an array with the same bytes. */
export function pooledCopy(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const copy = pooledSecret(bytes.length);
  copy.set(bytes);
  return copy;
}

/** Returns a Uint8Array of fixed length over the bytes of a buffer or a view from one offset to another. */
export function viewOf(source: ArrayBufferView | ArrayBufferLike, from = 0, to?: number): Uint8Array {
  const { buffer, byteOffset, byteLength } = ArrayBuffer.isView(source) ? source : new DataView(source as ArrayBuffer);
  return new Uint8Array(buffer, byteOffset + from, (to ?? byteLength) - from);
}

/** Returns whether a value is an ArrayBuffer or a SharedArrayBuffer, of any realm. */
export function isBuffer(value: unknown): value is ArrayBufferLike {
  return hasLengthOf(ArrayBuffer, value) || isSharedBuffer(value);
}

/** Returns whether a value is a SharedArrayBuffer, of any realm. */
export function isSharedBuffer(value: unknown): value is SharedArrayBuffer {
  // The other getter throws for an ordinary buffer, which takes microseconds.
  if (hasLengthOf(ArrayBuffer, value)) return false;
  // A page that is not cross-origin isolated lacks the class but can have such buffers.
  const Shared = readGlobal(() => SharedArrayBuffer);
  if (Shared) return hasLengthOf(Shared, value);
  return Object.prototype.toString.call(value) === "[object SharedArrayBuffer]";
}

// The getter throws for a value of a different type.
function hasLengthOf({ prototype }: { prototype: object }, value: unknown): boolean {
  try {
    return Reflect.get(prototype, "byteLength", value) >= 0;
  } catch {
    return false;
  }
}

/**
 * Returns whether a value is a detached view or buffer, or neither of both. A detached one has the length 0, like an
 * empty one.
 */
export function isDetached(value: ArrayBufferLike | ArrayBufferView): boolean {
  try {
    if (!ArrayBuffer.isView(value)) new DataView(value);
    else if (typeOf.call(value)) TypedArray.keys.call(value);
    else void value.byteLength;
    return false;
  } catch {
    return true;
  }
}

/** Returns the bytes of several arrays, one after the other. */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = secretBytes(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
