// BLAKE2bp and BLAKE2sp: against the tree of plain BLAKE2 nodes that they are, at every length; in pieces; and past the
// carries of their leaves' counters. own-vectors.test.ts and official-vectors.test.ts compare them with other implementations.
import { readFileSync } from "node:fs";
import {
  type Algorithm,
  type Backend,
  type Blake2Options,
  blake2b,
  blake2bp,
  blake2s,
  blake2sp,
  toHex,
  useBackend,
} from "blake-simd";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eachBackend } from "../support/backends.ts";
import { expectBytes, pattern } from "../support/messages.ts";
import { vectors } from "../vectors/index.ts";

interface Options {
  length?: number;
  key?: Uint8Array;
}

interface Variant {
  readonly name: "blake2bp" | "blake2sp";
  readonly kernel: string;
  readonly algorithm: Algorithm<Options>;
  readonly node: Algorithm<Blake2Options>;
  readonly leaves: number;
}

const variants: Variant[] = [
  { name: "blake2bp", kernel: "blake2b-lanes", algorithm: blake2bp, node: blake2b, leaves: 4 },
  { name: "blake2sp", kernel: "blake2s-lanes", algorithm: blake2sp, node: blake2s, leaves: 8 },
];

/**
 * The tree of the BLAKE2 paper's "Parallel hashing", node by node. Only without a key and at full length: a keyed root takes no
 * key in, and a leaf has the inner length whatever its parameters say, which no plain BLAKE2 node does.
 */
function treeOf({ node, leaves }: Variant, message: Uint8Array): Uint8Array {
  const { blockLength: block, digestLength } = node;
  const shape = { fanout: leaves, maxDepth: 2, innerHashLength: digestLength };
  const hashers = Array.from({ length: leaves }, (_, i) =>
    node.create({ ...shape, nodeOffset: i, lastNode: i === leaves - 1 }),
  );
  for (let at = 0; at < message.length; at += block) {
    hashers[(at / block) % leaves]!.update(message.subarray(at, at + block));
  }
  const root = node.create({ ...shape, nodeDepth: 1, lastNode: true });
  for (const hasher of hashers) root.update(hasher.digest());
  return root.digest();
}

describe.each(variants)("$name", (variant) => {
  const { name, algorithm, leaves } = variant;
  const { blockLength: block, digestLength } = algorithm;
  const stripe = leaves * block;

  eachBackend((backend) => {
    it("is its tree of nodes at every length up to four stripes", () => {
      const message = pattern(4 * stripe + 1);
      for (let length = 0; length <= message.length; length++) {
        const input = message.subarray(0, length);
        expectBytes(algorithm(input), treeOf(variant, input), `${length} bytes`);
      }
    });

    it("is its tree of nodes around the edges of stripes and input areas", () => {
      const message = pattern(0x20000 + 2 * stripe);
      for (const middle of [7 * stripe, 0x10000, 0x10000 + stripe, 0x20000]) {
        for (let length = middle - block - 1; length <= middle + block + 1; length += block / 2) {
          const input = message.subarray(0, length);
          expectBytes(algorithm(input), treeOf(variant, input), `${length} bytes`);
        }
      }
    });

    it("has the same digest in two pieces, wherever they part", () => {
      const message = pattern(3 * stripe + block + 5);
      for (const options of [{}, { key: pattern(9) }]) {
        const wanted = algorithm(message, options);
        for (let at = 0; at <= message.length; at++) {
          const hasher = algorithm.create(options).update(message.subarray(0, at));
          hasher.digest();
          expectBytes(hasher.update(message.subarray(at)).digest(), wanted, `parted at ${at}`);
        }
      }
    });

    it("has the same digest in any pieces", () => {
      const pieces = fc.array(fc.integer({ min: 0, max: 2 * stripe + 3 }), { maxLength: 12 });
      const key = fc.option(fc.integer({ min: 1, max: digestLength }), { nil: undefined });
      fc.assert(
        fc.property(pieces, key, (lengths, keyLength) => {
          const options = keyLength ? { key: pattern(keyLength) } : {};
          const message = pattern(lengths.reduce((sum, length) => sum + length, 0));
          const hasher = algorithm.create(options);
          let at = 0;
          for (const length of lengths) {
            // Settles what is gathered, so that the kernel meets these very pieces.
            hasher.update(message.subarray(at, at + length)).digest();
            at += length;
          }
          expectBytes(hasher.digest(), algorithm(message, options));
        }),
      );
    });

    it("gives each digest length and each key length a digest of its own", () => {
      const message = pattern(stripe + 1);
      const seen = new Set<string>();
      for (let n = 1; n <= digestLength; n++) {
        const short = algorithm(message, { length: n });
        expect(short).toHaveLength(n);
        if (n > 4) seen.add(toHex(short.subarray(0, 4)));
        seen.add(toHex(algorithm(message, { key: pattern(n) })));
      }
      expect(seen.size).toBe(2 * digestLength - 4);
    });

    it("continues where the other build stopped", () => {
      const message = pattern(5 * stripe + 77);
      const wanted = algorithm(message);
      for (const at of [0, 1, block, stripe, 2 * stripe - block, 2 * stripe, 4 * stripe + 3]) {
        useBackend(backend);
        const hasher = algorithm.create().update(message.subarray(0, at));
        hasher.digest();
        useBackend(backend === "simd128" ? "baseline" : "simd128");
        expectBytes(hasher.update(message.subarray(at)).digest(), wanted, `after ${at} bytes`);
      }
    });

    it("carries its leaves' counters over", () => {
      const { presets } = vectors(name);
      expect(presets.length).toBeGreaterThan(0);
      for (const { count, input, digest } of presets) {
        expect(toHex(digestAfter(variant, backend, count, pattern(input))), `${count} + ${input}`).toBe(digest);
      }
    });
  });
});

/** The digest of a message after this many earlier bytes, which left the chaining values as they were. */
function digestAfter({ kernel, node, leaves }: Variant, backend: Backend, count: bigint, message: Uint8Array) {
  const [PARAMETERS, STATE, OUTPUT, INPUT, COUNT] = [0x4000, 0x5000, 0xc000, 0x10000, 16];
  const file = new URL(`../../wasm/dist/${kernel}.${backend}.wasm`, import.meta.url);
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(file)));
  const { memory, init, update, finalize } = exports as unknown as {
    memory: WebAssembly.Memory;
    init(state: number): void;
    update(state: number, input: number, length: number): void;
    finalize(state: number, length: number): void;
  };
  const bytes = new Uint8Array(memory.buffer);
  const word = node.digestLength / 8;
  bytes.set([node.digestLength, 0, leaves, 2], PARAMETERS);
  bytes[PARAMETERS + (word === 8 ? 17 : 15)] = node.digestLength;
  bytes[PARAMETERS + 16 * word] = 2;
  init(STATE);
  new DataView(memory.buffer).setBigUint64(STATE + COUNT, count, true);
  bytes.set(message, INPUT);
  update(STATE, INPUT, message.length);
  finalize(STATE, node.digestLength);
  return bytes.slice(OUTPUT, OUTPUT + node.digestLength);
}
