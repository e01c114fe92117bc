// Extracts a slice from a combined encoding, or from content and its outboard, without verifying it, as bao does.
import { leftSubtreeLength } from "../../hazmat.js";
import type { File } from "../files/read.js";

const HEADER = 8;
const NODE = 64;

/** A subtree: its content, and the number of nodes before it in pre-order. */
interface EncodedSubtree {
  readonly offset: number;
  readonly length: number;
  readonly nodes: number;
}

/**
 * Yields the slice for a range of content.
 *
 * @param file a combined encoding, or the content if `outboard` is given
 * @param end the offset after the range, or undefined for the end of the content
 */
export function* sliceOf(
  file: File,
  start: number,
  end: number | undefined,
  group: number,
  outboard?: Uint8Array,
): Generator<Uint8Array, void, undefined> {
  const header = outboard ? outboard.subarray(0, HEADER) : file.part(0, HEADER);
  if (header.length < HEADER) throw new Error("the encoding must begin with a header of 8 bytes, got its end");
  const length = Number(Buffer.from(header).readBigUInt64LE());
  if (!Number.isSafeInteger(length))
    throw new Error("the encoding's header must hold a length below 2^53, got another");
  yield header;
  const first = Math.min(start, Math.max(0, length - 1));
  const last = Math.max(first, Math.min(end ?? length, length) - 1);
  const pending: EncodedSubtree[] = [{ offset: 0, length, nodes: 0 }];
  for (let tree = pending.pop(); tree; tree = pending.pop()) {
    const isLeaf = tree.length <= group;
    yield* isLeaf ? leaf(file, tree, outboard) : [node(file, tree, outboard)];
    if (isLeaf) continue;
    const [left, right] = halves(tree, group);
    if (right.offset <= last) pending.push(right);
    if (first < right.offset) pending.push(left);
  }
}

function halves(
  { offset, length, nodes }: EncodedSubtree,
  group: number,
): [left: EncodedSubtree, right: EncodedSubtree] {
  const left = leftSubtreeLength(length);
  return [
    { offset, length: left, nodes: nodes + 1 },
    { offset: offset + left, length: length - left, nodes: nodes + left / group },
  ];
}

function node(file: File, { offset, nodes }: EncodedSubtree, outboard: Uint8Array | undefined): Uint8Array {
  const at = HEADER + nodes * NODE;
  const bytes = outboard ? outboard.subarray(at, at + NODE) : file.part(offset + at, NODE);
  return whole(bytes, NODE);
}

function* leaf(file: File, { offset, length, nodes }: EncodedSubtree, outboard: Uint8Array | undefined) {
  const at = outboard ? offset : HEADER + offset + nodes * NODE;
  yield whole(file.part(at, length), length);
}

function whole(bytes: Uint8Array, length: number): Uint8Array {
  if (bytes.length === length) return bytes;
  throw new Error("the encoding must hold all that its header says, got its end");
}
