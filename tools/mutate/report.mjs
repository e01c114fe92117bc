// The report: counts for each source, and each survivor with the reason why no test can see it, or none yet.
import { writeFileSync } from "node:fs";

const isReason = (mutant, { file, line, from, to }) =>
  mutant.file === file && mutant.line === line && mutant.from.trim() === from && mutant.to.trim() === to;

export function writeReport(path, mutants, results, equivalent) {
  const byId = new Map(mutants.map((mutant) => [mutant.id, mutant]));
  const known = results.filter(({ id }) => byId.has(id));
  const survivors = known.filter(({ state }) => state === "survived");
  const reasonOf = ({ id }) => equivalent.find((entry) => isReason(byId.get(id), entry))?.reason;
  const rows = [...new Set(known.map(({ file }) => file))].sort().map((file) => rowOf(file, known, reasonOf));
  const text = `# Mutants

Made by \`npm run mutate -- --report\` from the runs that docs/evidence.md lists. A mutant of the C counts once for each build
whose bytes it changes. Reasons why a survivor is equivalent are in \`equivalent.json\`.

${mutants.length} mutants can be made; ${new Set(known.map(({ id }) => id)).size} of them have been run.

| source | killed | survived | equivalent | same bytes or not valid |
|---|---|---|---|---|
${rows.join("\n")}

## Survivors

${survivors.map((s) => `- ${s.build}: \`${s.id}\`: ${reasonOf(s) ?? "**no test sees it yet**"}`).join("\n") || "None."}
`;
  writeFileSync(path, text);
}

function rowOf(file, known, reasonOf) {
  const own = known.filter((result) => result.file === file);
  const count = (test) => own.filter(test).length;
  const equal = count((r) => r.state === "survived" && reasonOf(r));
  const cells = [
    count(({ state }) => state === "killed"),
    count(({ state }) => state === "survived") - equal,
    equal,
    count(({ state }) => state === "unchanged" || state === "invalid"),
  ];
  return `| ${file} | ${cells.join(" | ")} |`;
}
