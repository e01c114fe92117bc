// What package.json has beside its entries: how the package is found, and how it is published.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { algorithms } from "blake-simd";
import { describe, expect, it } from "vitest";
import { ROOT } from "../support/child.ts";

const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
const manifest = JSON.parse(read("package.json"));
const packed = read("test/package/tarball.txt").trim().split("\n");

describe("package.json", () => {
  it("has keywords: the family's names, what it is and what it runs on, each once and in lower case", () => {
    const { keywords } = manifest as { keywords: string[] };
    const names = Object.keys(algorithms).filter((name) => !/224|384|p$|x[bs]$/.test(name));
    expect(keywords).toEqual(expect.arrayContaining([...names, "blake", "blake2", "hash", "checksum", "wasm", "simd"]));
    expect(new Set(keywords).size).toBe(keywords.length);
    for (const word of keywords) expect(word).toMatch(/^[a-z0-9-]+$/);
  });

  it("is published with provenance, for everybody", () => {
    expect(manifest.publishConfig).toEqual({ access: "public", provenance: true });
    expect(manifest).not.toHaveProperty("private");
    // Fails without an address (test/docs/address.test.ts): links on npm would be dead, and provenance is refused.
    expect(manifest.scripts.prepublishOnly).toBe("node scripts/address.mjs");
  });

  it("pins the package manager to a version, and says which Node it needs", () => {
    expect(manifest.packageManager).toMatch(/^npm@\d+\.\d+\.\d+$/);
    expect(manifest.engines).toEqual({ node: ">=20" });
  });

  it("has a licence whose text is packed, and a description of one line", () => {
    expect(manifest.license).toBe("MIT");
    expect(packed).toContain("LICENSE");
    expect(manifest.description.length).toBeLessThan(130);
  });

  it("has all of the project's addresses or none", () => {
    const given = ["repository", "homepage", "bugs"].filter((field) => field in manifest);
    expect([0, 3]).toContain(given.length);
  });

  it("points every entry, command and manual at a packed file", () => {
    const targets = (value: unknown): string[] =>
      typeof value === "string" ? [value] : Object.values(value as object).flatMap(targets);
    const { exports, bin, man } = manifest;
    const files = [...targets(exports), ...targets(bin), man]
      .map((path: string) => path.replace("./", ""))
      .filter((path) => !path.includes("*"));
    expect(files.length).toBeGreaterThan(60);
    for (const file of files) expect(packed).toContain(file);
  });
});

describe("a resolution without `exports`", () => {
  it("finds the root by main and types, and the types of every other entry by typesVersions", () => {
    const { main, types, typesVersions, exports } = manifest;
    expect([main, types]).toEqual([exports["."].default, exports["."].types]);
    const entries = Object.entries<{ types?: string }>(exports).filter(([name, entry]) => name !== "." && entry.types);
    for (const [name, entry] of entries) {
      const [, folder, own] = /^\.\/(javascript\/)?(.*)$/.exec(name)!;
      const found = typesVersions["*"][folder ? "javascript/*" : own!]?.[0].replace("*", own!);
      expect(found, name).toBe(entry.types);
    }
    expect(Object.keys(typesVersions)).toEqual(["*"]);
  });
});

it("the tarball has the security policy, and the examples, which the README's pages link to", () => {
  expect(packed).toContain("SECURITY.md");
  expect(read("README.md")).toContain("(SECURITY.md)");
  expect(read("README.md")).toContain("(docs/recipes.md#complete-programs)");
  const examples = packed.filter((file) => file.startsWith("examples/"));
  expect(examples.length).toBeGreaterThan(10);
  for (const file of examples) expect(existsSync(join(ROOT, file)), file).toBe(true);
});
