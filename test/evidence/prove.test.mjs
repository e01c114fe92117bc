// The checker of `npm run prove` is checked: its rules against arithmetic, its machine against WebAssembly itself, its
// specification against official vectors; it finds planted leaks and refuses faulty modules, and accepts those that
// compute the same.
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { bytes as fromHex, hashOfHex, officialSets } from "../vectors/index.ts";
import { equivalents, faults, findingOf } from "./prove/faults.mjs";
import { areas, BUILDS, bytesOfModule, DIST, Kernel, latenciesOf, MODULES, message } from "./prove/kernel.mjs";
import { findingIn, leaks, moduleOf } from "./prove/leaks.mjs";
import { checkRules, evaluate, random } from "./prove/machine/evaluate.mjs";
import { EARLIER, OTHERS } from "./prove/machine/memory.mjs";
import { readModule } from "./prove/machine/module.mjs";
import { forget, isTerm } from "./prove/machine/terms.mjs";
import { algorithms } from "./prove/proofs/blake-states.mjs";
import { blake3 } from "./prove/proofs/blake3-states.mjs";
import { choose } from "./prove/proofs/cases.mjs";
import * as spec from "./prove/specification.mjs";

afterEach(() => forget());

describe("terms", () => {
  it.each([32, 64])("of %i bits have the values that arithmetic gives", (w) => {
    for (let seed = 0; seed < 60; seed++) {
      checkRules(w, 100, seed);
      forget();
    }
  });
});

describe("cases", () => {
  const lists = { a: spec.range(0, 20), b: spec.range(0, 30) };
  const isAllowed = ({ a, b }) => a + b > 0;

  it("are all of them, if no more are wanted", () => {
    const all = choose({ lists, isAllowed }, 600, 1);
    expect(new Set(all.map(({ a, b }) => `${a} ${b}`)).size).toBe(599);
  });

  it("or so many, with every value and every pair of ends", () => {
    const some = choose({ lists, others: { c: [1, 2] }, isAllowed }, 70, 1);
    expect(some).toHaveLength(70);
    expect(new Set(some.map(({ b }) => b)).size).toBe(30);
    expect(some.filter(({ a, b }) => a === 19 && b === 29)).not.toEqual([]);
    expect(choose({ lists, others: { c: [1, 2] } }, 70, 1).filter(({ c }) => c === 1)).toHaveLength(35);
    expect(choose({ lists }, 70, 2)).not.toEqual(choose({ lists }, 70, 3));
  });
});

describe("the machine computes what WebAssembly does", () => {
  const BYTES = 0x20000;
  // The last algorithm of each module.
  const all = Object.fromEntries([...Object.values(algorithms), blake3].map((of) => [of.module, of]));
  const cases = Object.keys(all).flatMap((name) =>
    BUILDS.flatMap((build) => latenciesOf(name, build).map((latency) => [name, build, latency])),
  );

  it.each(cases)("%s %s, latency %s", async (name, build, latency) => {
    const next = random(name.length + build.length);
    const bytes = await bytesOfModule(name, build);
    const kernel = new Kernel(bytes, MODULES[name], undefined, latency);
    const { memory, machine } = kernel;
    const values = new Uint8Array(0x40000).map(() => next(256));
    // Symbols of what earlier calls have left are numbered in their own way.
    const symbolValue = (kind, index) =>
      kind === EARLIER || kind === OTHERS ? (index * 37) % 251 : values[index % values.length];
    for (const length of all[name].leaves === 1 ? [200] : [65, 1100]) {
      kernel.begin();
      memory.place(areas.PARAMETERS, all[name].parameters());
      memory.place(areas.INPUT, message(length));
      const seen = new Map();
      const byteAt = (at) => {
        const byte = memory.byteAt(at);
        return isTerm(byte) ? Number(evaluate(byte, symbolValue, seen)) : byte;
      };
      const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes));
      const own = new Uint8Array(exports.memory.buffer);
      for (let at = 0; at < BYTES; at++)
        own[at] = memory.isUnread(at) ? symbolValue(OTHERS, memory.earlierIndex(at)) : byteAt(at);
      exports.hash(length, 70);
      memory.clearWritten();
      machine.call("hash", length, 70);
      const written = Array.from(memory.written.keys()).filter((at) => memory.written[at] === 1);
      expect(written.length).toBeGreaterThan(32);
      expect(written.map(byteAt)).toEqual(written.map((at) => own[at]));
      forget();
    }
  });
});

describe("the specification gives the official digests", () => {
  const words = { blake224: [32, 0], blake256: [32, 1], blake384: [64, 0], blake512: [64, 1] };
  const initial = {
    blake224: "c1059ed8367cd5073070dd17f70e5939ffc00b316858151164f98fa7befa4fa4",
    blake256: "6a09e667bb67ae853c6ef372a54ff53a510e527f9b05688c1f83d9ab5be0cd19",
    blake384:
      "cbbb9d5dc1059ed8629a292a367cd5079159015a3070dd17152fecd8f70e593967332667ffc00b318eb44a8768581511db0c2e0d64f98fa747b5481dbefa4fa4",
    blake512:
      "6a09e667f3bcc908bb67ae8584caa73b3c6ef372fe94f82ba54ff53a5f1d36f1510e527fade682d19b05688c2b3e6c1f1f83d9abfb41bd6b5be0cd19137e2179",
  };
  const sizes = { blake224: 28, blake256: 32, blake384: 48, blake512: 64 };

  /** The parameter block of the BLAKE2 paper, section 2.8. */
  function blockOf(name, w, length, { key = [], salt = [], personal = [] }) {
    const isTree = /p$/.test(name);
    const isExtendable = name.includes("x");
    const digest = isExtendable ? w : length;
    const block = [
      digest,
      key.length,
      isTree ? w / (w === 64 ? 16 : 4) : 1,
      isTree ? 2 : 1,
      ...new Array(w - 4).fill(0),
    ];
    if (isExtendable) block.splice(12, w / 16, ...spec.littleEndian(length, w / 16));
    if (isTree) block[w === 64 ? 17 : 15] = w;
    block.splice(w / 2, salt.length, ...salt);
    block.splice((3 * w) / 4, personal.length, ...personal);
    return block;
  }

  function digestOf(name, input, options) {
    const message = [...input];
    if (words[name] !== undefined) {
      const [w, lastBit] = words[name];
      const salt = [...(options.salt ?? new Uint8Array(w / 2))];
      return spec.blake1(w, [...fromHex(initial[name])], salt, lastBit, message).slice(0, sizes[name]);
    }
    const key = [...(options.key ?? [])];
    if (name === "blake3") {
      const iv = spec.bytesOfWords(spec.IV[32], 32);
      const length = options.length ?? 32;
      if (options.context === undefined)
        return spec.blake3(key.length > 0 ? key : iv, key.length > 0 ? spec.KEYED_HASH : 0, message, length);
      const own = spec.blake3(iv, 32, [...new TextEncoder().encode(options.context)], 32);
      return spec.blake3(own, spec.DERIVE_KEY, message, length);
    }
    const w = name.startsWith("blake2b") || name.startsWith("blake2xb") ? 64 : 32;
    const length = options.length ?? w;
    const block = blockOf(name, w, length, { ...options, key });
    if (name.includes("x")) return spec.blake2x(w, block, key, message, length);
    return (name.endsWith("p") ? spec.blake2p : spec.blake2)(w, block, key, message).slice(0, length);
  }

  const sets = officialSets();
  it.each(sets.map((set) => [set.name, set]))("%s", (_, { algorithm, requests, sha256 }) => {
    const digests = requests.map(({ input, options }) => Uint8Array.from(digestOf(algorithm, input, options)));
    expect(hashOfHex(digests)).toBe(sha256);
  });
});

describe("leaks are found", () => {
  it.each(Object.entries(leaks))("%s", (_, [code, found]) => {
    if (found === undefined) expect(findingIn(code)).toBeUndefined();
    else expect(findingIn(code)).toMatch(new RegExp(`${found}.*depends? on`));
  });
});

describe("modules", () => {
  it("with a second global, which could count calls unseen, are refused", () => {
    const global = [0x7f, 1, 0x41, 0, 0x0b];
    const withGlobals = (count) =>
      Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 6, 1 + 5 * count, count, ...Array(count).fill(global).flat()]);
    expect(readModule(withGlobals(1)).globals).toEqual([0]);
    expect(() => readModule(withGlobals(2))).toThrow("no global but the stack pointer");
  });

  it("are refused with an instruction that the machine would read in another way than an engine", () => {
    const bytes = moduleOf("i32.const 0 v128.load 0 0 i32x4.extract_lane 0 drop");
    const at = bytes.findIndex((byte, i) => byte === 0xfd && bytes[i + 1] === 27) + 1;
    bytes[at] = 22; // i8x16.extract_lane_u
    expect(WebAssembly.validate(bytes)).toBe(true);
    expect(() => readModule(bytes)).toThrow("is not known");
  });

  const [EVERY, FEW] = [10, 40];

  it.each(Object.entries(faults))("with %s are refused", async (_, fault) => {
    expect(await findingOf(fault, EVERY)).toBeDefined();
  });

  it.each(Object.entries(equivalents))("with %s are accepted", async (_, [module, build, change]) => {
    const bytes = await bytesOfModule(module, build);
    expect(Buffer.compare(change(bytes), bytes)).not.toBe(0);
    expect(await findingOf([module, build, change], FEW)).toBeUndefined();
  });

  it("of another folder are proved by --kernels", async () => {
    const folder = mkdtempSync(join(tmpdir(), "blake-simd-"));
    const run = () => {
      const args = ["--kernels", folder, "--build", "baseline", "--every", "40", "BLAKE2s hash"];
      return spawnSync(process.execPath, [join(import.meta.dirname, "prove/prove.mjs"), ...args], { encoding: "utf8" });
    };
    try {
      cpSync(join(DIST, "blake2s.baseline.wasm"), join(folder, "blake2s.baseline.wasm"));
      expect(run()).toMatchObject({ status: 0, stdout: expect.stringMatching(/^ok BLAKE2s hash baseline: \d+ cases/) });
      const [, , change] = faults["another rotation, 32 bits"];
      writeFileSync(join(folder, "blake2s.baseline.wasm"), change(await bytesOfModule("blake2s", "baseline")));
      expect(run()).toMatchObject({ status: 1, stdout: expect.stringMatching(/^FAIL BLAKE2s hash baseline: 0 cases/) });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
