// Helpers for the rows of a survey.

/** Whether a row was measured: only calls with the right digest are. */
export const isRight = (row) => row?.ns !== undefined && row.digest === "right";

/** The fastest right row; if none is right, the first; undefined if there is none. */
export function quickest(rows, by) {
  const right = rows.filter(isRight);
  if (right.length === 0) return rows[0];
  return right.reduce((best, row) => (row.ns[by] < best.ns[by] ? row : best));
}

/** Lines of cells under each other; the first column and those from `left` on begin at the left. */
export function align(lines, left = Infinity) {
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  const isLeft = (column) => column === 0 || column >= left;
  const pad = (text, column) => (isLeft(column) ? text.padEnd(widths[column]) : text.padStart(widths[column]));
  return lines.map((line) => `${line.map(pad).join("  ").trimEnd()}\n`).join("");
}
