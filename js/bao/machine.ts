// Bytes that come in chunks of any size, taken in steps of known size.

/** What takes bytes in steps. A step that throws is the last one. */
export abstract class Machine {
  /** Bytes that are fewer than the next step needs. */
  #held = new Uint8Array();
  #count = 0;

  /** Bytes that the next step needs; undefined when there is none. */
  protected abstract need(): number | undefined;
  /** Takes the next step, or several, of the `need` bytes or more in the window; returns how many it has used. */
  protected abstract step(window: Uint8Array): number;
  /** Bytes have come after the last step. */
  protected abstract surplus(count: number): void;

  /** Takes all bytes of a chunk. */
  push(chunk: Uint8Array): void {
    let at = 0;
    for (let need = this.need(); need !== undefined; need = this.need()) {
      if (this.#count > 0) {
        at += this.#hold(chunk, at, need);
        if (this.#count < need) return;
        this.#count = 0;
        this.step(this.#held.subarray(0, need));
      } else {
        if (chunk.length - at < need) {
          this.#hold(chunk, at, need);
          return;
        }
        at += this.step(at === 0 ? chunk : chunk.subarray(at));
      }
    }
    if (at < chunk.length) this.surplus(chunk.length - at);
  }

  #hold(chunk: Uint8Array, at: number, need: number): number {
    if (this.#held.length < need) {
      const larger = new Uint8Array(need);
      larger.set(this.#held.subarray(0, this.#count));
      this.#held = larger;
    }
    const count = Math.min(need - this.#count, chunk.length - at);
    this.#held.set(chunk.subarray(at, at + count), this.#count);
    this.#count += count;
    return count;
  }

  /** Forgets what it holds. */
  dispose(): void {
    this.#held.fill(0);
    this.#held = new Uint8Array();
    this.#count = 0;
  }
}
