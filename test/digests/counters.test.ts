// Counters near the ends of their words, which no message in a test reaches: states with such a count continue as Go's do, and
// none is restored beyond the end. The proofs have every counter, over the specification alone.
import { readFileSync } from "node:fs";
import { type Algorithm, algorithms, type Backend, type Hasher } from "blake-simd";
import { restore, save } from "blake-simd/states";
import { describe, expect, it } from "vitest";
import { eachBackend } from "../support/backends.ts";
import { expectError } from "../support/errors.ts";
import { parse, withState } from "../support/saved-state.ts";
import { counting, type Options, vectors } from "../vectors/index.ts";

const [COUNT, CHAIN] = [16, 32];

function putCount(state: DataView, count: bigint): void {
  state.setBigUint64(COUNT, count & (2n ** 64n - 1n), true);
  state.setBigUint64(COUNT + 8, count >> 64n, true);
}

describe.each(["blake224", "blake256", "blake384", "blake512", "blake2b", "blake2s"] as const)("%s", (name) => {
  const algorithm = algorithms[name] as Algorithm<Options>;
  const { blockLength } = algorithm;
  const isBlake2 = /[bs]$/.test(name);
  const limit = 2n ** BigInt(isBlake2 ? blockLength : blockLength - 3);

  /** A hasher of some bytes, as if `count` others, whole blocks, had come before and left the chaining value alone. */
  function after(count: bigint, input: number, options: Options = {}): Hasher {
    // A block of BLAKE2's that has been counted is compressed when a byte follows it, so the first one waits.
    const waiting = isBlake2 ? Math.min(input, blockLength) : 0;
    const state = withState(save(algorithm.create(options)), (head, bytes) => {
      head.setUint32(4, waiting, true);
      putCount(head, count + BigInt(waiting));
      bytes.set(counting(waiting), CHAIN + blockLength / 2);
    });
    return restore(algorithm, state).update(counting(input).subarray(waiting));
  }

  eachBackend(() => {
    it("continues from counts near the ends of their words as Go's does", () => {
      const { presets } = vectors(name);
      expect(presets.length).toBeGreaterThan(20);
      for (const { count, input, options, digest } of presets) {
        const hasher = after(count, input, options);
        expect(hasher.digest("hex"), `${input} bytes after ${count}`).toBe(digest);
        expect(hasher.bytesHashed).toBe(count + BigInt(input));
      }
    });

    it("has the chaining values of Go's midstates", () => {
      const file = vectors(name);
      if (!("chains" in file)) return;
      expect(file.chains.length).toBeGreaterThan(3);
      for (const { input, options, chain } of file.chains) {
        const { state } = parse(save(algorithm.create(options).update(counting(input))));
        const words = Buffer.from(state.subarray(CHAIN, CHAIN + chain.length / 2));
        expect((isBlake2 ? words : words.swap32()).toString("hex"), `${input} bytes`).toBe(chain);
      }
    });
  });

  // Sixteen bytes hold every count of BLAKE2b.
  if (name !== "blake2b")
    it("restores a count up to the end, and none beyond", () => {
      const block = BigInt(blockLength);
      expect(after(limit - 2n * block, blockLength).bytesHashed).toBe(limit - block);
      expectError(
        () => after(limit, 0),
        RangeError,
        "restore: state must have byte count",
        `${limit - 1n}, got ${limit}`,
      );
    });
});

describe.each([
  ["blake2bp", "blake2b-lanes", 8, 4],
  ["blake2sp", "blake2s-lanes", 4, 8],
] as const)("%s", (name, kernel, word, leaves) => {
  eachBackend((backend) => {
    it("carries its leaves' counters over", () => {
      const { presets } = vectors(name);
      expect(presets.length).toBeGreaterThan(10);
      for (const { count, input, digest } of presets) {
        const got = digestAfter(backend, kernel, word, leaves, count, counting(input));
        expect(Buffer.from(got).toString("hex"), `${count} + ${input}`).toBe(digest);
      }
    });
  });
});

/** The digest of a message after this many earlier bytes, which left the chaining values as they were. */
function digestAfter(
  backend: Backend,
  kernel: string,
  word: number,
  leaves: number,
  count: bigint,
  message: Uint8Array,
) {
  const [PARAMETERS, STATE, OUTPUT, INPUT] = [0x4000, 0x5000, 0xc000, 0x10000];
  const file = new URL(`../../wasm/dist/${kernel}.${backend}.wasm`, import.meta.url);
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(file)));
  const { memory, init, update, finalize } = exports as unknown as {
    memory: WebAssembly.Memory;
    init(state: number): void;
    update(state: number, input: number, length: number): void;
    finalize(state: number, length: number): void;
  };
  const bytes = new Uint8Array(memory.buffer);
  bytes.set([8 * word, 0, leaves, 2], PARAMETERS);
  bytes[PARAMETERS + (word === 8 ? 17 : 15)] = 8 * word;
  bytes[PARAMETERS + 16 * word] = 2;
  init(STATE);
  new DataView(memory.buffer).setBigUint64(STATE + COUNT, count, true);
  bytes.set(message, INPUT);
  update(STATE, INPUT, message.length);
  finalize(STATE, 8 * word);
  return bytes.slice(OUTPUT, OUTPUT + 8 * word);
}
