// The end of a long message, in a pool: every number of chunks in the last part, whole and cut off anywhere.
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import { it } from "vitest";
import { AREA_SIZE, hashPart, newPartKernel, SLOT_SIZE } from "../../js/parallel/part-kernel.ts";
import { FIRST_AREA, PAGE } from "../../js/tree/kernel.ts";
import { treeModule } from "../../js/tree/module.ts";
import { eachBackend } from "../support/backends.ts";
import { expectBytes, pattern } from "../support/messages.ts";
import { KIB, MESSAGE, MIB, withPool } from "../support/pool.ts";
import { keyed, subtreeValue } from "../support/specification.ts";

const KEY = pattern(32);
const KEYED_HASH = 16;
const TAILS = [1, 63, 64, 65, 128, 960, 1023];

/** The independent digests of prefixes, from one pass. */
function digestsOf(lengths: number[]): Uint8Array[] {
  const hash = nobleBlake3.create({});
  let at = 0;
  return lengths.map((length) => {
    hash.update(MESSAGE.subarray(at, length));
    at = length;
    return hash.clone().digest();
  });
}

eachBackend(() => {
  it.each([0, 2])("1 MiB and up to 17 chunks, with %i threads", async (threads) => {
    const chunks = Array.from({ length: 18 }, (_, i) => MIB + i * KIB);
    const lengths = chunks.flatMap((length, i) => (i < 5 ? [length, ...TAILS.map((tail) => length + tail)] : [length]));
    const wanted = digestsOf(lengths);
    await withPool({ threads }, async (pool) => {
      for (const [i, length] of lengths.entries()) {
        expectBytes(await pool.hash(MESSAGE.subarray(0, length)), wanted[i], `${length} bytes`);
      }
    });
  });

  /** The value of a part that is one group, from the workers' kernel. */
  function partValue(bytes: Uint8Array, chunk: number): Uint8Array {
    const pages = (FIRST_AREA + AREA_SIZE) / PAGE;
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    const address = FIRST_AREA + AREA_SIZE - SLOT_SIZE;
    new Uint8Array(memory.buffer).set(bytes, address);
    const parameters = new Uint8Array(36);
    parameters.set(KEY);
    parameters[32] = KEYED_HASH;
    const part = { slot: 0, offset: chunk * KIB, length: bytes.length, group: 8 * KIB, parameters };
    return hashPart(newPartKernel(treeModule(), memory, FIRST_AREA), part, address);
  }

  it.each([0, 8, 2 ** 32 - 8, 2 ** 32, 2 ** 33 - 16, 2 ** 40])("subtrees from chunk %i on", (chunk) => {
    const mode = keyed(KEY);
    for (const chunks of [1, 2, 3, 4, 5, 6, 7, 8]) {
      for (const less of [0, 1, 64, 960, 1023]) {
        const bytes = MESSAGE.subarray(0, chunks * KIB - less);
        expectBytes(partValue(bytes, chunk), subtreeValue(mode, bytes, BigInt(chunk)), `${bytes.length} bytes`);
      }
    }
  });
});
