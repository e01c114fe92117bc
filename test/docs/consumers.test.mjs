// The tools that docs/platforms.md says CI builds with are those of test/consumers.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { consumers } from "../consumers/consumers.mjs";
import { ROOT } from "../support/child.ts";

test("each tool that the page names is one that CI builds with", () => {
  const page = readFileSync(join(ROOT, "docs/platforms.md"), "utf8");
  const [, list] = /CI builds and runs projects of (.*?)\. Tried once/s.exec(page);
  const names = list.split(/,\s(?:and )?| and /);
  const known = consumers.map(({ name }) => name).join("; ");
  for (const name of names) expect(known).toContain(/^\d/.test(name) ? `TypeScript ${name}` : name);
});
