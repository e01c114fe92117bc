// Writes dist/sbom.cdx.json: what the package consists of, as CycloneDX. The serial number and the time that npm adds
// differ each time; without them the same sources give the same tarball.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const args = ["sbom", "--sbom-format", "cyclonedx", "--sbom-type", "library", "--omit", "dev", "--package-lock-only"];
const sbom = JSON.parse(
  execFileSync("npm", args, {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    shell: process.platform === "win32",
  }),
);
delete sbom.serialNumber;
delete sbom.metadata.timestamp;
// npm's own version would differ from machine to machine.
delete sbom.metadata.tools;
// npm takes the folder's name.
sbom.metadata.component.name = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).name;
const sums = readFileSync(join(root, "wasm/dist/SHA256SUMS"), "utf8").trim().split("\n");
for (const [digest, name] of sums.map((line) => line.split("  ")).filter(([, name]) => name.endsWith(".wasm"))) {
  const hashes = [{ alg: "SHA-256", content: digest }];
  sbom.components.push({ type: "file", "bom-ref": name, name: `wasm/dist/${name}`, hashes });
}
mkdirSync(join(root, "dist"), { recursive: true });
writeFileSync(join(root, "dist/sbom.cdx.json"), `${JSON.stringify(sbom)}\n`);
