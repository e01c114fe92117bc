// The report: counts for each source, and each survivor with the reason why no test can see it, or none yet.
import { writeFileSync } from "node:fs";
import { isReasonFor, placeOf } from "./mutant.mjs";

/** Neither killed nor the same bytes: it survived the whole suite, or is open, with the first tests alone. */
const isAlive = ({ state }) => state === "survived" || state === "open";
const countOf = (results) => new Set(results.map(({ id }) => id)).size;
const inLanguage = (mutants, folder) => mutants.filter(({ file }) => file.startsWith(folder));

export function writeReport(path, mutants, results, equivalent) {
  const byId = new Map(mutants.map((mutant) => [mutant.id, mutant]));
  const known = results.filter(({ id }) => byId.has(id));
  const alive = known.filter(isAlive);
  const reasonOf = ({ id }) => equivalent.find((entry) => isReasonFor(byId.get(id), entry))?.reason;
  const rows = [...new Set(known.map(({ file }) => file))].sort().map((file) => rowOf(file, known, reasonOf));
  const share = (folder) =>
    `${countOf(inLanguage(known, folder))} of ${inLanguage(mutants, folder).length} mutants of \`${folder}\``;
  const own = inLanguage(known, "js/");
  const finished = inLanguage(known, "wasm/").filter(({ seconds }) => seconds !== undefined);
  const times = [...new Map(finished.map(({ id, seconds }) => [id, seconds])).values()].sort((a, b) => a - b);
  const median = times[Math.floor(times.length / 2)];
  const commits = [...new Set(known.map(({ commit }) => commit).filter(Boolean))];
  const text = `# Mutants

Made by \`npm run mutate -- --report\`. Run: ${share("wasm/")}${own.length > 0 ? ` and ${share("js/")}` : ""}, at ${commits.join(", ")}; of
others nothing is known. report-typescript.md has those of \`js/\` that \`npm run mutate:typescript\` has run. A mutant of the C
counts once for each build whose bytes it changes. Open ones have met the first tests alone, of the C perhaps only the checks of
kernels, not the whole suite. Reasons why a survivor is equivalent are in \`equivalent.json\`. Half of the mutants of the C took up
to ${median} seconds, all builds together.

| source | killed by the checks of kernels | killed by tests or sanitizers | survived | open | equivalent | same bytes | not valid |
|---|---|---|---|---|---|---|---|
${rows.join("\n")}
${rowOf("all", known, reasonOf, () => true)}

## Survivors

${alive.map((s) => `- ${s.state}, ${s.build}: \`${placeOf(byId.get(s.id))}\`: ${reasonOf(s) ?? "**no test sees it yet**"}`).join("\n") || "None."}
`;
  writeFileSync(path, text);
}

function rowOf(file, known, reasonOf, isOwn = (result) => result.file === file) {
  const own = known.filter(isOwn);
  const count = (test) => own.filter(test).length;
  const cells = [
    count(({ state, stage }) => state === "killed" && stage === "kernel checks"),
    count(({ state, stage }) => state === "killed" && stage !== "kernel checks"),
    count((r) => r.state === "survived" && !reasonOf(r)),
    count((r) => r.state === "open" && !reasonOf(r)),
    count((r) => isAlive(r) && reasonOf(r)),
    count(({ state }) => state === "unchanged"),
    count(({ state }) => state === "invalid"),
  ];
  return `| ${file} | ${cells.join(" | ")} |`;
}
