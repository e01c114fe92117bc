// The pictures that scripts/pictures.mjs draws from pages and figures are those in docs/: the chart of sizes has the numbers of its table.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../support/child.js";

test("pictures and their descriptions are drawn from what the pages say", () => {
  const folder = mkdtempSync(join(tmpdir(), "blake-simd-pictures-"));
  try {
    execFileSync(process.execPath, [join(ROOT, "scripts/pictures.mjs"), folder]);
    const drawn = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => /\.(svg|md)$/.test(file));
    expect(drawn.length).toBe(3);
    for (const file of drawn) {
      expect(readFileSync(join(folder, file), "utf8"), file).toBe(readFileSync(join(ROOT, "docs", file), "utf8"));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
