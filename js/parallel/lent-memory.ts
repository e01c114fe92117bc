// The memory that a pool's `allocate` lends, and that is used again once it is released: engines collect
// SharedArrayBuffers late (nodejs/node#34703).
export class LentMemory {
  readonly #lent = new WeakSet<Uint8Array>();
  #released: Uint8Array[] = [];

  /** @throws RangeError for memory that cannot be allocated */
  lend(size: number, shared: boolean): Uint8Array {
    const at = this.#released.findIndex(({ length }) => length === size);
    const [released] = at < 0 ? [] : this.#released.splice(at, 1);
    const bytes = new Uint8Array(released?.buffer ?? new (shared ? SharedArrayBuffer : ArrayBuffer)(size));
    this.#lent.add(bytes);
    return bytes;
  }

  /** Wipes the memory of an array, and keeps it for later if `keeps`; returns false for one that is not lent. */
  takeBack(bytes: Uint8Array, keeps: boolean): boolean {
    if (!this.#lent.delete(bytes)) return false;
    // There are none once its buffer was transferred.
    if (bytes.length === 0) return true;
    bytes.fill(0);
    if (keeps) this.#released.push(bytes);
    return true;
  }

  /** Lets go of what was released. */
  clear(): void {
    this.#released = [];
  }
}
