// What npm publishes, and how package.json says that it is found: the kernels with the digests of their manifest,
// and a bill of materials.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../support/child.ts";
import { packed } from "../support/packed.ts";

const KERNELS = join(ROOT, "wasm/dist");

const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
const manifest = JSON.parse(read("package.json"));
const sums = new Map(
  read("wasm/dist/SHA256SUMS")
    .trim()
    .split("\n")
    .map((line) => [line.slice(66), line.slice(0, 64)]),
);

it("has no sources or tests, and is no larger than it should be", () => {
  const { paths, unpackedSize } = packed();
  expect(paths.filter((path) => /^(js|test|bench|build)\/|\.[ch]$/.test(path))).toEqual([]);
  expect(unpackedSize).toBeLessThan(1.58e6);
});

it("is not packed without a file that package.json names, such as a generated one", () => {
  const folder = mkdtempSync(join(tmpdir(), "blake-simd-"));
  const program = join(ROOT, "scripts/complete.mjs");
  const attempt = () => spawnSync(process.execPath, [program], { cwd: folder, encoding: "utf8" });
  try {
    for (const name of ["package.json", "dist", "wasm/dist"])
      cpSync(join(ROOT, name), join(folder, name), { recursive: true });
    expect(attempt().status).toBe(0);
    for (const name of ["wasm/dist/blake3.edge-light.js", "dist/javascript/blake3.js"]) rmSync(join(folder, name));
    const { status, stderr } = attempt();
    expect(status).toBe(1);
    expect(stderr).toContain("the package lacks ./dist/javascript/blake3.js, ./wasm/dist/blake3.edge-light.js");
    expect(manifest.scripts.prepack).toContain("node scripts/complete.mjs");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it("leaves out a kernel only if another file is the same, which has its name for importers", () => {
  const leftOut = (manifest.files as string[]).filter((file) => file.startsWith("!wasm/dist/"));
  expect(leftOut).toHaveLength(2);
  for (const file of leftOut) {
    const name = file.replace("!wasm/dist/", "blake-simd/wasm/");
    expect(readFileSync(new URL(import.meta.resolve(name))), file).toEqual(readFileSync(join(ROOT, file.slice(1))));
  }
});

it("has a manifest with the SHA-256 of each file of the kernels", () => {
  const files = readdirSync(KERNELS).filter((name) => name !== "SHA256SUMS");
  expect([...sums.keys()]).toEqual(files.sort());
  for (const [name, digest] of sums) {
    const bytes = readFileSync(join(KERNELS, name));
    expect(createHash("sha256").update(bytes).digest("hex"), name).toBe(digest);
  }
});

it("has a bill of materials in CycloneDX, with the kernels and no other package", () => {
  const sbom = JSON.parse(read("dist/sbom.cdx.json"));
  const { name, version } = manifest;
  expect(sbom).toMatchObject({ bomFormat: "CycloneDX", metadata: { component: { name, version } } });
  expect(sbom.dependencies).toEqual([{ ref: `${name}@${version}`, dependsOn: [] }]);
  const kernels = [...sums.keys()].filter((file) => file.endsWith(".wasm"));
  expect(sbom.components).toEqual(
    kernels.map((file) => ({
      type: "file",
      "bom-ref": file,
      name: `wasm/dist/${file}`,
      hashes: [{ alg: "SHA-256", content: sums.get(file) }],
    })),
  );
});

describe("package.json", () => {
  it("runs nothing when it is installed, and needs no other package", () => {
    const { scripts, dependencies, optionalDependencies, peerDependencies } = manifest;
    expect([dependencies, optionalDependencies, peerDependencies]).toEqual([undefined, undefined, undefined]);
    for (const name of ["preinstall", "install", "postinstall", "prepare"]) expect(scripts).not.toHaveProperty(name);
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
    const { paths } = packed();
    for (const file of files) expect(paths).toContain(file);
  });
});

describe("a resolution without `exports`", () => {
  it("finds the root by the fields of package.json, and every other entry in a folder", () => {
    const { main, types, "react-native": native, exports } = manifest;
    expect({ main, types, native }).toEqual({
      main: exports["."].default,
      types: exports["."].types,
      native: exports["."]["react-native"],
    });
    const entries = Object.entries<Record<string, string>>(exports).filter(
      ([name, entry]) => name !== "." && entry.types,
    );
    expect(entries.length).toBeGreaterThan(15);
    for (const [name, entry] of entries) {
      const folder = JSON.parse(read(`${name}/package.json`)) as Record<string, string>;
      const at = (field: string) => folder[field] && `./${join(name, folder[field])}`;
      expect([at("main"), at("types"), at("react-native")]).toEqual([
        entry.default,
        entry.types,
        entry["react-native"],
      ]);
    }
  });
});
