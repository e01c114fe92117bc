// The report: counts for each source, and each survivor with the reason why no test can see it, or none yet.
import { writeFileSync } from "node:fs";

const isReason = (mutant, { file, line, from, to }) =>
  mutant.file === file && mutant.line === line && mutant.from.trim() === from && mutant.to.trim() === to;

/** Neither killed nor the same bytes: it survived the whole suite, or is open, with the first tests alone. */
const isAlive = ({ state }) => state === "survived" || state === "open";
const countOf = (results) => new Set(results.map(({ id }) => id)).size;
const inLanguage = (mutants, folder) => mutants.filter(({ file }) => file.startsWith(folder));

export function writeReport(path, mutants, results, equivalent) {
  const byId = new Map(mutants.map((mutant) => [mutant.id, mutant]));
  const known = results.filter(({ id }) => byId.has(id));
  const alive = known.filter(isAlive);
  const reasonOf = ({ id }) => equivalent.find((entry) => isReason(byId.get(id), entry))?.reason;
  const rows = [...new Set(known.map(({ file }) => file))].sort().map((file) => rowOf(file, known, reasonOf));
  const share = (folder) =>
    `${countOf(inLanguage(known, folder))} of ${inLanguage(mutants, folder).length} mutants of \`${folder}\``;
  const commits = [...new Set(known.map(({ commit }) => commit).filter(Boolean))];
  const text = `# Mutants

Made by \`npm run mutate -- --report\`. Run: ${share("wasm/")} and ${share("js/")}, at ${commits.join(", ")}. The others have not
been run: nothing is known of them. A mutant of the C counts once for each build whose bytes it changes. Open ones have met the
first tests alone, not the whole suite. Reasons why a survivor is equivalent are in \`equivalent.json\`.

| source | killed | survived | open | equivalent | same bytes or not valid |
|---|---|---|---|---|---|
${rows.join("\n")}

## Survivors

${alive.map((s) => `- ${s.state}, ${s.build}: \`${s.id}\`: ${reasonOf(s) ?? "**no test sees it yet**"}`).join("\n") || "None."}
`;
  writeFileSync(path, text);
}

function rowOf(file, known, reasonOf) {
  const own = known.filter((result) => result.file === file);
  const count = (test) => own.filter(test).length;
  const cells = [
    count(({ state }) => state === "killed"),
    count((r) => r.state === "survived" && !reasonOf(r)),
    count((r) => r.state === "open" && !reasonOf(r)),
    count((r) => isAlive(r) && reasonOf(r)),
    count(({ state }) => state === "unchanged" || state === "invalid"),
  ];
  return `| ${file} | ${cells.join(" | ")} |`;
}
