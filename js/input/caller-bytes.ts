// Reads callers' buffers with the engine's own getters: a subclass may override them with code that calls this package.

import { readGlobal } from "./globals.js";

/**
 * A Uint8Array that may be a caller's. Another thread may overwrite its bytes and, over a growable SharedArrayBuffer,
 * lengthen it at any time. Its length is therefore read once, and only the bounded copies below read its bytes.
 */
export type CallerBytes = Pick<Uint8Array, typeof Symbol.toStringTag>;

type Getter<Value> = { call(of: unknown): Value };

const TypedArray = /* @__PURE__ */ Object.getPrototypeOf(Uint8Array.prototype);
const typeOf = /* @__PURE__ */ getter<string | undefined>(TypedArray, Symbol.toStringTag);
const length = /* @__PURE__ */ getter<number>(TypedArray, "length");
const keys = TypedArray.keys as { call(of: unknown): unknown };

function getter<Value>(prototype: object, property: PropertyKey): Getter<Value> {
  return (Object.getOwnPropertyDescriptor(prototype, property) as { get: Getter<Value> }).get;
}

/** Reads a property of a view of any class. Slower than a {@link getter}. */
function read<Name extends keyof ArrayBufferView>(view: ArrayBufferView, name: Name): ArrayBufferView[Name] {
  return Reflect.get(typeOf.call(view) ? TypedArray : DataView.prototype, name, view);
}

/** Returns whether a value is a Uint8Array, of any realm or subclass. */
export function isUint8Array(value: unknown): value is Uint8Array {
  return typeOf.call(value) === "Uint8Array";
}

/**
 * Returns whether a value is a Uint8Array of this realm. Faster than {@link isUint8Array}; it may call a user's getter.
 */
export function isLocalUint8Array(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value) && value instanceof Uint8Array && value.length === value.byteLength;
}

/** Returns the length of a Uint8Array in bytes; 0 if it is detached. */
export function lengthOf(bytes: CallerBytes): number {
  return length.call(bytes);
}

/**
 * Copies the first `length` bytes, which the array had when its length was read. May zero the rest of the target, so
 * pass one that ends with these bytes.
 */
export function copyBytes(target: Uint8Array, at: number, bytes: CallerBytes, length: number): void {
  const array = bytes as Uint8Array;
  try {
    target.set(array, at);
    if (array[length] === undefined) return;
  } catch {
    // Longer than the rest of the target.
  }
  copyLengthened(target, at, bytes, length);
}

/** Copies bytes that another thread has lengthened in the meantime. */
function copyLengthened(target: Uint8Array, at: number, bytes: CallerBytes, length: number): void {
  target.set(viewOf(bytes, 0, length), at);
  target.fill(0, at + length);
}

/**
 * Returns zeros for a secret, which can be wiped. Without the ArrayBuffer, V8 would keep an array of up to 64 bytes in
 * its heap, and move it at a garbage collection or when `buffer` is read, as by `subarray`: the old bytes stay there.
 */
export function secretBytes(length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new ArrayBuffer(length));
}

/** Returns a copy of the first `length` bytes, which may be a secret. */
export function copyOf(bytes: CallerBytes, length = lengthOf(bytes)): Uint8Array<ArrayBuffer> {
  const copy = secretBytes(length);
  copyBytes(copy, 0, bytes, length);
  return copy;
}

/** Arrays of up to this many bytes share a buffer: making one for each takes several times as long. */
const SMALL = 512;
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
    shared = new ArrayBuffer(16 * SMALL);
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
export function viewOf(source: CallerBytes | ArrayBufferView | ArrayBufferLike, from = 0, to?: number): Uint8Array {
  const view = ArrayBuffer.isView(source) ? source : new DataView(source as ArrayBufferLike);
  const end = to ?? read(view, "byteLength");
  return new Uint8Array(read(view, "buffer"), read(view, "byteOffset") + from, end - from);
}

/** Copies bytes into a caller's Uint8Array, starting at `at`. */
export function copyInto(target: Uint8Array, bytes: Uint8Array, at = 0): void {
  // V8 before 14 inlines the function only if it is looked up here: 8 % of a short message's time.
  Uint8Array.prototype.set.call(target, bytes, at);
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
    else if (typeOf.call(value)) keys.call(value);
    else read(value, "byteLength");
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
