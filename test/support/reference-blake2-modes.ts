// BLAKE2bp, BLAKE2sp, BLAKE2Xb and BLAKE2Xs as their papers write them, node by node over the plain reference.
import { hashNode, keyBlock, type Settings, type Variant, wordBytes } from "./reference-blake2.ts";

const NONE = new Uint8Array();

/** BLAKE2bp or BLAKE2sp (BLAKE2 paper, section 2.10). */
export function parallel(v: Variant, message: Uint8Array, { length, key }: Settings): Uint8Array {
  const longest = 8 * wordBytes(v);
  const fanout = longest === 64 ? 4 : 8;
  const shared = { length: length ?? longest, fanout, maxDepth: 2, innerHashLength: longest, ...(key && { key }) };
  const leaves = Array.from({ length: fanout }, (_, i) =>
    hashNode(v, keyBlock(v, key), leafOf(message, i, fanout, 2 * longest), {
      ...shared,
      nodeOffset: BigInt(i),
      lastNode: i === fanout - 1,
    }),
  );
  return hashNode(v, NONE, Buffer.concat(leaves), { ...shared, nodeDepth: 1, lastNode: true }).slice(0, shared.length);
}

/** Every `fanout`-th block of a message. */
function leafOf(message: Uint8Array, leaf: number, fanout: number, block: number): Uint8Array {
  const blocks: Uint8Array[] = [];
  for (let at = leaf * block; at < message.length; at += fanout * block) blocks.push(message.subarray(at, at + block));
  return Buffer.concat(blocks);
}

/** The first bytes of BLAKE2Xb or BLAKE2Xs (BLAKE2X paper, section 2): as many as `length` tells, or one digest. */
export function extendable(v: Variant, message: Uint8Array, { length, ...settings }: Settings): Uint8Array {
  const longest = 8 * wordBytes(v);
  const { key, ...salted } = settings;
  const declared = BigInt(length ?? (longest === 64 ? 2 ** 32 - 1 : 2 ** 16 - 1)) << 32n;
  const seed = hashNode(v, keyBlock(v, key), message, { ...settings, nodeOffset: declared });
  const wanted = length ?? longest;
  const output: Uint8Array[] = [];
  for (let at = 0; at < wanted; at += longest) {
    const own = Math.min(longest, wanted - at);
    const shape = { fanout: 0, maxDepth: 0, maxLeafLength: longest, innerHashLength: longest, ...salted };
    const node = hashNode(v, NONE, seed, { ...shape, length: own, nodeOffset: declared + BigInt(at / longest) });
    output.push(node.subarray(0, own));
  }
  return Uint8Array.from(Buffer.concat(output));
}
