// BLAKE3's tree as the paper's sections 2.2 to 2.6 write it, for messages that continue a list of subtrees: slow, plain,
// and independent of the kernels. Its chunk counter can start anywhere.

const IV = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];
const PERMUTATION = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8];
const MIXED: [number, number, number, number][] = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
];
const BLOCK = 64;
const CHUNK = 1024;
const CHUNK_START = 1;
const CHUNK_END = 2;
const PARENT = 4;
const ROOT = 8;

/** A compression that may yet become the root. */
interface Node {
  cv: number[];
  block: Uint8Array;
  counter: bigint;
  flags: number;
  length: number;
}

/** The key's eight words and the mode's flag. */
export interface Mode {
  key: number[];
  flags: number;
}

export const PLAIN: Mode = { key: IV, flags: 0 };

export const toWords = (bytes: Uint8Array): number[] =>
  Array.from({ length: bytes.length / 4 }, (_, i) =>
    new DataView(bytes.buffer, bytes.byteOffset).getUint32(4 * i, true),
  );

const toBytes = (words: number[]): Uint8Array => new Uint8Array(Uint32Array.from(words).buffer);

export const keyed = (key: Uint8Array): Mode => ({ key: toWords(key), flags: 16 });

/** The sixteen words of output; the first eight are the chaining value. */
function compress({ cv, block, counter, flags, length }: Node): number[] {
  const low = Number(counter & 0xffffffffn);
  const high = Number(counter >> 32n);
  const v = Int32Array.of(...cv, ...IV.slice(0, 4), low, high, length, flags);
  const turn = (x: number, by: number) => (x >>> by) | (x << (32 - by));
  let m = toWords(block);
  for (let round = 0; round < 7; round++) {
    for (const [i, [a, b, c, d]] of MIXED.entries()) {
      v[a]! += v[b]! + m[2 * i]!;
      v[d] = turn(v[d]! ^ v[a]!, 16);
      v[c]! += v[d]!;
      v[b] = turn(v[b]! ^ v[c]!, 12);
      v[a]! += v[b]! + m[2 * i + 1]!;
      v[d] = turn(v[d]! ^ v[a]!, 8);
      v[c]! += v[d]!;
      v[b] = turn(v[b]! ^ v[c]!, 7);
    }
    m = PERMUTATION.map((from) => m[from]!);
  }
  const first = cv.map((_, i) => (v[i]! ^ v[i + 8]!) >>> 0);
  return [...first, ...cv.map((word, i) => (v[i + 8]! ^ word) >>> 0)];
}

/** The eight words that a node passes on to its parent. */
const chain = (node: Node): number[] => compress(node).slice(0, 8);

function chunkNode({ key, flags }: Mode, bytes: Uint8Array, counter: bigint): Node {
  let cv = key;
  for (let at = 0; ; at += BLOCK) {
    const last = at + BLOCK >= bytes.length;
    const piece = bytes.subarray(at, at + BLOCK);
    const block = new Uint8Array(BLOCK);
    block.set(piece);
    const node = {
      cv,
      block,
      counter,
      flags: flags | (at === 0 ? CHUNK_START : 0) | (last ? CHUNK_END : 0),
      length: piece.length,
    };
    if (last) return node;
    cv = chain(node);
  }
}

const parentNode = ({ key, flags }: Mode, left: number[], right: number[]): Node => ({
  cv: key,
  block: Uint8Array.of(...toBytes(left), ...toBytes(right)),
  counter: 0n,
  flags: flags | PARENT,
  length: BLOCK,
});

/**
 * The 32-byte hash of a message whose first `chunks` chunks are known by the chaining values of their subtrees alone: one
 * for each bit set in `chunks`, the largest first.
 */
export function goOn(mode: Mode, subtrees: number[][], chunks: bigint, message: Uint8Array): Uint8Array {
  const stack = [...subtrees];
  let done = chunks;
  let at = 0;
  for (; message.length - at > CHUNK; at += CHUNK) {
    let cv = chain(chunkNode(mode, message.subarray(at, at + CHUNK), done));
    done += 1n;
    for (let rest = done; rest % 2n === 0n; rest /= 2n) cv = chain(parentNode(mode, stack.pop()!, cv));
    stack.push(cv);
  }
  let node = chunkNode(mode, message.subarray(at), done);
  while (stack.length > 0) node = parentNode(mode, stack.pop()!, chain(node));
  return toBytes(chain({ ...node, counter: 0n, flags: node.flags | ROOT }));
}

/** The chaining value of two neighbours' chaining values. The mode's flags may hold ROOT. */
export function parentValue(mode: Mode, left: Uint8Array, right: Uint8Array): Uint8Array {
  return toBytes(chain(parentNode(mode, toWords(left), toWords(right))));
}

/** The chaining value of a subtree that begins at the given chunk of its message. */
export function subtreeValue(mode: Mode, bytes: Uint8Array, chunk: bigint): Uint8Array {
  return toBytes(chain(subtreeNode(mode, bytes, chunk)));
}

function subtreeNode(mode: Mode, bytes: Uint8Array, chunk: bigint): Node {
  if (bytes.length <= CHUNK) return chunkNode(mode, bytes, chunk);
  const chunks = Math.ceil(bytes.length / CHUNK);
  const left = 2 ** Math.ceil(Math.log2(chunks) - 1);
  const [first, second] = [bytes.subarray(0, left * CHUNK), bytes.subarray(left * CHUNK)];
  return parentNode(
    mode,
    chain(subtreeNode(mode, first, chunk)),
    chain(subtreeNode(mode, second, chunk + BigInt(left))),
  );
}

/** Block number `block` of a message's extendable output: 64 bytes. Its chunks are counted from `chunk` on. */
export function outputBlock(mode: Mode, message: Uint8Array, block: bigint, chunk = 0n): Uint8Array {
  const node = subtreeNode(mode, message, chunk);
  return toBytes(compress({ ...node, counter: block, flags: node.flags | ROOT }));
}
