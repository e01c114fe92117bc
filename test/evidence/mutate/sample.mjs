// The mutants that the tests have missed once, with the tests that now kill them.
import { readFileSync } from "node:fs";
import { join } from "node:path";

export function sampleOf(root) {
  const entries = JSON.parse(readFileSync(join(import.meta.dirname, "sample.json"), "utf8"));
  return entries.map((entry) => {
    const text = readFileSync(join(root, entry.file), "utf8");
    const at = text.indexOf(entry.from);
    if (at < 0 || text.indexOf(entry.from, at + 1) >= 0)
      throw new Error(`sample.json: ${entry.file} must have ${JSON.stringify(entry.from)} once`);
    return { ...entry, at, line: text.slice(0, at).split("\n").length };
  });
}
