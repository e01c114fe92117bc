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

const ranIn = ({ project, error }) =>
  error ? "the error that names the policy" : (RAN[project] ?? "`blake3` and `blake2b` of a text");

test("each consumer is in the table, with what ran in it, and how often", () => {
  const rows = new Map(consumers.map((consumer) => [rowOf(consumer), ranIn(consumer)]));
  const namesOf = (ran, nightly) =>
    [...rows.keys()].filter((name) => rows.get(name) === ran && isNightly(name) === nightly).join("; ");
  const lines = [...new Set(rows.values())].map(
    (ran) => `| ${ran} | ${namesOf(ran, false)} | ${namesOf(ran, true)} |\n`,
  );
  const table = `\n| what ran | at each change | each night |\n|---|---|---|\n${lines.join("")}\n`;
  const page = readFileSync(PAGE, "utf8");
  if (process.env.WRITE_CONSUMERS)
    writeFileSync(
      PAGE,
      page.replace(MARKED, () => `<!-- consumers -->\n${table}<!-- /consumers -->`),
    );
  else expect(MARKED.exec(page)?.[1]).toBe(table);
});
