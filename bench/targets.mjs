// node bench/targets.mjs FILE ... [--by median]: how the results of `npm run bench -- --targets --json FILE` stand
// against target-list.mjs. Exits with status 1 if a floor is missed or was not measured.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { listCases, sizeName } from "./cases/cases.mjs";
import { growthSizes, targets } from "./cases/target-list.mjs";
import { align, isRight, quickest } from "./report/rows.mjs";

const wordOf = { speed: "speed / ", share: "time / " };

/** What has to be measured under a runtime for the targets of some algorithms: { cases, kinds }. */
export function targetRequest(runtime, names) {
  const wanted = targets.filter(({ algorithm, limits }) => limits[runtime] && names.includes(algorithm));
  if (wanted.length === 0) throw new RangeError(`--targets: there are none for ${runtime}`);
  const cases = wanted.flatMap(({ algorithm, measure, sizes }) =>
    measure === "growth" ? growthCases(algorithm) : listCases({ algorithms: [algorithm], modes: ["hash"], sizes }),
  );
  const unique = new Map(cases.map((item) => [JSON.stringify(item), item]));
  const onlyWasm = runtime === "bun" || runtime === "webkit";
  return { cases: [...unique.values()], kinds: onlyWasm ? ["ours", "wasm"] : undefined };
}

function growthCases(algorithm) {
  const { short, long } = growthSizes;
  const list = (mode, sizes) => listCases({ algorithms: [algorithm], modes: [mode], sizes });
  return [...list("growth", [short, long]), ...list("apart", [short])];
}

/** The name that target-list.mjs has for the runtime of a result. */
function targetName({ name, version }) {
  return name === "Node" ? `node${Number.parseInt(version, 10)}` : name.replace("GTK", "").toLowerCase();
}

/** The table of one runtime's targets, and how many floors are missed. */
export function printTargets({ runtime, rows }, by) {
  const name = targetName(runtime);
  const lines = targets
    .filter(({ limits }) => limits[name])
    .map((target) => judge(target, target.limits[name], rows, by));
  const heading = ["target", "floor", "aim", "measured", "", "ours", "against"];
  const missed = lines.filter(({ verdict }) => verdict === "MISSED" || verdict === "not measured").length;
  const cells = lines.map(({ what, floor, aim, value, verdict, own, other }) => [
    what,
    String(floor),
    String(aim),
    value === undefined ? "-" : value.toFixed(3),
    verdict,
    own,
    other,
  ]);
  const title = `${runtime.name} ${runtime.version}, ${by}: ${lines.length} targets, ${missed} missed or not measured\n`;
  return { text: title + align([heading, ...cells], 5), missed };
}

function judge(target, [floor, aim], rows, by) {
  const measured = target.measure === "growth" ? growthOf(target, rows, by) : worstOf(target, rows, by);
  const lower = target.measure !== "speed";
  const reaches = (limit) => (lower ? measured.value <= limit : measured.value >= limit);
  const verdict = !measured.other ? "not measured" : reaches(aim) ? "aim" : reaches(floor) ? "floor" : "MISSED";
  return { floor, aim, own: "", other: "", ...measured, verdict: measured.verdict ?? verdict };
}

/** The result at the size that is furthest from the target. */
function worstOf({ algorithm, sizes, measure, against, limits: _ }, rows, by) {
  const what = `${algorithm}, ${sizes.length > 3 ? "every size" : sizes.map(sizeName).join(" and ")}: ${wordOf[measure]}`;
  const title = what + (against.names?.join(", ") ?? `fastest of ${against.kinds.join(", ")}`);
  const found = sizes.map((size) => compare({ algorithm, size, measure, against }, rows, by));
  if (found.some((entry) => !entry)) return noneOf(title, rows, algorithm, against);
  const sign = measure === "speed" ? 1 : -1;
  return { what: title, ...found.sort((a, b) => sign * (a.value - b.value))[0] };
}

/** A target without rivals holds; one whose rivals are not among the rows was not measured. */
function noneOf(what, rows, algorithm, against) {
  const here = rows.filter((row) => row.algorithm === algorithm);
  const isAlone = here.some(isRight) && !here.some((row) => isAmong(against, row));
  return { what, verdict: isAlone && against.kinds ? "no rival" : "not measured" };
}

const isAmong = ({ names, kinds }, row) => (names ? names.includes(row.rival) : kinds.includes(row.kind));

function compare({ algorithm, size, measure, against }, rows, by) {
  const here = rows.filter((row) => row.algorithm === algorithm && row.size === size && row.mode === "hash");
  const own = quickest(
    here.filter(({ kind }) => kind === "ours"),
    by,
  );
  const other = quickest(
    here.filter((row) => isAmong(against, row)),
    by,
  );
  if (!isRight(own) || !isRight(other)) return undefined;
  const ratio = other.ns[by] / own.ns[by];
  return { value: measure === "speed" ? ratio : 1 / ratio, own: formatResult(own, by), other: formatResult(other, by) };
}

function growthOf({ algorithm }, rows, by) {
  const what = `${algorithm}: time per byte at 256 MiB / at 1 MiB`;
  const find = (mode, size) =>
    rows.find((row) => row.kind === "ours" && row.algorithm === algorithm && row.mode === mode && row.size === size);
  const [short, long, apart] = [
    find("growth", growthSizes.short),
    find("growth", growthSizes.long),
    find("apart", growthSizes.short),
  ];
  if (![short, long, apart].every(isRight)) return { what };
  const note = `${formatResult(short, by)}; from all over the 256 MiB ${speedOf(apart, by)}`;
  return { what, value: long.ns[by] / short.ns[by], own: formatResult(long, by), other: note };
}

function formatResult(row, by) {
  const name = row.kind === "ours" ? "" : `${[row.rival, row.way].filter(Boolean).join(" ")}, `;
  return `${name}${sizeName(row.size)}: ${row.size < 1024 ? `${row.ns[by].toFixed(1)} ns` : speedOf(row, by)}`;
}

const speedOf = ({ mbps }, by) => `${mbps[by].toFixed(0)} MB/s`;

function main() {
  const options = { by: { type: "string", default: "best" } };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  for (const file of positionals) {
    for (const result of JSON.parse(readFileSync(file, "utf8")).results) {
      const { text, missed } = printTargets(result, values.by);
      process.stdout.write(`${text}\n`);
      if (missed > 0) process.exitCode = 1;
    }
  }
}

if (import.meta.main ?? process.argv[1] === import.meta.filename) main();
