// The choice between the two builds: by the engine, by the environment, by the program.
import { backend, blake3, toHex, useBackend } from "blake-simd";
import { afterEach, describe, expect, it, vi } from "vitest";
import { runNode } from "../support/child.ts";
import { expectError } from "../support/errors.ts";

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
