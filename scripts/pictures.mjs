// node scripts/pictures.mjs [FOLDER]: draws the diagrams and the chart of sizes to FOLDER/pictures (docs/pictures),
// each for light and dark pages, and writes FOLDER/comparison.md with the chart's figures in words. The charts of speed
// come from bench/report.mjs.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeChart, drawChart, styleOf } from "../bench/report/chart.mjs";

const root = join(import.meta.dirname, "..");
const folder = process.argv[2] ?? join(root, "docs");
const pictures = join(folder, "pictures");

const themes = {
  light: {
    text: "#1f2328",
    faint: "#59636e",
    line: "#8c959f",
    box: "#f6f8fa",
    own: "#0969da",
    ink: "#ffffff",
    second: "#bf8700",
  },
  dark: {
    text: "#f0f6fc",
    faint: "#9198a1",
    line: "#656c76",
    box: "#212830",
    own: "#1f6feb",
    ink: "#ffffff",
    second: "#9e6a03",
  },
};

const escaped = (content) => String(content).replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

const text = (x, y, content, colour, attributes = 'text-anchor="middle"') =>
  `<text x="${x}" y="${y}" class="fill-${colour}" ${attributes}>${escaped(content)}</text>\n`;

const rectangle = (x, y, width, height, fill, stroke) =>
  `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="4" class="fill-${fill} stroke-${stroke}"/>\n`;

const line = (path, colour, attributes = "") =>
  `<path d="${path}" fill="none" class="stroke-${colour}" ${attributes}/>\n`;

function picture(width, height, title, body) {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}" font-family="system-ui, sans-serif" font-size="13">
${styleOf(themes)}
${body}</svg>
`;
}

const CHUNKS = 8;

/** BLAKE3's tree over eight chunks, divided between two machines. */
function tree() {
  const [width, height, left, step, boxWidth] = [860, 430, 40, 98, 86];
  const centre = (level, index) => left + boxWidth / 2 + step * ((index + 0.5) * 2 ** level - 0.5);
  const y = (level) => 250 - 70 * level;
  const nodes = [3, 2, 1, 0].flatMap((level) =>
    Array.from({ length: CHUNKS >> level }, (_, index) => drawNode(level, index)),
  );
  function drawNode(level, index) {
    const x = centre(level, index);
    const isRoot = level === 3;
    const [fill, ink] = isRoot ? ["own", "ink"] : ["box", "text"];
    const label = isRoot ? "root" : level === 0 ? `chunk ${index}` : "parent";
    const up = isRoot ? "" : line(`M${x} ${y(level)}L${centre(level + 1, index >> 1)} ${y(level + 1) + 34}`, "line");
    return up + rectangle(x - boxWidth / 2, y(level), boxWidth, 34, fill, "line") + text(x, y(level) + 22, label, ink);
  }
  const bracket = (from, to, top, colour, label) => {
    const [start, end] = [centre(0, from) - boxWidth / 2, centre(0, to) + boxWidth / 2];
    return (
      line(`M${start} ${top}v8H${end}v-8`, colour, 'stroke-width="2"') +
      text((start + end) / 2, top + 26, label, "text")
    );
  };
  const body = [
    text(28, 26, "BLAKE3: who hashes which part", "text", 'font-size="15" font-weight="600"'),
    text(centre(3, 0) + 58, y(3) + 22, "the root gives the digest", "faint", ""),
    text(28, y(2) + 5, "32-byte chaining values", "faint", 'font-size="12"'),
    ...nodes,
    text(width / 2, 306, "1024 bytes of the message each", "faint"),
    bracket(0, 3, 322, "own", "SIMD computes four chunks at once"),
    bracket(4, 7, 322, "own", "SIMD computes four chunks at once"),
    bracket(0, 3, 372, "second", "machine 1: one part, one chaining value"),
    bracket(4, 7, 372, "second", "machine 2: the other part"),
  ].join("");
  return picture(width, height, "BLAKE3: who hashes which part", body);
}

/** The table of docs/comparison.md beside the other packages' sizes that bench/sizes.mjs measured. */
function sizes(page) {
  const others = JSON.parse(readFileSync(join(root, "bench/sizes.json"), "utf8"));
  const panels = Object.entries(others).map(([title, packages]) => {
    const [, own] = new RegExp(`^\\| \`${title}\` \\| ([\\d.]+) kB`, "m").exec(page);
    const bars = Object.entries(packages).map(([label, value]) => ({ label, value, kind: "rival" }));
    bars.push({ label: "blake-simd", value: Number(own), kind: "own" });
    return { title, bars: bars.sort((a, b) => a.value - b.value) };
  });
  return { title: "Size of one algorithm in a bundle, gzipped", unit: "kB, shorter is better", panels };
}

const page = readFileSync(join(root, "docs/comparison.md"), "utf8");
const sizeChart = sizes(page);
const told = page.replace(
  /alt="[^"]*"( src="pictures\/sizes)/,
  (_, rest) => `alt="${describeChart(sizeChart)}"${rest}`,
);

mkdirSync(pictures, { recursive: true });
writeFileSync(join(folder, "comparison.md"), told);
writeFileSync(join(pictures, "sizes.svg"), drawChart(sizeChart, 1));
writeFileSync(join(pictures, "blake3-tree.svg"), tree());
