// The memory that a pool's `allocate` lends, and that is used again once it is released.

/** Reuses the memory of arrays, in particular SharedArrayBuffers, which engines collect late. */
export class LentMemory {
  /** The arrays that are lent, with all of the memory of each. */
  readonly #lent = new WeakMap<Uint8Array, BigUint64Array>();
  readonly #released: BigUint64Array[] = [];

  /** @throws RangeError for memory that cannot be allocated */
  lend(size: number, shared: boolean): Uint8Array {
    const words = this.#takeReleased(size) ?? newMemory(size, shared);
    const bytes = new Uint8Array(words.buffer, 0, size);
    this.#lent.set(bytes, words);
    return bytes;
  }

  #takeReleased(size: number): BigUint64Array | undefined {
    const at = this.#released.findIndex(({ length }) => length === wordsFor(size));
    return at < 0 ? undefined : this.#released.splice(at, 1)[0];
  }

  /** Wipes the memory of an array, and keeps it for later if `keeps`; returns false for one that is not lent. */
  takeBack(bytes: Uint8Array, keeps: boolean): boolean {
    const words = this.#lent.get(bytes);
    if (!words) return false;
    this.#lent.delete(bytes);
    // Only an ArrayBuffer can be detached.
    if (words.length === 0) return true;
    // In 8-byte words: filling a Uint8Array over shared memory writes single bytes.
    words.fill(0n);
    if (keeps) this.#released.push(words);
    return true;
  }

  /** Lets go of what was released. */
  clear(): void {
    this.#released.length = 0;
  }
}

const wordsFor = (size: number): number => Math.ceil(size / 8);

function newMemory(size: number, shared: boolean): BigUint64Array {
  return new BigUint64Array(new (shared ? SharedArrayBuffer : ArrayBuffer)(8 * wordsFor(size)));
}
