// The build for engines without WebAssembly: blake-simd/javascript, next to the builds with it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import * as main from "blake-simd";
import { hmac } from "blake-simd/hmac";
import * as javascript from "blake-simd/javascript";
import { hmac as javascriptHmac } from "blake-simd/javascript/hmac";
import * as javascriptStates from "blake-simd/javascript/states";
import * as states from "blake-simd/states";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { ROOT, runNode } from "../support/child.ts";
import { expectedDigest } from "../support/oracle.ts";
import { subjects } from "../support/subjects.ts";

const message = (length: number) => new Uint8Array(length).map((_, i) => (i * 7 + (i >> 8)) % 256);

type Name = keyof typeof javascript.algorithms;
const algorithmOf = (name: string) => javascript.algorithms[name as Name] as main.Algorithm<object>;

describe.each(subjects)(
  "$name in JavaScript",
  ({ name, algorithm, modes, blockLength, chunkLength, lengths, longest }) => {
    const here = algorithmOf(name);

    it.each(modes)("has the digests of an independent implementation, under %o", (options) => {
      const sizes = [0, 1, 2, 3, 4, 5, blockLength - 1, blockLength, blockLength + 1, chunkLength - 1, chunkLength];
      for (const size of [...sizes, chunkLength + 1, 2 * chunkLength, 3 * chunkLength + 5, 8191]) {
        const bytes = message(size);
        expect(here.hex(bytes, options), `${size} bytes`).toBe(main.toHex(expectedDigest(name, bytes, options)));
      }
    });

    it("has each length of digest", () => {
      for (const length of [
        ...lengths.filter((length) => length % 7 === 1),
        ...(lengths.length > 0 ? [Math.min(longest, 70_000)] : []),
      ]) {
        expect(here.hex("abc", { length })).toBe(algorithm.hex("abc", { length }));
      }
    });

    it("hashes pieces of any length, in turns with a neighbour, from any address", () => {
      const bytes = message(200_000);
      const [one, other] = [here.create(), here.create()];
      for (let at = 0, step = 1; at < bytes.length; step = 1 + ((step * 3 + 100) % 20_011)) {
        one.update(bytes.subarray(at, at + step));
        other.update("x");
        at += step;
        // A digest leaves less than a block behind, after which blocks start at any address.
        if (step % 3 === 0) expect(one.digest("hex")).toBe(algorithm.hex(bytes.subarray(0, at)));
      }
      expect(one.digest("hex")).toBe(algorithm.hex(bytes));
      expect(one.bytesHashed).toBe(200_000n);
    });

    it("takes over states from the other builds, and they from it", () => {
      for (const options of modes) {
        const bytes = message(3 * chunkLength + 11);
        const there = algorithm.create(options).update(bytes.subarray(0, 777));
        const saved = states.save(there);
        const hasher = javascriptStates.restore(here, saved).update(bytes.subarray(777));
        expect(hasher.digest("hex")).toBe(algorithm.hex(bytes, options));
        const back = javascriptStates.save(here.create(options).update(bytes.subarray(0, 777)));
        expect(main.toHex(back)).toBe(main.toHex(saved));
        expect(states.restore(algorithm, back).update(bytes.subarray(777)).digest("hex")).toBe(
          algorithm.hex(bytes, options),
        );
      }
    });

    it("hashes many messages, and text", () => {
      const messages = ["", "a", "\u00e9\ud83d\ude00\ud800", message(1000), message(70_000)];
      expect(here.many(messages)).toEqual(algorithm.many(messages));
      expect(here.hex("\u00e9\ud83d\ude00\ud800x".repeat(20_000))).toBe(
        algorithm.hex("\u00e9\ud83d\ude00\ud800x".repeat(20_000)),
      );
    });

    it("refuses what the other builds refuse, and goes on", () => {
      const hasher = here.create().update("a");
      expect(() => here(5 as never)).toThrow(TypeError);
      expect(() => hasher.update(null as never)).toThrow("hasher.update: input must be");
      expect(hasher.update("b").digest("hex")).toBe(algorithm.hex("ab"));
      hasher.dispose();
      expect(() => hasher.update("c")).toThrow("dispose");
    });
  },
);

describe("blake-simd/javascript", () => {
  it("says which build it is, and has no other", () => {
    expect(javascript.backend()).toBe("javascript");
    javascript.useBackend("javascript");
    expect(() => javascript.useBackend("baseline")).toThrow('name must be "javascript"');
    expect(() => main.useBackend("javascript")).toThrow('useBackend: name must be "simd128" or "baseline"');
  });

  it("reads extendable outputs from any position", () => {
    for (const name of ["blake3", "blake2xb", "blake2xs"] as const) {
      const [here, there] = [javascript.algorithms[name].create().xof(), main.algorithms[name].create().xof()];
      for (const position of [0n, 63n, 2n ** 32n - 5n, 2n ** 36n]) {
        here.position = there.position = position;
        expect(main.toHex(here.read(300))).toBe(main.toHex(there.read(300)));
      }
    }
  });

  it("has hmac", () => {
    const key = Buffer.from("key");
    expect(javascriptHmac(javascript.blake2s, key, "message")).toEqual(hmac(main.blake2s, key, "message"));
  });

  it("has the exports of the entries with WebAssembly, and is what the condition react-native chooses", async () => {
    const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    for (const name of Object.keys(exports).filter((name) => name.startsWith("./javascript"))) {
      const plain = name.replace("/javascript", "");
      expect(exports[plain]["react-native"], name).toBe(exports[name].default);
      const [here, there] = await Promise.all([name, plain].map((entry) => import(entry.replace(".", "blake-simd"))));
      expect(Object.keys(here), name).toEqual(Object.keys(there));
    }
    const resolve = 'console.log(JSON.stringify(import.meta.resolve("blake-simd/blake3")))';
    const chosen = runNode(resolve, { flags: ["--conditions=react-native"] }) as string;
    expect(fileURLToPath(chosen)).toBe(join(ROOT, "dist/javascript/blake3.js"));
  });

  it("needs no WebAssembly: it works in Node without it", () => {
    const code = `import * as j from "blake-simd/javascript";
      console.log(JSON.stringify([typeof WebAssembly, ...Object.values(j.algorithms).map((a) => a.hex("abc"))]));`;
    const digests = Object.values(main.algorithms).map((algorithm) => algorithm.hex("abc"));
    expect(runNode(code, { flags: ["--jitless", "--no-warnings"] })).toEqual(["undefined", ...digests]);
  });
});

async function bundle(code: string): Promise<string> {
  const options = { bundle: true, minify: true, format: "esm", platform: "neutral", write: false } as const;
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: ROOT },
    ...options,
    external: ["node:*"],
  });
  return outputFiles[0]!.text;
}

describe("bundles", () => {
  // A piece of each kernel in JavaScript that no other code has.
  const trace = "copyWithin(";

  it.each([
    "",
    "/blake1",
    "/blake2b",
    "/blake2s",
    "/blake3",
    "/hazmat",
    "/hmac",
    "/states",
    "/streams",
    "/typed",
    "/bao",
    "/parallel",
  ])("of blake-simd%s carry no JavaScript kernel", async (entry) => {
    const text = await bundle(`export * from "blake-simd${entry}"`);
    expect(text).not.toMatch(/new ArrayBuffer\(131072\)|\.buffer\.copyWithin/);
  });

  it("of blake-simd/javascript carry no WebAssembly, private names, or build that is not used", async () => {
    const text = await bundle('export { blake3 } from "blake-simd/javascript"');
    expect(text.match(/new ArrayBuffer\(131072\)/g)).toHaveLength(1);
    expect(text).toContain(trace);
    expect(text).not.toMatch(/WebAssembly\.|\.#|\?\?=|WeakRef/);
    expect((await bundle('import "blake-simd/javascript"')).trim()).toBe("");
  });

  it.each([
    ["blake3", 13.75 * 1024],
    ["blake2b", 14 * 1024],
  ])("of %s in JavaScript have at most %i bytes, gzipped", async (name, most) => {
    const text = await bundle(`export { ${name} } from "blake-simd/javascript/${name}"`);
    expect(gzipSync(text, { level: 9 }).length).toBeLessThanOrEqual(most);
  });
});

describe("where WebAssembly cannot be used, one error says why and what to do", () => {
  const use = 'let error; try { (await import("blake-simd")).blake3("a"); } catch (caught) { error = caught; }';
  const report = "console.log(JSON.stringify([error.message, String(error.cause)]));";

  it("missing", () => {
    const [text] = runNode(`${use} ${report}`, { flags: ["--jitless", "--no-warnings"] }) as string[];
    expect(text).toBe("blake-simd: WebAssembly is missing; blake-simd/javascript needs none");
  });

  const calls = `
    const { outboard, outboardOf, outboardOfGroups } = await import("blake-simd/bao");
    const { chainingValue, SubtreeCollector, SubtreeGroupHasher } = await import("blake-simd/hazmat");
    const { Blake3Pool } = await import("blake-simd/parallel");
    const large = new Uint8Array(3e6);
    const calls = [
      () => outboard(large),
      () => outboardOf(new Uint8Array(1)),
      () => outboardOfGroups(new Uint8Array(64), { root: new Uint8Array(32), length: 2048, group: 1024 }),
      () => outboardOf(new Blob([large]), { pool: new Blake3Pool() }),
      () => chainingValue(new Uint8Array(1024), { offset: 1024 }),
      () => new SubtreeCollector(2048, 1024).set(0, new Uint8Array(32)).set(1024, new Uint8Array(32)).digest(),
      () => new SubtreeGroupHasher({ group: 1024 }).update(large),
      () => new Blake3Pool().hash(large),
      () => new Blake3Pool({ threads: 0 }).hash(large),
    ];
    const texts = [];
    for (const call of calls) texts.push(await Promise.resolve().then(call).then(() => "done", ({ message }) => message));
    console.log(JSON.stringify(texts));
    process.exit();`;

  it("in each entry", () => {
    const missing = "blake-simd: WebAssembly is missing; blake-simd/javascript needs none";
    expect(runNode(calls, { flags: ["--jitless", "--no-warnings"] })).toEqual(Array(9).fill(missing));
    const full = `for (const name of ["Instance", "Memory"]) WebAssembly[name] = function () {
        throw new RangeError("WebAssembly." + name + "(): Out of memory");
      };`;
    const text = /^blake-simd: WebAssembly is out of memory: .* node --disable-wasm-trap-handler;/;
    expect(runNode(`${full} ${calls}`)).toEqual(Array(9).fill(expect.stringMatching(text)));
  });

  it("forbidden", () => {
    const forbid = 'WebAssembly.Module = class { constructor() { throw new WebAssembly.CompileError("refused"); } };';
    const [text, cause] = runNode(`${forbid} ${use} ${report}`) as [string, string];
    expect(text).toMatch(
      /^blake-simd: WebAssembly is forbidden: a page's policy needs 'wasm-unsafe-eval'.*blake-simd\/javascript needs none$/,
    );
    expect(cause).toContain("refused");
  });

  it("out of memory", () => {
    const exhaust = `const kept = []; let error;
      const { blake3 } = await import("blake-simd");
      const { Instance } = WebAssembly;
      WebAssembly.Instance = class { constructor() { throw new RangeError("WebAssembly.Instance(): Out of memory: Cannot allocate Wasm memory"); } };
      try { blake3("a"); } catch (caught) { error = caught; }
      WebAssembly.Instance = Instance;
      const after = blake3.hex("a");
      console.log(JSON.stringify([error.message, after]));`;
    const [text, after] = runNode(exhaust) as [string, string];
    expect(text).toBe(
      "blake-simd: WebAssembly is out of memory: V8 reserves 10 GB of addresses for each kernel, except in node --disable-wasm-trap-handler; blake-simd/javascript needs none",
    );
    expect(after).toBe(main.blake3.hex("a"));
  });
});
