// The choice between the two builds: by the engine, by the environment, by the program.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { backend, blake3, toHex, useBackend, useVectorLatency, vectorLatency } from "blake-simd";
import { afterEach, describe, expect, it, vi } from "vitest";
import { VECTOR_LATENCY } from "../../js/engine/memory.ts";
import { ROOT, runNode } from "../support/child.ts";
import { expectError } from "../support/errors.ts";
import { COUNTER, type Counted, countInstructions } from "../support/wasm-counting.ts";

const report = `
  import { backend, blake3, toHex, useBackend } from "blake-simd";
  const first = backend();
  const digest = toHex(blake3("abc"));
  let switched;
  try {
    useBackend("simd128");
    switched = backend();
  } catch (error) {
    switched = error.constructor.name + ": " + error.message;
  }
  console.log(JSON.stringify({ first, digest, switched, again: toHex(blake3("abc")) }));
`;

const digest = toHex(blake3("abc"));

describe("the backend that is chosen at first", () => {
  it("is simd128 if the engine supports it", () => {
    expect(runNode(report)).toEqual({ first: "simd128", digest, switched: "simd128", again: digest });
  });

  it("is baseline if BLAKE_SIMD_DISABLE is 1, until the program says otherwise", () => {
    const env = { BLAKE_SIMD_DISABLE: "1" };
    expect(runNode(report, { env })).toEqual({ first: "baseline", digest, switched: "simd128", again: digest });
  });

  it.each(["", "0", "true", " 1"])("is simd128 if BLAKE_SIMD_DISABLE is %j", (value) => {
    expect(runNode(report, { env: { BLAKE_SIMD_DISABLE: value } })).toMatchObject({ first: "simd128" });
  });

  // On x64, V8 has no SIMD if the processor lacks SSE4.1; the flag makes V8 assume that it does.
  it.runIf(process.arch === "x64")("is baseline on an engine without SIMD, and cannot be otherwise", () => {
    const result = runNode(report, { flags: ["--no-enable-sse4-1"] });
    const switched = expect.stringMatching(/^Error: useBackend: name must be "baseline", got "simd128"/);
    expect(result).toEqual({ first: "baseline", digest, switched, again: digest });
  });

  it("is simd128 if there is no process at all", () => {
    expect(
      runNode(`const { log } = console; delete globalThis.process;
      const { backend } = await import("blake-simd"); log(JSON.stringify(backend()));`),
    ).toBe("simd128");
  });

  it("asks a runtime with permissions before it reads the environment", () => {
    const ask = (state: string) => `
      globalThis.Deno = { permissions: { querySync: ({ name, variable }) => {
        if (name !== "env" || variable !== "BLAKE_SIMD_DISABLE") throw new Error("asked for more");
        return { state: "${state}" };
      } } };
      const { backend } = await import("blake-simd");
      console.log(JSON.stringify(backend()));`;
    const env = { BLAKE_SIMD_DISABLE: "1" };
    expect(runNode(ask("prompt"), { env })).toBe("simd128");
    expect(runNode(ask("granted"), { env })).toBe("baseline");
  });
});

describe("useBackend", () => {
  afterEach(() => {
    vi.restoreAllMocks();
    useBackend("simd128");
  });

  it("is returned by backend", () => {
    for (const name of ["baseline", "baseline", "simd128", "simd128"] as const) {
      expect(useBackend(name)).toBe(undefined);
      expect(backend()).toBe(name);
    }
  });

  it("refuses any other name, and stays as it was", () => {
    useBackend("baseline");
    const wanted = 'useBackend: name must be "simd128" or "baseline", got ';
    const wrong = [
      "SIMD128",
      "simd",
      "",
      "toString",
      undefined,
      null,
      1,
      true,
      {},
      [],
      Symbol("b"),
      Object.create(null),
    ];
    for (const name of wrong) expectError(() => useBackend(name as never), TypeError, wanted);
    expect(backend()).toBe("baseline");
  });

  it("refuses simd128 if the engine lacks it, and changes nothing", () => {
    useBackend("baseline");
    vi.spyOn(WebAssembly, "validate").mockReturnValue(false);
    expectError(() => useBackend("simd128"), Error, 'name must be "baseline", got "simd128"', "no WebAssembly SIMD");
    expect(backend()).toBe("baseline");
    useBackend("baseline");
    expect(toHex(blake3("abc"))).toBe(digest);
  });
});

describe("the latency of vector operations", () => {
  /**
   * What a program finds that hashes, where a chain of vectors takes `vectors` microseconds, one of scalars `scalars`,
   * and the clock ticks each `tick`: code, which may use `chains`, how many there were. What is counted of a message is
   * its length, so that a kernel that does nothing with gigabytes gives the same.
   */
  const found = (megabytes: number, { vectors = "4", scalars = "2", tick = "0.1" }, size = 1 << 20) =>
    runNode(`
      let [time, chains, reads] = [0, 0, 0];
      globalThis.performance.now = () => { reads++; const tick = ${tick}; return Math.floor(time / tick) * tick / 1000; };
      const { Instance } = WebAssembly;
      WebAssembly.Instance = function (module, imports) {
        const { chain, ...exports } = new Instance(module, imports).exports;
        const timed = (turns, ofVectors) => { chains++; time += ofVectors ? ${vectors} : ${scalars}; chain(1, 0); };
        const update = ${megabytes > 100} ? () => {} : exports.update;
        return { exports: chain ? { ...exports, update, chain: timed } : exports };
      };
      const { blake3, vectorLatency } = await import("blake-simd");
      blake3("");
      const first = vectorLatency();
      const message = new Uint8Array(${size});
      for (let i = 0; i < ${megabytes} * 2 ** 20; i += ${size}) blake3(message);
      console.log(JSON.stringify([first, vectorLatency(), chains, reads]));`) as number[];
  const byDefault = process.arch === "arm64" ? 2 : 1;

  it("is that of the architecture until there has been work", () => {
    expect(found(0, {})).toEqual([byDefault, byDefault, 0, 0]);
    // One message of a megabyte, or a thousand short ones.
    expect(found(1, {})).toEqual([byDefault, byDefault, 0, 0]);
    expect(found(64 / 1024, {}, 64)).toEqual([byDefault, byDefault, 0, 0]);
  });

  describe.runIf(process.arch === "x64")("is measured on x64", () => {
    it.each([
      ["4", "2", "0.1", 2],
      ["4", "2", "5", 2],
      ["3.6", "2", "0.001", 2],
      ["2", "2", "0.1", 1],
      ["2", "2", "5", 1],
      ["2.2", "2", "5", 1],
      ["chains === 5 ? 900 : 4", "chains === 15 ? 900 : 2", "0.1", 2],
      ["chains === 8 ? 900 : 2", "chains === 13 ? 900 : 2", "0.1", 1],
    ])("once: chains of vectors take %s, of scalars %s, the clock ticks each %s", (vectors, scalars, tick, latency) => {
      const [, measured, chains] = found(2, { vectors, scalars, tick });
      expect(measured).toBe(latency);
      expect(chains).toBeLessThanOrEqual(80);
      expect(found(20, { vectors, scalars, tick })).toEqual([1, latency, chains, expect.any(Number)]);
    });

    it.each([
      ["the clock ticks each 20 microseconds", { tick: "20" }, 100],
      ["the clock ticks each 0.1 ms", { tick: "100" }, 100],
      ["the clock ticks each millisecond", { tick: "1000" }, 6000],
      ["the code is not compiled", { vectors: "chains < 40 ? 20 : 4", scalars: "chains < 40 ? 10 : 2" }, 30],
      ["it is neither 1 nor 2", { vectors: "chains < 30 ? 2.9 : 4" }, 30],
    ])("again after more work if %s", (_, clock, megabytes) => {
      expect(found(2, clock)[1]).toBe(1);
      expect(found(megabytes, clock)[1]).toBe(2);
    });

    it("no more if the clock stands still", () => {
      // A third measurement would come after 5 GiB.
      const [, measured, chains] = found(6000, { tick: "1e9" });
      expect([measured, chains]).toEqual([1, 80 + 1600]);
    });

    it("as 1 without a clock", () => {
      expect(found(50, { tick: '(() => { throw new Error("no clock"); })()' })).toEqual([1, 1, 0, 1]);
    });
  });

  it("is what the program says", () => {
    for (const latency of [2, 2, 1] as const) {
      expect(useVectorLatency(latency)).toBe(undefined);
      expect(vectorLatency()).toBe(latency);
      expect(toHex(blake3("abc"))).toBe(digest);
    }
    const wanted = "useVectorLatency: latency must be 1 or 2, got ";
    for (const wrong of [0, 3, 1.5, "1", undefined, null, NaN, [1]]) {
      expectError(() => useVectorLatency(wrong as never), TypeError, wanted);
    }
    expect(vectorLatency()).toBe(1);
  });

  describe("chooses", () => {
    const [I32_ROTL, V128_OR, KIB] = [0x77, 0xfd00 + 80, 1024];

    /** How often an instruction is executed while a message of zeros is hashed. */
    function count(latency: number, length: number, counted: Counted): number {
      const bytes = countInstructions(readFileSync(join(ROOT, "wasm/dist/blake3.simd128.wasm")), counted);
      const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes));
      const { memory, hash } = exports as { memory: WebAssembly.Memory; hash(length: number, output: number): void };
      new Uint8Array(memory.buffer)[VECTOR_LATENCY] = latency;
      hash(length, 32);
      return Number((exports[COUNTER] as WebAssembly.Global<"i64">).value);
    }

    it.each([1, 64, 65, KIB])("rows or scalars for %i bytes", (length) => {
      const rotations: Counted = (opcode) => (opcode === I32_ROTL ? 1 : 0);
      expect(count(1, length, rotations)).toBe(0);
      expect(count(2, length, rotations)).toBe(224 * Math.ceil(length / 64));
    });

    it("what is usual on the processor if nothing is said", () => {
      const rotations: Counted = (opcode) => (opcode === I32_ROTL ? 1 : 0);
      expect(count(0, 64, rotations)).toBe(count(byDefault, 64, rotations));
    });

    it.each([8, 16, 64])("one group of lanes or two for %i chunks", (chunks) => {
      // Only a group alone rotates by an OR: its own chunks, or its parents.
      const ors: Counted = (opcode) => (opcode === V128_OR ? 1 : 0);
      expect(count(1, chunks * KIB, ors)).toBeGreaterThan(4 * count(2, chunks * KIB, ors));
    });
  });
});
