// What BLAKE2b and BLAKE2s share: their options and the parameter block (BLAKE2 paper, section 2.8; RFC 7693 section 2.5).
import { type Algorithm, defineAlgorithm } from "./algorithm.js";
import { sequentialForm } from "./blake2-state.js";
import type { Input } from "./bytes.js";
import type { KernelModule } from "./kernel.js";
import { bigInteger, boolean, bytes, integer, MAX_UINT64, requireKnown } from "./options.js";

/** The parameters of BLAKE2. Lengths are in bytes; the limits of BLAKE2s, where they differ, stand in brackets. */
export interface Blake2Options {
  /** Digest length: 1 to 64 [32], by default 64 [32]. Each length gives another digest, not a prefix of a longer one. */
  readonly length?: number;
  /** Secret key of 1 to 64 [32] bytes, for a message authentication code. */
  readonly key?: Input;
  /** Up to 16 [8] bytes, zero-padded: randomises the hash. */
  readonly salt?: Input;
  /** Up to 16 [8] bytes, zero-padded: sets an application's hashes apart from all others. */
  readonly personal?: Input;
  /** Children per tree node: 0 (unlimited) to 255, by default 1 (no tree). */
  readonly fanout?: number;
  /** Levels of the tree: 1 to 255 (unlimited), by default 1 (no tree). */
  readonly maxDepth?: number;
  /** Bytes per leaf: 0 (unlimited, the default) to 2^32 - 1. */
  readonly maxLeafLength?: number;
  /** Place of this node in its level: 0 to 2^64 - 1 [2^48 - 1], as a bigint beyond 2^53 - 1. */
  readonly nodeOffset?: number | bigint;
  /** Level of this node: 0 (a leaf) to 255. */
  readonly nodeDepth?: number;
  /** Digest length of the inner nodes: 0 to 64 [32]. */
  readonly innerHashLength?: number;
  /** Whether this is the last node of its level. */
  readonly lastNode?: boolean;
}

const OPTIONS: readonly string[] = [
  "length",
  "key",
  "salt",
  "personal",
  "fanout",
  "maxDepth",
  "maxLeafLength",
  "nodeOffset",
  "nodeDepth",
  "innerHashLength",
  "lastNode",
];

const MAX_UINT48 = 2n ** 48n - 1n;

/** The word size in bytes fixes every size of BLAKE2: 8 for BLAKE2b, 4 for BLAKE2s. */
interface Variant {
  readonly name: string;
  readonly module: KernelModule;
  readonly word: 8 | 4;
}

export function defineBlake2({ name, module, word }: Variant): Algorithm<Blake2Options> {
  return defineAlgorithm<Blake2Options>({
    name,
    module,
    digestLength: 8 * word,
    blockLength: 16 * word,
    // Parameter block, key, last-node flag; the whole is a multiple of the word (wasm/blake2.h).
    parametersLength: 17 * word,
    encode(options, target) {
      requireKnown(name, options, OPTIONS);
      return encodeParameters(name, word, options, target);
    },
    state: sequentialForm(word),
  });
}

function encodeParameters(name: string, word: 8 | 4, options: Blake2Options, target: Uint8Array): number {
  // Read before anything is written: a getter may hash, which takes the memory at `target`.
  const { length: own, key, salt, personal, fanout, maxDepth, maxLeafLength } = options;
  const { nodeOffset, nodeDepth, innerHashLength, lastNode } = options;
  const longest = 8 * word;
  const offsetLength = word === 8 ? 8 : 6;
  const length = integer(name, "length", own, 1, longest, longest);
  target[0] = length;
  target[1] = encodeBytes(name, "key", key, 1, longest, target, 8 * word);
  target[2] = integer(name, "fanout", fanout, 0, 255, 1);
  target[3] = integer(name, "maxDepth", maxDepth, 1, 255, 1);
  putInteger(target, 4, 4, integer(name, "maxLeafLength", maxLeafLength, 0, 2 ** 32 - 1, 0));
  const offset = bigInteger(name, "nodeOffset", nodeOffset, word === 8 ? MAX_UINT64 : MAX_UINT48);
  putInteger(target, 8, offsetLength, offset);
  target[8 + offsetLength] = integer(name, "nodeDepth", nodeDepth, 0, 255, 0);
  target[9 + offsetLength] = integer(name, "innerHashLength", innerHashLength, 0, longest, 0);
  encodeBytes(name, "salt", salt, 0, 2 * word, target, 4 * word);
  encodeBytes(name, "personal", personal, 0, 2 * word, target, 6 * word);
  target[16 * word] = boolean(name, "lastNode", lastNode) ? 1 : 0;
  return length;
}

/** Writes an option's bytes, if it is there; answers how many. */
function encodeBytes(
  name: string,
  option: string,
  value: Input | undefined,
  min: number,
  max: number,
  target: Uint8Array,
  at: number,
): number {
  if (value === undefined) return 0;
  const octets = bytes(name, option, value, min, max);
  target.set(octets, at);
  return octets.length;
}

/** Writes a whole number in little-endian order. */
function putInteger(target: Uint8Array, at: number, length: number, value: number | bigint): void {
  if (typeof value === "bigint") {
    for (let i = 0; i < length; i++) target[at + i] = Number((value >> BigInt(8 * i)) & 255n);
  } else {
    for (let i = 0, rest = value; i < length; i++, rest = Math.floor(rest / 256)) target[at + i] = rest % 256;
  }
}
