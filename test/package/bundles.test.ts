// The package in bundles: an import adds only what it uses, and an unused one is removed.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { algorithms } from "blake-simd";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { ROOT, runNode } from "../support/child.ts";
import { subjects } from "../support/subjects.ts";

const kernels = [...new Set(subjects.map(({ kernel }) => kernel))];
const bundles = new Map<string, Promise<string>>();

/** The bundle of a piece of code, made once. */
function bundle(code: string, format: "esm" | "cjs" = "esm"): Promise<string> {
  const options = {
    bundle: true,
    minify: true,
    format,
    platform: "neutral",
    target: "es2022",
    logLevel: "error",
  } as const;
  const stdin = { contents: code, resolveDir: ROOT };
  const made =
    bundles.get(format + code) ??
    build({ ...options, stdin, external: ["node:*"], write: false }).then((result) => result.outputFiles[0]!.text);
  bundles.set(format + code, made);
  return made;
}

const inlined = await Promise.all(kernels.map((name) => import(join(ROOT, `wasm/dist/${name}.js`))));

/** The kernels of which a bundle carries a build. */
function carried(text: string): string[] {
  return kernels.filter((_, i) => {
    const { baseline, simd128 } = inlined[i];
    return [baseline, simd128].some((build) => text.includes(JSON.stringify(build)));
  });
}

describe.each(subjects)("$name in a bundle", ({ name, entry, kernel, algorithm }) => {
  it.each([entry, "blake-simd"])("carries its own kernel alone, from %s", async (from) => {
    expect(carried(await bundle(`export { ${name} } from "${from}"`))).toEqual([kernel]);
  });

  it("hashes there", async () => {
    const text = await bundle(`import { ${name} } from "${entry}"; globalThis.digest = ${name}("abc");`);
    expect(new Function(`${text}; return globalThis.digest;`)()).toEqual(algorithm("abc"));
  });
});

it.each([
  ["blake2s", ["blake2s"]],
  ["blake2s, blake2sp", ["blake2s", "blake2s-lanes"]],
])("blake2s.many in a bundle of %s has the lanes of the kernel of blake2sp if that is there", async (names, wanted) => {
  const messages = ["", "a", "b".repeat(64), "c".repeat(1000), "d".repeat(70_000)];
  const use = `globalThis.digests = [${names}][0].many(${JSON.stringify(messages)}, { length: 20 });`;
  const text = await bundle(`import { ${names} } from "blake-simd/blake2s"; ${use} globalThis.used = [${names}];`);
  const digests = new Function(`${text}; return globalThis.digests;`)();
  expect(digests).toEqual(messages.map((message) => algorithms.blake2s(message, { length: 20 })));
  expect(carried(text)).toEqual(wanted);
});

describe("a bundle", () => {
  it("of the small functions alone carries no kernel", async () => {
    const text = await bundle('export { toHex, fromHex, equal } from "blake-simd"');
    expect(carried(text)).toEqual([]);
    expect(text.length).toBeLessThan(4096);
  });

  const entries = [
    "blake1",
    "blake2b",
    "blake2s",
    "blake3",
    "hmac",
    "states",
    "streams",
    "typed",
    "hazmat",
    "bao",
    "node",
  ];
  // A top-level await has no place in CommonJS, and breaks what still loads modules so.
  it.each(["", ...[...entries, "parallel"].map((entry) => `/${entry}`)])(
    "of blake-simd%s can be CommonJS",
    async (entry) => {
      expect(await bundle(`export * from "blake-simd${entry}"`, "cjs")).toContain("module.exports");
    },
  );

  it("of everything carries every kernel", async () => {
    expect(carried(await bundle('export * from "blake-simd"'))).toEqual(kernels);
  });

  it.each(["", ...entries.slice(0, 4).map((entry) => `/${entry}`)])(
    "of a bare import of blake-simd%s is empty",
    async (entry) => {
      expect((await bundle(`import "blake-simd${entry}";`)).trim()).toBe("");
      expect((await bundle(`import * as unused from "blake-simd${entry}";`)).trim()).toBe("");
    },
  );
});

// What docs/comparison.md says of sizes, and a sentence of README.md. `npm run sizes` writes both.
describe("sizes in docs/comparison.md", () => {
  const PAGE = join(ROOT, "docs/comparison.md");
  const MARKED = /<!-- sizes -->\n(.*?)<!-- \/sizes -->/s;
  const text = readFileSync(PAGE, "utf8");
  const [, table = ""] = MARKED.exec(text) ?? [];
  const whole = ["blake-simd", ...["streams", "parallel", "bao", "node"].map((name) => `blake-simd/${name}`)];

  it("are those of a bundle of each algorithm alone, and of all: none has grown by more than 1 %", async () => {
    const rows = await Promise.all(
      [...subjects, ...whole.map((entry) => ({ name: `* from ${entry}`, entry }))].map(async ({ name, entry }) => {
        const code = name.startsWith("*") ? `export * from "${entry}"` : `export { ${name} } from "${entry}"`;
        const bytes = await bundle(code);
        return { name, gzip: gzipSync(bytes, { level: 9 }).length, brotli: brotliCompressSync(bytes).length };
      }),
    );
    const cells = (bytes: number) => `${(bytes / 1000).toFixed(2)} kB`;
    const lines = rows.map(({ name, gzip, brotli }) => `| \`${name}\` | ${cells(gzip)} | ${cells(brotli)} |\n`);
    const fresh = `\n| | gzip | brotli |\n|---|---|---|\n${lines.join("")}\n`;
    if (process.env.WRITE_SIZES) writeFileSync(PAGE, text.replace(MARKED, `<!-- sizes -->\n${fresh}<!-- /sizes -->`));
    const written = process.env.WRITE_SIZES ? fresh : table;
    const stated = [...written.matchAll(/^\| `([\w*/ -]+)` \| ([\d.]+) kB \| ([\d.]+) kB \|$/gm)];
    expect(stated.map(([, name]) => name)).toEqual(rows.map(({ name }) => name));
    for (const [i, [, name, ...stating]] of stated.entries()) {
      for (const [k, measured] of [rows[i]!.gzip, rows[i]!.brotli].entries()) {
        const ratio = measured / (Number(stating[k]) * 1000);
        expect(ratio, `${name}: ${stating[k]} kB are stated, ${measured} bytes measured`).toBeLessThan(1.01);
        expect(ratio, `${name}: ${stating[k]} kB are stated, ${measured} bytes measured`).toBeGreaterThan(0.98);
      }
    }
    const kilobytes = Object.fromEntries(rows.map(({ name, gzip }) => [name, Math.round(gzip / 1000)]));
    const each = subjects.map(({ name }) => kilobytes[name]!);
    const [least, most] = [Math.min(...each), Math.max(...each)];
    expect(kilobytes["* from blake-simd"]).toBeGreaterThan(most);
    expect(rows.find(({ name }) => name === "blake3")?.gzip).toBeLessThanOrEqual(17_000);
    expect(rows.find(({ name }) => name === "blake2b")?.gzip).toBeLessThanOrEqual(10_900);
    const said = `One algorithm adds ${least} to ${most} kB to a bundle, gzipped, BLAKE3 ${kilobytes.blake3} kB.`;
    const sentence = /One algorithm adds \d+ to \d+ kB to a bundle, gzipped, BLAKE3 \d+ kB\./;
    const readme = readFileSync(join(ROOT, "README.md"), "utf8");
    if (process.env.WRITE_SIZES) writeFileSync(join(ROOT, "README.md"), readme.replace(sentence, said));
    expect(sentence.exec(process.env.WRITE_SIZES ? said : readme)?.[0]).toBe(said);
  });
});

/** What bundlers for the edge warn of in any file that an import reaches, used or not. */
const WARNED = /(?<![.\w])(?:MessageChannel|MessagePort|setImmediate|process\.(?!env))/;

/** The files of dist/ that an entry imports, with it. */
function reached(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const imports = readFileSync(file, "utf8").matchAll(/^import .*from "(\.[^"]+)";$/gm);
  for (const [, path] of imports) reached(join(file, "..", path!), seen);
  return seen;
}

it.each(["index", "blake1", "blake2b", "blake2s", "blake3", "hazmat", "states", "hmac"])(
  "blake-simd/%s reaches no code of which bundlers for the edge warn",
  (entry) => {
    const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    const { "edge-light": edge, default: other } = manifest.exports[entry === "index" ? "." : `./${entry}`];
    const files = [...reached(join(ROOT, edge ?? other))];
    expect(files.filter((file) => WARNED.test(readFileSync(file, "utf8")))).toEqual([]);
  },
);

describe("an import", () => {
  it("has no effect: no global is new, nothing is compiled, and nothing is printed", () => {
    const code = `
      const compiled = [];
      for (const name of ["Module", "Instance", "Memory", "validate", "compile", "instantiate"]) {
        const original = WebAssembly[name];
        WebAssembly[name] = new Proxy(original, {
          construct(...args) { compiled.push(name); return Reflect.construct(...args); },
          apply(...args) { compiled.push(name); return Reflect.apply(...args); },
        });
      }
      const owners = [globalThis, Object.prototype, Function.prototype, Array.prototype, Uint8Array.prototype, Promise.prototype];
      const names = () => owners.map((owner) => Reflect.ownKeys(owner).map(String));
      const before = JSON.stringify(names());
      await import("blake-simd");
      console.log(JSON.stringify({ same: JSON.stringify(names()) === before, compiled }));
    `;
    expect(runNode(code)).toEqual({ same: true, compiled: [] });
  });
});

/** What chooses among the builds with WebAssembly. */
const conditionsOf = (entry: object) => Object.keys(entry).filter((condition) => condition !== "react-native");

describe("the package", () => {
  it("gives runtimes that forbid compiling bytes the same entry points, with kernels as modules", async () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    const entries = Object.entries<Record<string, string>>(manifest.exports).filter(
      ([name, entry]) => entry.types && !name.startsWith("./javascript"),
    );
    for (const [name, entry] of entries) {
      // An entry without its own kernels is the same for all.
      if (["./hmac", "./states", "./streams", "./typed", "./node"].includes(name)) {
        expect(conditionsOf(entry), name).toEqual(["types", "default"]);
        continue;
      }
      // The first that applies counts, and Next.js sets both of the conditions for the edge.
      expect(conditionsOf(entry), name).toEqual(["types", "edge-light", "workerd", "bun", "default"]);
      expect([entry.workerd, entry.bun], name).toEqual([entry["edge-light"], entry["edge-light"]]);
      const [conditional, inlined] = await Promise.all(
        [entry.workerd!, entry.default!].map((file) => import(join(ROOT, file))),
      );
      expect(Object.keys(conditional), name).toEqual(Object.keys(inlined));
    }
    const kernelConditions = Object.keys(manifest.imports["#kernels/*"]);
    expect(kernelConditions).toEqual(["types", "debug-kernels", "edge-light", "workerd", "bun", "default"]);
    const { outputFiles } = await build({
      stdin: { contents: 'export * from "blake-simd"', resolveDir: ROOT },
      ...{
        bundle: true,
        format: "esm",
        write: false,
        conditions: ["workerd"],
        loader: { ".wasm": "file" },
        outdir: "out",
      },
    });
    expect(carried(outputFiles.find(({ path }) => path.endsWith(".js"))!.text)).toEqual([]);
    const modules = outputFiles.filter(({ path }) => path.endsWith(".wasm"));
    const texts = inlined.flatMap(({ baseline, simd128 }) => [baseline, simd128]);
    expect(modules).toHaveLength(new Set(texts).size);
  });
});
