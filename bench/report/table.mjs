// Prints rows as tables: per runtime, algorithm and mode one line a size; ratios are speeds, ours over the rival's.
import { modes, sizeName } from "../cases/cases.mjs";
import { align, quickest } from "./rows.mjs";

/** Kinds of rivals in the first table and in the second; "ours" is the build that is not compared with. */
const tables = [
  { title: "", kinds: ["ours", "wasm", "js", "builtin"] },
  { title: "native add-ons, programs and other hashes", kinds: ["addon", "native", "other"] },
];

/** All tables of one runtime's rows, as text. */
export function printTables(rows, { by, speeds }, runtime) {
  const names = unique(rows.map(groupName));
  const groups = names.map((name) => rows.filter((row) => groupName(row) === name));
  return groups.map((group) => printGroup(group, by, runtime) + (speeds ? printSpeeds(group) : "")).join("\n");
}

const groupName = ({ algorithm, mode }) => `${algorithm} ${mode}`;

function printGroup(rows, by, runtime) {
  const [{ algorithm, mode }] = rows;
  const own = rows.find(({ kind }) => kind === "ours")?.rival;
  const machine = `${runtime.name} ${runtime.version}, ${by}`;
  const heading = `${algorithm}, ${modes[mode].title}: ${own ?? "rivals alone"} (${machine})\n`;
  return tables
    .map(({ title, kinds }) => ({
      title,
      part: rows.filter(({ kind, rival }) => kinds.includes(kind) && rival !== own),
    }))
    .filter(({ title, part }) => part.length > 0 || (own && !title))
    .map(({ title, part }) => (title ? `${algorithm}: ${title}\n` : heading) + printRatios(rows, part, own, by))
    .join("\n");
}

/** One line a size: our time and speed, then each rival's ratio; the last line says whose digests are right. */
function printRatios(all, rivalRows, own, by) {
  const rivals = unique(rivalRows.map(({ rival }) => rival));
  const find = (rival, size) =>
    quickest(
      all.filter((row) => row.rival === rival && row.size === size),
      by,
    );
  const lines = unique(all.map(({ size }) => size)).map((size) => {
    const ours = find(own, size);
    return [sizeName(size), ...ownCells(own, ours, by), ...rivals.map((rival) => cell(find(rival, size), ours, by))];
  });
  const verdicts = rivals.map((rival) => verdict(rivalRows.filter((row) => row.rival === rival)));
  const ownVerdict = own ? ["", verdict(all.filter((row) => row.rival === own))] : [];
  return align([["size", ...(own ? ["ns", "MB/s"] : []), ...rivals], ...lines, ["digest", ...ownVerdict, ...verdicts]]);
}

function ownCells(own, row, by) {
  if (!own) return [];
  return row?.ns ? [number(row.ns[by]), row.mbps ? number(row.mbps[by]) : "-"] : ["-", row ? "WRONG" : "-"];
}

/** A ratio; without ours to compare with, the rival's own speed. */
function cell(row, ours, by) {
  if (!row) return "-";
  if (!row.ns) return row.digest === "WRONG" ? "WRONG" : "fails";
  if (ours?.ns) return (row.ns[by] / ours.ns[by]).toFixed(2);
  return row.mbps ? `${number(row.mbps[by])} MB/s` : `${number(row.ns[by])} ns`;
}

function verdict(rows) {
  if (rows.some(({ digest }) => digest === "WRONG")) return "WRONG";
  return rows.every(({ digest }) => digest === "right") ? "right" : "fails";
}

/** One line a rival and size, with everything that was measured. */
function printSpeeds(rows) {
  const lines = rows.map((row) => [
    sizeName(row.size),
    [row.rival, row.way].filter(Boolean).join(", "),
    ...["best", "median"].map((by) => (row.ns ? number(row.ns[by]) : "-")),
    ...["best", "median"].map((by) => (row.mbps ? number(row.mbps[by]) : "-")),
    row.allocated === undefined ? "-" : String(row.allocated),
    row.digest,
  ]);
  const headings = ["size", "rival", "ns best", "median", "MB/s best", "median", "allocated", "digest"];
  return `\n${align([headings, ...lines])}`;
}

/** A number with three digits or more. */
function number(value) {
  return value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0);
}

function unique(values) {
  return [...new Set(values)];
}
