// The report of mutate-typescript.mjs: counts for each source, and what is open.
import { writeFileSync } from "node:fs";
import { isReasonFor, placeOf } from "./mutant.mjs";

const KINDS = ["killed", "same", "equivalent", "open", "not run"];

export function writeTypeScriptReport(path, mutants, results, equivalent) {
  const last = new Map(results.map((result) => [result.id, result]));
  const kindOf = (mutant) => {
    const state = last.get(mutant.id)?.state;
    if (state === undefined) return "not run";
    if (state === "unchanged" || state === "invalid") return "same";
    return state === "open" && equivalent.some((entry) => isReasonFor(mutant, entry)) ? "equivalent" : state;
  };
  const files = [...new Set(mutants.map(({ file }) => file))];
  const rows = files.map((file) =>
    rowOf(file, countKinds(mutants.filter((mutant) => mutant.file === file).map(kindOf))),
  );
  const all = countKinds(mutants.map(kindOf));
  const seconds = [...last.values()].map((result) => result.seconds).filter((value) => value !== undefined);
  const median = seconds.sort((a, b) => a - b)[seconds.length >> 1];
  const open = mutants.filter((mutant) => kindOf(mutant) === "open");
  const commits = [...new Set([...last.values()].map(({ commit }) => commit).filter(Boolean))];
  writeFileSync(
    path,
    `# Mutants of the TypeScript

Made by \`npm run mutate:typescript -- --report\`, of runs at ${commits.join(", ")}: half of them took up to ${median} seconds on two
shared cores. Open ones have survived some seconds of the tests that run their code, not the whole suite. Those that are the same after
minification, or not valid TypeScript, are not tested. Why others are equivalent is in \`equivalent.json\`. Of those that have not
been run nothing is known.

| source | ${KINDS.join(" | ")} |
|---|---|---|---|---|---|
${rows.join("\n")}
${rowOf("all", all)}

## Open

${open.map((mutant) => `- \`${placeOf(mutant)}\``).join("\n") || "None."}
`,
  );
}

function countKinds(kinds) {
  return KINDS.map((kind) => kinds.filter((each) => each === kind).length);
}

const rowOf = (name, counts) => `| ${name} | ${counts.join(" | ")} |`;
