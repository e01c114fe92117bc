// npm run bench:report -- [FILE ...]: draws the charts of the README and docs/speed.md from results, those of `standard` if
// none is named, and writes what both say of speed between their marks, such as <!-- bench --> and <!-- /bench -->. Where two
// files have the same runtime, the later file counts.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { algorithms, KiB, MiB } from "./cases.mjs";
import { drawChart, themeNames } from "./chart.mjs";
import { root, say } from "./prepare.mjs";
import { isRight, quickest } from "./rows.mjs";

const folder = "docs/pictures";
/** A whole run, and before it the browsers that were measured on another day. */
const standard = ["readme-browsers.json", "readme.json"].map((name) => `${root}bench/results/${name}`);

/** What the table compares: sizes, and runtimes by the beginning of their title. */
const sizes = [64, KiB, MiB];
const runtimes = ["Node 20", "Node 26", "Bun", "Chromium", "Firefox", "WebKitGTK"];

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

/** Kinds that the table holds us against inside a runtime, and those of native code that was compiled for the machine. */
const portable = ["wasm", "js", "builtin"];
const native = ["addon", "native"];

const titleOf = ({ name, version }) => (name === "Node" ? `Node ${Number.parseInt(version, 10)}` : name);

/** All results, by the title of their runtime. */
function readResults(files) {
  const found = files.map((file) => JSON.parse(readFileSync(file, "utf8")));
  return new Map(
    found.flatMap(({ results, ...run }) => results.map((result) => [titleOf(result.runtime), { ...result, run }])),
  );
}

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
  return { title: algorithm, bars: [own, ...bars].sort((a, b) => b.value - a.value) };
}

function writeCharts(result) {
  mkdirSync(`${root}${folder}`, { recursive: true });
  for (const chart of charts) {
    const { name, version } = result.runtime;
    const title = `${chart.title} in ${name} ${version}; native code in yellow, the fastest marked by a dashed line`;
    const shown = chart.algorithms.filter((algorithm) => isRight(ownRow(rowsAt(result, algorithm, chart.size))));
    const panels = shown.map((algorithm) => panelOf(result, algorithm, chart));
    for (const theme of themeNames) {
      writeFileSync(`${root}${folder}/${chart.name}-${theme}.svg`, drawChart({ ...chart, title, panels }, theme));
    }
  }
}

/** Both charts of all algorithms, as the page shows them: relative to it. */
function pictures() {
  return charts
    .filter(({ algorithms }) => algorithms === charted)
    .map(
      ({ name, title }) => `<picture>
<source media="(prefers-color-scheme: dark)" srcset="pictures/${name}-dark.svg">
<img alt="${title}: speed of each package" src="pictures/${name}-light.svg">
</picture>`,
    )
    .join("\n\n");
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

const cell = (ratios) =>
  ratios.every((ratio) => ratio === undefined)
    ? ""
    : ratios
        .map((ratio) => (ratio === undefined ? "?" : ratio < 9.95 ? ratio.toFixed(2) : ratio.toFixed(0)))
        .join(" · ");

function table(results) {
  const measured = runtimes.filter((title) => results.has(title));
  const reference = results.get(chartRuntimes.find((title) => results.has(title)));
  const line = (cells) => `| ${cells.join(" | ")} |`;
  const isMeasured = (algorithm) => rowsAt(reference, algorithm, sizes[0]).length > 0;
  const lines = Object.keys(algorithms)
    .filter(isMeasured)
    .map((algorithm) => {
      const against = (kinds, result) => cell(sizes.map((size) => ratioTo(kinds, result, algorithm, size)));
      const inRuntimes = measured.map((title) => against(portable, results.get(title)));
      return line([`\`${algorithm}\``, ...inRuntimes, against(native, reference)]);
    });
  const head = ["", ...measured, `native (${titleOf(reference.runtime)})`];
  return [line(head), line(head.map(() => "---")), ...lines].join("\n");
}

const sizeName = (bytes) => (bytes < KiB ? `${bytes} B` : bytes < MiB ? `${bytes / KiB} KiB` : `${bytes / MiB} MiB`);

/** Every place where another package in the same runtime is faster, with the best of them. */
function lost(results) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  const behind = runtimes
    .filter((title) => results.has(title))
    .flatMap((title) =>
      Object.keys(algorithms).flatMap((algorithm) =>
        sizes.flatMap((size) => {
          const result = results.get(title);
          const ratio = ratioTo(portable, result, algorithm, size);
          if (ratio === undefined || ratio >= 1) return [];
          const { rival } = quickest(
            rowsAt(result, algorithm, size).filter(({ kind }) => portable.includes(kind)),
            "best",
          );
          return [line([title, `\`${algorithm}\``, sizeName(size), rival, (1 / ratio).toFixed(2)])];
        }),
      ),
    );
  if (behind.length === 0) return "In no cell of the table is another package in the same runtime faster.";
  const head = ["runtime", "algorithm", "message", "faster", "times our speed"];
  return [line(head), line(head.map(() => "---")), ...behind].join("\n");
}

/** The machine and the versions that the numbers come from. */
function source(results, files) {
  const measured = [...results.values()];
  const { machine } = measured.at(-1).run;
  const dates = [...new Set(measured.map(({ run }) => run.date.slice(0, 10)))].sort().join(" and ");
  const versions = measured.map(({ runtime: { name, version } }) => `${name} ${version}`).join(", ");
  const links = files.map((file) => `\`${relative(root, resolve(file))}\``).join(", ");
  return `${machine.cpu}, ${machine.cores} cores, ${dates}; ${versions}. Every digest was checked. All numbers, the other
modes and the versions of all packages are in ${links} of the repository.`;
}

function section(results, files) {
  return `${pictures()}

Our speed over that of the fastest other implementation with the right digest in the same runtime, \`node:crypto\` among
them; above 1, ours is faster. The last column has the fastest native add-on or program instead (Rust with AVX-512 where the
CPU has it, Go with AVX). Each cell: 64 B · 1 KiB · 1 MiB; empty where there is no other.

${table(results)}

Where a package in the same runtime, \`node:crypto\` among them, is faster:

${lost(results)}

${source(results, files)}
\`npm run bench:readme\` repeats all of it.`;
}

/** The fastest row of a package, or of some kinds of package. */
const bestOf = (result, algorithm, size, belongs) =>
  quickest(rowsAt(result, algorithm, size).filter(belongs).filter(isRight), "best");

const times = (ratio) => (ratio < 9.95 ? ratio.toFixed(1) : ratio.toFixed(0));

/** What the README says of speed, the good and the bad. */
function figures(results) {
  const title = chartRuntimes.find((name) => results.has(name));
  const result = results.get(title);
  const [long, short] = [MiB, 64].map((size) => ownRow(rowsAt(result, "blake3", size)));
  const over = (name) => times(bestOf(result, "blake3", MiB, ({ rival }) => rival === name).ns.best / long.ns.best);
  const ahead = ratioTo(native, result, "blake3", MiB);
  const crypto = bestOf(result, "blake2b", MiB, ({ rival }) => rival === "node:crypto");
  const ours = ownRow(rowsAt(result, "blake2b", MiB));
  const lead = ours.ns.best / crypto.ns.best;
  const beaten = lead > 1 ? `, and \`node:crypto\` hashes 1 MiB of BLAKE2b ${times(lead)} times as fast` : "";
  return `- **Fast.** BLAKE3 hashes 1 MiB at ${long.mbps.best.toFixed(0)} MB/s in ${title}, ${over("hash-wasm")} times hash-wasm and
  ${over("@noble/hashes")} times @noble/hashes, and ${times(1000 / short.ns.best)} million messages of 64 bytes a second.
  [A pool](docs/threads.md) uses all cores.
- **Not the fastest everywhere.** Native code with AVX-512 is ${times(1 / ahead)} times as fast for 1 MiB of BLAKE3${beaten}.
  [Speed](docs/speed.md) lists every case that we measured.`;
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
  const files = named.length > 0 ? named : standard.filter((file) => existsSync(file));
  const results = readResults(files);
  writeCharts(results.get(chartRuntimes.find((title) => results.has(title))));
  writeSection("docs/speed.md", "bench", `\n${section(results, files)}\n`);
  writeSection("README.md", "figures", figures(results));
}

try {
  main(process.argv.slice(2));
} catch (error) {
  say(`bench:report: ${error.message}`);
  process.exitCode = 1;
}
