// The table of consumers in docs/platforms.md is that of test/consumers. WRITE_CONSUMERS=1 writes it.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { consumers, RAN } from "../consumers/consumers.mjs";
import { ROOT } from "../support/child.ts";

const PAGE = join(ROOT, "docs/platforms.md");
const MARKED = /<!-- consumers -->\n(.*?)<!-- \/consumers -->/s;

/** TypeScript's many as one for each version and way of resolution. */
const rowOf = ({ name }) => (name.startsWith("TypeScript") ? name.replace(/, [^,]*$/, "") : name);
const isNightly = (name) => consumers.every((consumer) => rowOf(consumer) !== name || consumer.nightly);

test("each consumer is in the table, with what ran in it, and how often", () => {
  const rows = new Map(consumers.map((consumer) => [rowOf(consumer), consumer]));
  const lines = Array.from(rows, ([name, { project, error }]) => {
    const ran = error ? "the error that names the policy" : (RAN[project] ?? "`blake3` and `blake2b` of a text");
    return `| ${name} | ${ran} | ${isNightly(name) ? "night" : "change"} |\n`;
  });
  const table = `\n| | what ran | each |\n|---|---|---|\n${lines.join("")}\n`;
  const page = readFileSync(PAGE, "utf8");
  if (process.env.WRITE_CONSUMERS)
    writeFileSync(PAGE, page.replace(MARKED, `<!-- consumers -->\n${table}<!-- /consumers -->`));
  else expect(MARKED.exec(page)?.[1]).toBe(table);
});
