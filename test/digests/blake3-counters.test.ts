// BLAKE3 numbers its chunks, and the blocks of its output, with 64 bits: also in lanes of which only some are past 2^32.
// @noble/hashes cannot start there, so the reference follows the paper.
import { blake3 } from "blake-simd";
import { chainingValue } from "blake-simd/hazmat";
import { expect, it } from "vitest";
import { eachBackend } from "../support/backends.ts";
import { expectBytes, pattern } from "../support/messages.ts";
import { keyed, outputBlock, PLAIN, subtreeValue } from "../support/specification.ts";

const KEY = pattern(32);
const CHUNK = 1024;
const CARRY = 2n ** 32n;
const message = pattern(300);

eachBackend(() => {
  it.each([0n, 1n, 2n, 3n, 4n, 5n, 8n])("output from %i blocks before number 2^32 on", (before) => {
    for (const length of [64, 128, 192, 256, 320, 512, 1000]) {
      for (const skip of [0n, 1n, 63n]) {
        const xof = blake3.create({ key: KEY }).update(message).xof();
        xof.position = (CARRY - before) * 64n + skip;
        const output = xof.read(length);
        const blocks = Array.from({ length: Math.ceil((length + Number(skip)) / 64) }, (_, i) =>
          outputBlock(keyed(KEY), message, CARRY - before + BigInt(i)),
        );
        const wanted = Buffer.concat(blocks).subarray(Number(skip), Number(skip) + length);
        expectBytes(output, wanted, `${length} bytes from ${skip} on`);
      }
    }
  });

  it("the reference has the first blocks of output, too", () => {
    const blocks = [0n, 1n, 2n].map((i) => outputBlock(PLAIN, message, i));
    expectBytes(blake3(message, { length: 192 }), Buffer.concat(blocks));
    expect(blocks[0]).not.toEqual(blocks[1]);
  });

  it.each([CARRY - 8n, CARRY - 4n, CARRY, CARRY + 4n, CARRY * 2n - 8n, 2n ** 50n])(
    "subtrees from chunk %i on",
    (chunk) => {
      for (const length of [1, 63, 64, CHUNK, CHUNK + 1, 2 * CHUNK, 3 * CHUNK + 64, 4 * CHUNK]) {
        const bytes = pattern(length);
        const value = chainingValue(bytes, { key: KEY, offset: chunk * BigInt(CHUNK) });
        expectBytes(value, subtreeValue(keyed(KEY), bytes, chunk), `${length} bytes`);
      }
    },
  );
});
