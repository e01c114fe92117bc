// Fails if package.json names a file that is not there: npm packs the rest without a word. Run before `npm pack`.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const filesOf = (value) => (typeof value === "string" ? [value] : Object.values(value).flatMap(filesOf));

/** The files of the package that are missing in a folder. */
export function missingIn(folder) {
  const { exports, imports, bin, man } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const { "#decoder": _, ...packed } = imports;
  const list = join(folder, "wasm/dist/SHA256SUMS");
  const kernels = new Set(readFileSync(list, "utf8").match(/[\w-]+(?=\.\w+\.wasm)/g));
  const files = filesOf([exports, packed, bin, man]).filter((file) => !/^\.\/(js|build)\//.test(file));
  return files
    .flatMap((file) => (file.endsWith("*.wasm") ? [] : [...kernels].map((name) => file.replace("*", name))))
    .filter((file, i, all) => all.indexOf(file) === i && !existsSync(join(folder, file)));
}

if (process.argv[1] === import.meta.filename) {
  const missing = missingIn(".");
  if (missing.length > 0) throw new Error(`the package lacks ${missing.join(", ")}`);
}
