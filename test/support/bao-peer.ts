// Encodings of all formats, and what the decoder makes of them if a peer changes them.
import { BaoEncodeStream, type ContentRanges, type Outboard, outboard } from "blake-simd/bao";
import { IntegrityError as DecoderError } from "../../js/bao/errors.ts";
import { Verifier } from "../../js/bao/verify.ts";
import { concat, content, passed } from "./bao.ts";
import { Decoding } from "./bao-machines.ts";

export { DecoderError };

const KiB = 1024;

export interface BaoCase {
  readonly name: string;
  readonly format: "bao" | "iroh";
  readonly group: number;
  readonly range: ContentRanges;
  /** Every how many bits are flipped: a whole encoding has every bit flipped, one of ranges every 11th. */
  readonly step: number;
}

export const baoCases: readonly BaoCase[] = [
  { name: "a combined encoding of bao", format: "bao", group: KiB, range: {}, step: 1 },
  { name: "a slice of bao", format: "bao", group: KiB, range: { start: 3000, end: 17_000 }, step: 11 },
  { name: "iroh's response", format: "iroh", group: 16 * KiB, range: {}, step: 1 },
  {
    name: "iroh's response to two ranges",
    format: "iroh",
    group: 16 * KiB,
    range: { ranges: [{ start: 2000, end: 9000 }, { start: 15_000 }] },
    step: 11,
  },
];

/** The content of the cases, of 20 groups of 1 KiB, the last of which is short. */
export const baoMessage = content(20 * KiB - 300);

/** A case's encoding, the tree that it was made with, and the content that comes out of it. */
export interface Encoded {
  readonly tree: Outboard;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly right: Uint8Array<ArrayBuffer>;
}

export async function encode({ format, group, range }: Omit<BaoCase, "step">, message = baoMessage): Promise<Encoded> {
  const tree = outboard(message, { group });
  const bytes = await passed(new BaoEncodeStream(tree, { format, ...range }), message);
  const spans = range.ranges ?? [range];
  const right = concat(spans.map(({ start = 0, end = message.length }) => message.subarray(start, end)));
  return { tree, bytes, right };
}

/** What a decoder gave, and the error that ended it. */
export interface Decoded {
  readonly given: Uint8Array;
  readonly error: unknown;
}

/** Decodes chunks as `BaoDecodeStream` does: a stream for each of 300 000 flips would take minutes. */
export function decodeAtOnce(
  { format, group, range }: Omit<BaoCase, "step">,
  root: Uint8Array,
  ...chunks: readonly Uint8Array[]
): Decoded {
  const parts: Uint8Array[] = [];
  try {
    const decoder = new Decoding(root, { format, group, ...range }, (part) => parts.push(part));
    for (const chunk of chunks) decoder.push(chunk);
    decoder.end();
    return { given: concat(parts), error: undefined };
  } catch (error) {
    return { given: concat(parts), error };
  }
}

/**
 * Flips bits of an encoding, one at a time, and returns how many.
 *
 * @param bits the numbers of those to flip, of as many as there are
 * @throws Error if one is not noticed, or if a wrong byte is given
 */
export function requireFlipsNoticed(each: BaoCase, { tree, bytes, right }: Encoded, bits: Iterable<number>): number {
  // The header of what lacks the last chunk proves nothing: its low bytes may change unnoticed (bao's specification).
  const first = "end" in each.range ? 64 : 0;
  const copy = bytes.slice();
  let count = 0;
  for (const bit of bits) {
    if (bit < first) continue;
    copy[bit >> 3] = (copy[bit >> 3] as number) ^ (1 << (bit & 7));
    const { given, error } = decodeAtOnce(each, tree.root, copy);
    copy[bit >> 3] = (copy[bit >> 3] as number) ^ (1 << (bit & 7));
    if ((error as Error | undefined)?.name !== "IntegrityError") throw new Error(`bit ${bit}: ${error}`);
    if (!isPrefix(given, right)) throw new Error(`bit ${bit}: a wrong byte was given`);
    count++;
  }
  return count;
}

export function isPrefix(some: Uint8Array, all: Uint8Array): boolean {
  return some.length <= all.length && Buffer.compare(some, all.subarray(0, some.length)) === 0;
}

/** Counts the nodes that a `Decoder` takes one by one, and not with the whole subtree under them. */
export function countSingleNodes(act: () => void): number {
  const own = Verifier.prototype.node;
  let count = 0;
  Verifier.prototype.node = function (kernel) {
    count++;
    own.call(this, kernel);
  };
  try {
    act();
  } finally {
    Verifier.prototype.node = own;
  }
  return count;
}
