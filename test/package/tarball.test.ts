// What npm publishes: exactly the files of tarball.txt, the kernels with the digests of their manifest, and a bill of
// materials. A file more or less is a decision: `WRITE_TARBALL=1 npx vitest run test/package/tarball.test.ts` writes the list.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "../support/child.ts";

const LIST = join(import.meta.dirname, "tarball.txt");
const KERNELS = join(ROOT, "wasm/dist");

const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
const sums = new Map(
  read("wasm/dist/SHA256SUMS")
    .trim()
    .split("\n")
    .map((line) => [line.slice(66), line.slice(0, 64)]),
);

// Without scripts, which would build dist/ while other tests read it. The names of chunks change with what is in them.
function packed(): { files: { path: string }[]; unpackedSize: number } {
  const args = ["pack", "--dry-run", "--json", "--ignore-scripts"];
  const [tarball] = JSON.parse(
    execFileSync("npm", args, {
      cwd: ROOT,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      shell: process.platform === "win32",
    }),
  );
  return tarball;
}

it("has the files of tarball.txt and no others", () => {
  const { files: all, unpackedSize } = packed();
  const files = all.map(({ path }) => path.replace(/\/chunks\/\w{8}\.js$/, "/chunks/HASH.js")).sort();
  if (process.env.WRITE_TARBALL) writeFileSync(LIST, files.map((file) => `${file}\n`).join(""));
  expect(files).toEqual(readFileSync(LIST, "utf8").trim().split("\n"));
  expect(unpackedSize).toBeLessThan(1.6e6);
});

it("runs nothing when it is installed, and needs no other package", () => {
  const { scripts, dependencies, optionalDependencies, peerDependencies } = JSON.parse(read("package.json"));
  expect([dependencies, optionalDependencies, peerDependencies]).toEqual([undefined, undefined, undefined]);
  for (const name of ["preinstall", "install", "postinstall", "prepare"]) expect(scripts).not.toHaveProperty(name);
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
  const { name, version } = JSON.parse(read("package.json"));
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
