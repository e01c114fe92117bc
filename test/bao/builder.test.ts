// Outboards of content that is hashed in pieces: their roots, their nodes, and the room that these take.
import { blake3 as nobleBlake3 } from "@noble/hashes/blake3.js";
import { toHex } from "blake-simd";
import { outboard } from "blake-simd/bao";
import { expect, it } from "vitest";
import { OutboardBuilder } from "../../js/bao/builder.ts";
import { content } from "../support/bao.ts";
import { expectBytes } from "../support/messages.ts";

const message = content(800_000);

// A piece has 256 KiB.
it.each([0, 1, 1024, 1025].flatMap((more) => [256, 512, 768].map((kib) => kib * 1024 + more)))(
  "of %i bytes have noble's root, whether they come at once or not",
  (length) => {
    const bytes = message.subarray(0, length);
    const root = toHex(nobleBlake3(bytes));
    for (const group of [1024, 2 ** 18, 2 ** 19]) {
      const tree = outboard(bytes, { group });
      expect(toHex(tree.root)).toBe(root);
      tree.check();
      expect(tree.toBytes("iroh")).toHaveLength(64 * (Math.ceil(length / group) - 1));
      const builder = new OutboardBuilder(group);
      for (let at = 0; at < length; at += 100_000) builder.update(bytes.subarray(at, at + 100_000));
      const other = builder.digest();
      expect(toHex(other.root)).toBe(root);
      expectBytes(other.toBytes("post-order"), tree.toBytes("post-order"));
      const own = other.nodes(0, Math.ceil(length / group) - 1)!;
      expect(own.buffer.byteLength, "no more room than the nodes take").toBe(own.length);
    }
  },
);

it.each([1, 20])("of %i MiB at once make room for their nodes once", (mib) => {
  const made: number[] = [];
  const Bytes = globalThis.Uint8Array;
  const long = new Bytes(mib * 2 ** 20 + 1);
  globalThis.Uint8Array = class extends Bytes {
    constructor(...args: [length: number]) {
      super(...args);
      // Views of what has been made are no room, nor are single values.
      if (typeof args[0] === "number" && args[0] > 64) made.push(args[0]);
    }
  } as unknown as Uint8ArrayConstructor;
  try {
    outboard(long, { group: 1024 });
  } finally {
    globalThis.Uint8Array = Bytes;
  }
  expect(made).toEqual([mib * 1024 * 64]);
});

it("of no bytes have no nodes in any format, and a header in bao's alone", () => {
  const empty = outboard("");
  expect(["bao", "iroh", "post-order"].map((format) => empty.toBytes(format as "bao"))).toEqual([
    new Uint8Array(8),
    new Uint8Array(),
    new Uint8Array(),
  ]);
});
