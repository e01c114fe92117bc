// How a message is divided among threads, and how what they answer is put together again.

/** A stretch of a message: its first byte and its bytes. */
export interface Part {
  readonly at: number;
  readonly length: number;
  /** Bytes in each of its groups, where the chaining values of groups are wanted, not those of its subtrees. */
  readonly group?: number | undefined;
}

/** Parts begin at multiples of so many bytes: close enough for even halves, and not too short for the kernel's lanes. */
const GRAIN = 0x4000;

/** A message as parts of about equal length, so that threads that begin together end together. */
export class Parts {
  /** How many they are. */
  readonly count: number;
  readonly #length: number;
  readonly #group: number | undefined;

  /** @param group where values of groups are wanted: none is divided */
  constructor(length: number, count: number, group?: number) {
    this.count = count;
    this.#length = length;
    this.#group = group;
  }

  /** The part of a number from 0 on. */
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
 * The subtrees that a part of a message is made of, from left to right, each as large as it may be where it begins (BLAKE3
 * paper, section 2.1): a power of 2 of grains, and what is less than a grain at the message's end.
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
