// Bar charts as SVG: plain shapes and text in generic fonts, no script, one file for light and dark pages.

const gap = 28;
const panelWidth = 388;
const labelWidth = 158;
const barHeight = 13;
const thinHeight = 5;
const barStep = 18;
const titleHeight = 30;
const axisHeight = 30;
const headHeight = 52;
const valueWidth = 44;

const themes = {
  light: { text: "#1f2328", faint: "#59636e", own: "#0969da", rival: "#afb8c1", native: "#d4a72c" },
  dark: { text: "#f0f6fc", faint: "#9198a1", own: "#4493f8", rival: "#656c76", native: "#9e6a03" },
};

/** The style of a picture for pages of either kind: `fill-NAME` and `stroke-NAME` are the classes of a colour. */
export function styleOf({ light, dark }) {
  const rules = (colours) =>
    Object.entries(colours)
      .map(([name, colour]) => `.fill-${name}{fill:${colour}}.stroke-${name}{stroke:${colour}}`)
      .join("");
  return `<style>${rules(light)}@media(prefers-color-scheme:dark){${rules(dark)}}</style>`;
}

/**
 * A chart of panels, each with its own scale from 0.
 * @param chart { title, place, note, unit, panels: [{ title, bars: [{ label, value, kind: "own" | "rival" | "native" }]
 *   }] }
 * @param columns panels in a row
 */
export function drawChart({ title, place, note, unit, panels }, columns = 2) {
  const width = columns * (panelWidth + gap) - gap;
  const rows = Array.from({ length: Math.ceil(panels.length / columns) }, (_, row) =>
    panels.slice(row * columns, (row + 1) * columns),
  );
  const notes = [place, note].filter(Boolean);
  // One below the other where there is one column.
  const lines = columns === 1 ? notes : [notes.join("; ")];
  let top = headHeight + 16 * (lines.length - 1);
  const drawn = rows.map((row) => {
    const texts = row.map((panel, column) => drawPanel(panel, unit, column * (panelWidth + gap), top));
    top += Math.max(...row.map(heightOf));
    return texts.join("");
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top}" width="${width}" height="${top}" role="img" aria-label="${escaped(title)}" font-family="system-ui, sans-serif" font-size="12">
${styleOf(themes)}
<text y="22" font-size="15" font-weight="600" class="fill-text">${escaped(title)}</text>
${lines.map((line, i) => `<text y="${40 + 16 * i}" class="fill-faint">${escaped(line)}</text>`).join("\n")}
${drawn.join("")}</svg>
`;
}

/** Describes a chart in words, as the text for those who do not see it. */
export function describeChart({ title, place, unit, panels }) {
  // The first and the last of each kind.
  const isTold = ({ kind }, index, bars) => [-1, 1].some((step) => bars[index + step]?.kind !== kind);
  const described = panels.map(({ title: name, bars }) => {
    const words = bars.filter(isTold).map(({ label, value }) => `${label} ${short(value)}`);
    return `${name}: ${words.join(", ")}`;
  });
  return `${[title, place].filter(Boolean).join(" ")}, in ${unit.split(",")[0]}. ${described.join(". ")}.`;
}

const heightOf = ({ bars }) => titleHeight + bars.length * barStep + axisHeight;

function drawPanel({ title, bars }, unit, left, top) {
  const plot = { left: left + labelWidth, width: panelWidth - labelWidth - valueWidth, top: top + titleHeight };
  const longest = Math.max(...bars.map(({ value }) => value));
  const scale = (value) => (plot.width * value) / longest;
  const bottom = plot.top + bars.length * barStep;
  const heading = text(left, top + 18, title, "text", 'font-weight="600"');
  const axis = text(plot.left + plot.width, bottom + 16, unit, "faint", 'text-anchor="end"');
  const drawn = bars.map((bar, index) => drawBar(bar, index, plot, scale));
  return [heading, axis, ...drawn].join("");
}

function drawBar({ label, value, kind }, index, plot, scale) {
  const height = kind === "native" ? thinHeight : barHeight;
  const middle = plot.top + (index + 0.5) * barStep;
  const weight = kind === "own" ? ' font-weight="600"' : "";
  const length = Math.max(scale(value), 0.5);
  return [
    text(plot.left - 6, middle + 4, label, "text", `text-anchor="end"${weight}`),
    `<rect x="${round(plot.left)}" y="${middle - height / 2}" width="${round(length)}" height="${height}" class="fill-${kind}"/>\n`,
    text(plot.left + length + 4, middle + 4, short(value), "faint", weight.trim()),
  ].join("");
}

function text(x, y, content, colour, attributes = "") {
  return `<text x="${round(x)}" y="${y}" class="fill-${colour}" ${attributes}>${escaped(content)}</text>\n`;
}

const short = (value) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));

const round = (value) => Math.round(value * 10) / 10;

const escaped = (content) => content.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
