// Divides a message among threads.

/** A range of a message, in bytes. */
export interface Part {
  readonly at: number;
  readonly length: number;
  /** Bytes in each of its groups, if the chaining values of groups are needed instead of those of subtrees. */
  readonly group?: number | undefined;
}

/** Parts begin at multiples of this many bytes: small enough for equal parts, large enough for the kernel's lanes. */
const GRAIN = 0x4000;

/** A message divided into parts of about equal length, so that threads that start together finish together. */
export class Parts {
  /** The number of parts. */
  readonly count: number;
  readonly #length: number;
  readonly #group: number | undefined;

  /** @param group bytes in a group, if the values of groups are needed: no group is divided */
  constructor(length: number, count: number, group?: number) {
    this.count = count;
    this.#length = length;
    this.#group = group;
  }

  /** Returns the part with this number, counted from 0. */
  part(number: number): Part {
    const at = this.#cut(number);
    return { at, length: this.#cut(number + 1) - at, group: this.#group };
  }

  #cut(number: number): number {
    const grain = Math.max(GRAIN, this.#group ?? 0);
    const grains = Math.ceil(this.#length / grain);
    return Math.min(Math.ceil((grains * number) / this.count) * grain, this.#length);
  }
}

/**
 * Returns the subtrees of a part of a message, from left to right. Each is as large as its position allows (BLAKE3
 * paper, section 2.1): a power of 2 of grains, or the incomplete grain at the end of the message.
 */
export function subtreesOf({ at, length }: Part): Part[] {
  const subtrees: Part[] = [];
  const end = at + length;
  for (let start = at; start < end; ) {
    let size = GRAIN;
    while (start % (2 * size) === 0 && start + 2 * size <= end) size *= 2;
    subtrees.push({ at: start, length: Math.min(size, end - start) });
    start += size;
  }
  return subtrees;
}
