// Counters near the ends of their words, which no message in a test reaches: states with such a count continue as Go's
// do, in hashers up to the count that `restore` takes, and in the kernels alone beyond it.
import { readFileSync } from "node:fs";
import { type Algorithm, algorithms, type Backend } from "blake-simd";
import { restore, save } from "blake-simd/states";
import { describe, expect, it } from "vitest";
import { eachBackend } from "../support/backends.ts";
import { parse, withState } from "../support/saved-state.ts";
import { counting, type Options, vectors } from "../vectors/index.ts";

const [COUNT, CHAIN] = [16, 32];
const LONGEST = 2n ** 60n;

function putCount(state: DataView, count: bigint): void {
  state.setBigUint64(COUNT, count & (2n ** 64n - 1n), true);
  state.setBigUint64(COUNT + 8, count >> 64n, true);
}

describe.each([
  ["blake224", "blake256"],
  ["blake256", "blake256"],
  ["blake384", "blake512"],
  ["blake512", "blake512"],
  ["blake2b", "blake2b"],
  ["blake2s", "blake2s"],
] as const)("%s", (name, kernel) => {
  const algorithm = algorithms[name] as Algorithm<Options>;
  const { blockLength } = algorithm;
  const isBlake2 = /[bs]$/.test(name);

  eachBackend((backend) => {
    it("continues from counts near the ends of their words as Go's does", () => {
      const { presets } = vectors(name);
      expect(presets.length).toBeGreaterThan(20);
      for (const { count, input, options, digest } of presets) {
        const about = `${input} bytes after ${count}`;
        const message = counting(input);
        // A block of BLAKE2's that has been counted is compressed when a byte follows it, so the first one waits.
        const waiting = isBlake2 ? Math.min(input, blockLength) : 0;
        // As if `count` others, whole blocks, had come before and left the chaining value alone.
        const saved = withState(save(algorithm.create(options)), (head, bytes) => {
          head.setUint32(4, waiting, true);
          putCount(head, count + BigInt(waiting));
          bytes.set(message.subarray(0, waiting), CHAIN + blockLength / 2);
        });
        const rest = message.subarray(waiting);
        expect(digestAfter(backend, kernel, parse(saved), rest), about).toBe(digest);
        if (count + BigInt(waiting) > LONGEST) continue;
        const hasher = restore(algorithm, saved).update(rest);
        expect(hasher.digest("hex"), about).toBe(digest);
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
});

describe.each([
  ["blake2bp", "blake2b-lanes"],
  ["blake2sp", "blake2s-lanes"],
] as const)("%s", (name, kernel) => {
  eachBackend((backend) => {
    it("carries its leaves' counters over", () => {
      const { presets } = vectors(name);
      expect(presets.length).toBeGreaterThan(10);
      for (const { count, input, digest } of presets) {
        const saved = withState(save(algorithms[name].create()), (head) => putCount(head, count));
        expect(digestAfter(backend, kernel, parse(saved), counting(input)), `${count} + ${input}`).toBe(digest);
      }
    });
  });
});

/** The digest of a kernel after a state and the rest of the message. */
function digestAfter(backend: Backend, kernel: string, saved: ReturnType<typeof parse>, message: Uint8Array): string {
  const [PARAMETERS, STATE, OUTPUT, INPUT] = [0x4000, 0x5000, 0xc000, 0x10000];
  const file = new URL(`../../wasm/dist/${kernel}.${backend}.wasm`, import.meta.url);
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(file)));
  const { memory, update, finalize } = exports as unknown as {
    memory: WebAssembly.Memory;
    update(state: number, input: number, length: number): void;
    finalize(state: number, length: number): void;
  };
  const bytes = new Uint8Array(memory.buffer);
  const digestLength = Number(saved.digestLength);
  bytes.set(saved.parameters, PARAMETERS);
  bytes.set(saved.state, STATE);
  bytes.set(message, INPUT);
  update(STATE, INPUT, message.length);
  finalize(STATE, digestLength);
  return Buffer.from(bytes.subarray(OUTPUT, OUTPUT + digestLength)).toString("hex");
}
