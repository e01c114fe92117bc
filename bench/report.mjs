// npm run bench:report -- [FILE ...]: draws the charts of the README and docs/speed.md from
// bench/results/PROCESSOR/readme*.json and used*.json, and writes what both say of speed between their marks, such as
// <!-- bench --> and <!-- /bench -->. Files that are named, from whatever machine, are put there first. Where two files
// of a processor have the same runtime, the later one counts.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { algorithms, KiB, MiB, modes, sizeSets } from "./cases/cases.mjs";
import { describeChart, drawChart } from "./report/chart.mjs";
import { titleOf, writeResults } from "./report/results.mjs";
import { isRight, quickest } from "./report/rows.mjs";
import { usedTables } from "./report/used.mjs";
import { readJson, root, say } from "./survey/prepare.mjs";
import { displayName, folderOf, processorLine } from "./timing/processor.mjs";

const folder = "docs/pictures";
const kept = "bench/results";

/** Sizes: all, where others are faster, and those of the table. */
const sizes = sizeSets.readme;
const shownSizes = [64, MiB];
/**
 * Runtimes by the beginning of their title: all, where others are faster, and those of each table, one Node of several.
 */
const runtimes = ["Node 20", "Node 22", "Node 24", "Node 26", "Deno", "Bun", "Chromium", "Firefox", "WebKitGTK"];
const usedRuntimes = runtimes.slice(3);
const shownRuntimes = usedRuntimes.filter((title) => title !== "Deno");
/** Algorithms that share a kernel with another one of the table. */
const sameKernel = ["blake224", "blake384"];

/** What the charts show, in the first of these runtimes that was measured. */
const chartRuntimes = ["Node 26", "Node 24", "Node 22", "Node 20"];
const charted = ["blake3", "blake2b", "blake2s", "blake256"];
const throughput = {
  size: MiB,
  title: "1 MiB messages",
  unit: "MB/s, longer is better",
  value: ({ mbps }) => mbps.best,
};
const charts = [
  { ...throughput, name: "front", algorithms: ["blake3", "blake2b"] },
  { ...throughput, name: "1MiB", algorithms: charted },
  {
    name: "64B",
    algorithms: charted,
    size: 64,
    title: "64-byte messages",
    unit: "million hashes per second, longer is better",
    value: ({ ns }) => 1000 / ns.best,
  },
];

/**
 * Kinds of rivals to compare with: all inside a runtime, packages alone, and native code compiled for the machine.
 */
const portable = ["wasm", "js", "builtin"];
const packages = ["wasm", "js"];
const native = ["addon", "native"];

/** Keeps a file of results among those of its processor, by its date. */
function keep(file) {
  const run = readJson(file);
  if (!run.machine?.processor || !run.results)
    throw new Error(`${file} is no file of npm run bench that names its processor`);
  const kind = run.results.some(({ rows }) => rows.some(({ mode }) => modes[mode].written)) ? "used" : "readme";
  writeResults(`${root}${kept}/${folderOf(run.machine)}/${kind}-${run.date.slice(0, 10)}.json`, run);
}

/**
 * What was measured on each processor, most first: { machine, files, results }, the results by the title of their
 * runtime.
 */
function readProcessors(kind) {
  const folders = readdirSync(root + kept, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders
    .map(({ name }) => readProcessor(`${kept}/${name}`, kind))
    .filter(({ results }) => results.size > 0)
    .sort((a, b) => b.results.size - a.results.size);
}

function readProcessor(place, kind) {
  const files = readdirSync(root + place).filter((name) => name.startsWith(kind) && name.endsWith(".json"));
  const runs = files.map((name) => readJson(`${root}${place}/${name}`)).sort((a, b) => a.date.localeCompare(b.date));
  const found = runs.flatMap(({ results, ...run }) =>
    results.map((result) => [titleOf(result.runtime), { date: run.date, ...result }]),
  );
  return { machine: runs.at(-1)?.machine, files: files.map((name) => `${place}/${name}`), results: new Map(found) };
}

const nameOf = ({ machine }) => displayName(machine);

/** The title of the runtime that stands for a processor, undefined if none of them was measured. */
const chartRuntimeOf = ({ results }) => chartRuntimes.find((title) => results.has(title));

function rowsAt({ rows }, algorithm, size) {
  return rows.filter((row) => row.algorithm === algorithm && row.mode === "hash" && row.size === size);
}

const ownRow = (rows) =>
  quickest(
    rows.filter(({ kind }) => kind === "ours"),
    "best",
  );

function panelOf(result, algorithm, { size, value }) {
  const rows = rowsAt(result, algorithm, size);
  const rivals = [...new Set(rows.filter(({ kind }) => kind !== "ours" && kind !== "other").map(({ rival }) => rival))]
    .map((rival) =>
      quickest(
        rows.filter((row) => row.rival === rival),
        "best",
      ),
    )
    .filter(isRight);
  const bars = rivals.map((row) => ({
    label: row.rival,
    value: value(row),
    kind: ["wasm", "js"].includes(row.kind) ? "rival" : "native",
  }));
  const own = { label: "blake-simd", value: value(ownRow(rows)), kind: "own" };
  const isNative = (bar) => Number(bar.kind === "native");
  const sorted = bars.sort((a, b) => isNative(a) - isNative(b) || b.value - a.value);
  return { title: algorithm, bars: [own, ...sorted] };
}

/** A chart of a processor's results, for `drawChart`. */
function chartOf(processor, chart) {
  const result = processor.results.get(chartRuntimeOf(processor));
  const { name, version } = result.runtime;
  const title = `${chart.title} in ${name} ${version}`;
  const place = `on ${nameOf(processor)}`;
  const note = "thin, in yellow: native code";
  const shown = chart.algorithms.filter((algorithm) => isRight(ownRow(rowsAt(result, algorithm, chart.size))));
  return { ...chart, title, place, note, panels: shown.map((algorithm) => panelOf(result, algorithm, chart)) };
}

function writeCharts(drawn) {
  mkdirSync(`${root}${folder}`, { recursive: true });
  for (const chart of drawn) {
    writeFileSync(`${root}${folder}/${chart.name}.svg`, drawChart(chart));
    // For phones: the panels one above the other.
    writeFileSync(`${root}${folder}/${chart.name}-narrow.svg`, drawChart(chart, 1));
  }
}

const picture = (chart, place) => `<picture>
<source media="(max-width: 600px)" srcset="${place}${chart.name}-narrow.svg">
<img alt="${describeChart(chart)}" src="${place}${chart.name}.svg">
</picture>`;

/** The charts of all algorithms, as docs/speed.md shows them. */
const pictures = (drawn) =>
  drawn
    .filter(({ name }) => name !== "front")
    .map((chart) => picture(chart, "pictures/"))
    .join("\n\n");

/** The README's, with the address that its picture has there: npm shows only absolute ones. */
function frontPicture([chart]) {
  const [, place] = /"([^"]*docs\/pictures\/)front/.exec(readFileSync(`${root}README.md`, "utf8"));
  return picture(chart, place);
}

/** Our speed over that of the fastest right row of some kinds; undefined if there is none. */
function ratioTo(kinds, result, algorithm, size) {
  const rows = rowsAt(result, algorithm, size);
  const own = ownRow(rows);
  const rival = quickest(
    rows.filter(({ kind }) => kinds.includes(kind)),
    "best",
  );
  return isRight(own) && isRight(rival) ? rival.ns.best / own.ns.best : undefined;
}

/** Ratios above 30 are of packages so slow that load, not speed, makes the figure. */
const shown = (ratio) => (ratio === undefined ? "?" : ratio > 30 ? ">30" : ratio.toFixed(ratio < 9.95 ? 2 : 0));

const cell = (ratios) => (ratios.every((ratio) => ratio === undefined) ? "" : ratios.map(shown).join(" · "));

function table(processor) {
  const { results } = processor;
  const measured = shownRuntimes.filter((title) => results.has(title));
  const reference = results.get(chartRuntimeOf(processor) ?? measured[0]);
  const line = (cells) => `| ${cells.join(" | ")} |`;
  const lines = Object.keys(algorithms)
    .filter((algorithm) => !sameKernel.includes(algorithm))
    .map((algorithm) => {
      const against = (kinds, result) => cell(shownSizes.map((size) => ratioTo(kinds, result, algorithm, size)));
      const inRuntimes = measured.map((title) => against(portable, results.get(title)));
      return [`\`${algorithm}\``, ...inRuntimes, against(native, reference)];
    })
    .filter(([, ...cells]) => cells.some((text) => text !== ""))
    .map(line);
  const head = ["", ...measured, `native (${titleOf(reference.runtime)})`];
  return [line(head), line(head.map(() => "---")), ...lines].join("\n");
}

const sizeName = (bytes) => (bytes < KiB ? `${bytes} B` : bytes < MiB ? `${bytes / KiB} KiB` : `${bytes / MiB} MiB`);

/**
 * Where another package in the same runtime is faster: a line for each algorithm and package, with the largest ratios.
 */
function whereSlower({ results }) {
  const places = new Map();
  for (const title of runtimes.filter((title) => results.has(title))) {
    for (const algorithm of Object.keys(algorithms)) {
      for (const size of sizes) {
        const ratio = ratioTo(portable, results.get(title), algorithm, size);
        if (ratio === undefined || ratio >= 1) continue;
        const { rival } = bestOf(results.get(title), algorithm, size, ({ kind }) => portable.includes(kind));
        const start = `\`${algorithm}\` | ${rival}`;
        const most = places.get(start) ?? new Map();
        places.set(start, most.set(title, Math.max(most.get(title) ?? 0, 1 / ratio)));
      }
    }
  }
  if (places.size === 0) return "In no cell of the table is another package in the same runtime faster.";
  const where = (most) => Array.from(most, ([title, ratio]) => `${title} ${ratio.toFixed(2)}`).join(", ");
  const lines = Array.from(places, ([start, most]) => `| ${start} | ${where(most)} |`);
  return ["| algorithm | faster | times our speed, at most |", "| --- | --- | --- |", ...lines].join("\n");
}

/**
 * Since this date BLAKE3 has a shape for each kind of processor; earlier results are of the one for Zen 5 and ARM64.
 */
const SHAPES = "2026-11-28";

/** The machine and the versions that the numbers come from. */
function source({ machine, files, results }) {
  const dates = [...new Set(Array.from(results.values(), ({ date }) => date.slice(0, 10)))].sort().join(" and ");
  const links = files.map((file) => `\`${file}\``).join(", ");
  const isOld = machine.vectorLatency < 1.5 && Array.from(results.values()).some(({ date }) => date < SHAPES);
  const old = isOld ? " BLAKE3 had no shape for this processor before 28 November 2026." : "";
  return `<sub>${processorLine(machine)}; ${dates}.${old} Every digest was checked. Versions, and other modes, sizes and runtimes: ${links} of the repository.</sub>`;
}

const sectionOf = (processor) => `## On ${nameOf(processor)}

${table(processor)}

Where a package in the same runtime is faster, at any size:

${whereSlower(processor)}

${source(processor)}`;

function section(processors, drawn) {
  return `Each cell: ${shownSizes.map(sizeName).join(" · ")}; empty where there is no other, ? where it was not measured.
The last column is against the fastest native add-on or program.

${processors.map(sectionOf).join("\n\n")}

## Beside each package

${pictures(drawn)}`;
}

/** The calls that programs write, on each processor where they were measured. */
function usedSection(processors) {
  return processors
    .map((processor) => {
      const results = usedRuntimes.flatMap((title) => processor.results.get(title) ?? []);
      return `### On ${nameOf(processor)}\n\n${usedTables(results)}\n\n${source(processor)}`;
    })
    .join("\n\n");
}

/** The fastest row of a package, or of some kinds of package. */
const bestOf = (result, algorithm, size, belongs) =>
  quickest(rowsAt(result, algorithm, size).filter(belongs).filter(isRight), "best");

const times = (ratio) => (ratio < 9.95 ? ratio.toFixed(2) : ratio.toFixed(0));

/** All measured ratios of an algorithm and a size, on all processors, in all runtimes but Node 20. */
function ratiosOver(processors, kinds, algorithm, size) {
  return processors
    .flatMap(({ results }) => runtimes.slice(1).flatMap((title) => results.get(title) ?? []))
    .map((result) => ratioTo(kinds, result, algorithm, size))
    .filter((ratio) => ratio !== undefined);
}

/** The figures of the README, best and worst, over all processors. */
function figures(processors) {
  const range = (algorithm, size) => {
    const ratios = ratiosOver(processors, packages, algorithm, size);
    return `${times(Math.min(...ratios))} to ${times(Math.max(...ratios))}`;
  };
  const most = (kinds, algorithm) => times(1 / Math.min(...ratiosOver(processors, kinds, algorithm, MiB)));
  const names = processors.map(nameOf).join(" and ");
  return `- **Fast.** BLAKE3 has ${range("blake3", 64)} times the speed of the fastest other package for 64 bytes, and ${range("blake3", MiB)} for 1 MiB; BLAKE2b ${range("blake2b", 64)}, and ${range("blake2b", MiB)}: in browsers, Bun and Node from 22 on, on ${names}.
- **Not the fastest everywhere.** For 1 MiB native code is up to ${most(native, "blake3")} times as fast in BLAKE3, \`node:crypto\` up to ${most(["builtin"], "blake2b")} times in BLAKE2b. [Speed](docs/speed.md) has every case.`;
}

/** Writes a section of a page between its two marks. */
function writeSection(page, name, content) {
  const path = `${root}${page}`;
  const marks = new RegExp(`(<!-- ${name} -->\\n)[\\s\\S]*?(\\n<!-- /${name} -->)`);
  const text = readFileSync(path, "utf8");
  if (!marks.test(text)) throw new Error(`${page} has no marks <!-- ${name} --> and <!-- /${name} -->`);
  writeFileSync(
    path,
    text.replace(marks, (_, start, end) => `${start}${content}${end}`),
  );
}

function main(named) {
  for (const file of named) keep(file);
  const processors = readProcessors("readme");
  const shown = processors.find(chartRuntimeOf);
  const drawn = charts.map((chart) => chartOf(shown, chart));
  writeCharts(drawn);
  writeSection("docs/speed.md", "bench", `\n${section(processors, drawn)}\n`);
  writeSection("docs/speed.md", "used", `\n${usedSection(readProcessors("used"))}\n`);
  writeSection("README.md", "chart", frontPicture(drawn));
  writeSection("README.md", "figures", figures(processors));
}

try {
  main(process.argv.slice(2));
} catch (error) {
  say(`bench:report: ${error.message}`);
  process.exitCode = 1;
}
