// Tables in Markdown of the calls that programs write, with all runtimes that were measured.
import { KiB, modes, sizeName } from "../cases/cases.mjs";
import { titleOf } from "./results.mjs";
import { quickest } from "./rows.mjs";

/** Kinds that a call is compared with, "by hand" among them. */
const rivals = ["wasm", "js", "builtin", "hand"];

/** The lines of the table of one-shot hashes. */
const hashes = [
  { name: "BLAKE3", algorithm: "blake3", belongs: ({ kind }) => kind === "ours" },
  { name: "BLAKE2b", algorithm: "blake2b", belongs: ({ kind }) => kind === "ours" },
  { name: "SHA-256, `node:crypto`", algorithm: "blake3", belongs: ({ rival }) => rival === "sha256" },
  { name: "SHA-256, WebCrypto", algorithm: "blake3", belongs: ({ rival }) => rival === "WebCrypto sha256" },
];

const line = (cells) => `| ${cells.join(" | ")} |`;

function table(first, results, lines, last = []) {
  const titles = results.map(({ runtime }) => titleOf(runtime));
  const rule = [" --- ", ...results.map(() => " --: "), ...last.map(() => " --- ")];
  return [line([first, ...titles, ...last]), `|${rule.join("|")}|`, ...lines.map(line)].join("\n");
}

const isCase =
  ({ algorithm, mode, size }) =>
  (row) =>
    row.algorithm === algorithm && row.mode === mode && row.size === size;

/** A time with two digits or more, in the unit that keeps it short. */
function time(ns) {
  const [value, unit] = ns < 1e4 ? [ns, "ns"] : ns < 1e7 ? [ns / 1e3, "us"] : [ns / 1e6, "ms"];
  return `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ${unit}`;
}

const fastest = (rows, belongs) => quickest(rows.filter(belongs), "best");

const isOurs = ({ kind }) => kind === "ours";
const isRival = ({ kind }) => rivals.includes(kind);

/** The ratio of speeds, and our time. */
function cell(rows) {
  const own = fastest(rows, isOurs);
  if (!own?.ns) return own?.digest ?? "";
  const other = fastest(rows, isRival);
  const ratio = other?.ns ? `**${(other.ns.best / own.ns.best).toFixed(2)}** ` : "";
  return `${ratio}${time(own.ns.best)}`;
}

function usedTable(results) {
  const cases = new Map(
    results
      .flatMap(({ rows }) => rows)
      .filter(({ mode, kind, size }) => modes[mode].written && kind === "ours" && size !== KiB)
      .map((row) => [JSON.stringify([row.algorithm, row.mode, row.size]), row]),
  );
  const lines = [...cases.values()].map((row) => {
    const each = results.map(({ rows }) => rows.filter(isCase(row)));
    const names = each.map((rows) => fastest(rows, isRival)?.rival).filter(Boolean);
    return [
      `\`${modes[row.mode].written(row.algorithm, sizeName(row.size))}\``,
      ...each.map(cell),
      [...new Set(names)].join(", "),
    ];
  });
  return table("", results, lines, ["fastest other"]);
}

function shaTable(results) {
  const measured = results.flatMap(({ rows }) => rows.filter(({ mode }) => mode === "hash").map(({ size }) => size));
  const sizes = [Math.min(...measured), Math.max(...measured)];
  const speed = (rows, { algorithm, belongs }, size) => {
    const row = quickest(rows.filter(isCase({ algorithm, mode: "hash", size })).filter(belongs), "best");
    return row?.mbps ? row.mbps.best.toFixed(0) : "";
  };
  const lines = hashes.map((hash) => [
    hash.name,
    ...results.map(({ rows }) => sizes.map((size) => speed(rows, hash, size)).join(" · ")),
  ]);
  return table(`MB/s at ${sizes.map(sizeName).join(" · ")}`, results, lines);
}

const hasHashes = ({ rows }) => rows.some(({ mode }) => mode === "hash");

/** Both tables of a run of `--used`; the second only if one-shot hashes were measured. */
export const usedTables = (results) =>
  [usedTable(results), ...(results.some(hasHashes) ? [shaTable(results)] : [])].join("\n\n");
