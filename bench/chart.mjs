// Bar charts as SVG: plain shapes and text in generic fonts, no script, one file for light pages and one for dark.

const gap = 28;
const panelWidth = 388;
const labelWidth = 158;
const barHeight = 13;
const barStep = 18;
const titleHeight = 30;
const axisHeight = 40;
const headHeight = 52;
const valueWidth = 44;

const themes = {
  light: { text: "#1f2328", faint: "#59636e", line: "#d1d9e0", own: "#0969da", rival: "#afb8c1", native: "#d4a72c" },
  dark: { text: "#f0f6fc", faint: "#9198a1", line: "#3d444d", own: "#4493f8", rival: "#656c76", native: "#9e6a03" },
};

export const themeNames = Object.keys(themes);

/**
 * A chart of panels, each with its own scale from 0.
 * @param chart { title, note, unit, panels: [{ title, bars: [{ label, value, kind: "own" | "rival" | "native" }] }] }
 * @param columns panels in a row
 */
export function drawChart({ title, note = "", unit, panels }, themeName, columns = 2) {
  const width = gap + columns * (panelWidth + gap);
  const colours = themes[themeName];
  const rows = Array.from({ length: Math.ceil(panels.length / columns) }, (_, row) =>
    panels.slice(row * columns, (row + 1) * columns),
  );
  let top = headHeight;
  const drawn = rows.map((row) => {
    const texts = row.map((panel, column) => drawPanel(panel, unit, colours, gap + column * (panelWidth + gap), top));
    top += Math.max(...row.map(heightOf));
    return texts.join("");
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top}" width="${width}" height="${top}" role="img" aria-label="${escaped(title)}" font-family="system-ui, sans-serif" font-size="12">
<text x="${gap}" y="22" font-size="15" font-weight="600" fill="${colours.text}">${escaped(title)}</text>
<text x="${gap}" y="40" fill="${colours.faint}">${escaped(note)}</text>
${drawn.join("")}</svg>
`;
}

/** What a chart shows, in words, for who does not see it. */
export function describeChart({ title, unit, panels }) {
  const told = panels.map(
    ({ title: name, bars }) => `${name}: ${bars.map(({ label, value }) => `${label} ${short(value)}`).join(", ")}`,
  );
  return `${title}, in ${unit.split(",")[0]}. ${told.join(". ")}.`;
}

const heightOf = ({ bars }) => titleHeight + bars.length * barStep + axisHeight;

function drawPanel({ title, bars }, unit, colours, left, top) {
  const plot = { left: left + labelWidth, width: panelWidth - labelWidth - valueWidth, top: top + titleHeight };
  const ticks = ticksTo(Math.max(...bars.map(({ value }) => value)));
  const scale = (value) => (plot.width * value) / ticks.at(-1);
  const bottom = plot.top + bars.length * barStep;
  const heading = text(left, top + 18, title, colours.text, 'font-weight="600"');
  const grid = ticks.map((tick) => drawTick(plot.left + scale(tick), plot.top, bottom, tick, colours));
  const axis = text(plot.left + plot.width, bottom + 30, unit, colours.faint, 'text-anchor="end"');
  const drawn = bars.map((bar, index) => drawBar(bar, index, plot, scale, colours));
  return [heading, ...grid, axis, ...drawn, drawCeiling(bars, plot, bottom, scale, colours)].join("");
}

/** A dashed line at the fastest native code: what there is to gain at most. */
function drawCeiling(bars, plot, bottom, scale, colours) {
  const native = bars.filter(({ kind }) => kind === "native").map(({ value }) => value);
  if (native.length === 0) return "";
  const x = round(plot.left + scale(Math.max(...native)));
  return `<path d="M${x} ${plot.top - 4}V${bottom}" stroke="${colours.native}" stroke-width="1.5" stroke-dasharray="5 3"/>\n`;
}

function drawTick(x, top, bottom, tick, colours) {
  const line = `<path d="M${round(x)} ${top}V${bottom}" stroke="${colours.line}"/>\n`;
  return line + text(x, bottom + 15, String(tick), colours.faint, 'text-anchor="middle"');
}

function drawBar({ label, value, kind }, index, plot, scale, colours) {
  const y = plot.top + index * barStep + (barStep - barHeight) / 2;
  const weight = kind === "own" ? ' font-weight="600"' : "";
  const length = Math.max(scale(value), 0.5);
  return [
    text(plot.left - 6, y + 10.5, label, colours.text, `text-anchor="end"${weight}`),
    `<rect x="${round(plot.left)}" y="${y}" width="${round(length)}" height="${barHeight}" fill="${colours[kind]}"/>\n`,
    text(plot.left + length + 4, y + 10.5, short(value), colours.faint, weight.trim()),
  ].join("");
}

function text(x, y, content, colour, attributes = "") {
  return `<text x="${round(x)}" y="${y}" fill="${colour}" ${attributes}>${escaped(content)}</text>\n`;
}

/** Three to six round numbers from 0 to at least a value. */
function ticksTo(value) {
  const rough = value / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough);
  return Array.from({ length: Math.ceil(value / step) + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

const short = (value) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));

const round = (value) => Math.round(value * 10) / 10;

const escaped = (content) => content.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
