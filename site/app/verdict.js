// Compares digests with the expected lines. A comparison is { expected, isText, isAll }: the lines, whether text was
// hashed instead of files, and whether all algorithms were used.
import { equal } from "blake-simd";
import { algorithmOf } from "./expected.js";

/** "BLAKE-256" and "BLAKE2b", as their papers write them. */
export const labelOf = (algorithm) => algorithm.replace(/^blake(?=\d{3})/, "BLAKE-").replace("blake", "BLAKE");

const lastPart = (path) => path.replace(/^.*\//s, "");

/** The lines that are about a message. */
function linesFor(name, { expected, isText }) {
  if (expected.length === 1 || isText) return expected;
  const named = expected.filter((line) => line.name === name);
  if (named.length > 0) return named;
  const alike = expected.filter((line) => line.name && lastPart(line.name) === lastPart(name));
  return alike.length === 1 ? alike : expected.filter((line) => line.name === undefined);
}

/** { className, text }; undefined if there is nothing to compare with. */
export function verdictOf({ name, algorithm, digest }, comparison) {
  if (comparison.expected.length === 0) return undefined;
  const lines = linesFor(name, comparison);
  if (lines.length === 0) return { className: "faint", text: "No line names this file." };
  const own = lines.filter(({ tag }) => tag === undefined || algorithmOf(tag) === algorithm);
  const isGood = own.some((line) => line.digest.length === digest.length && equal(line.digest, digest));
  if (isGood) return { className: "good", text: "Matches the expected digest." };
  return comparison.isAll ? undefined : { className: "bad", text: reason(lines, own, algorithm, digest) };
}

function reason(lines, own, algorithm, digest) {
  const [line] = own;
  if (!line) return `The line is of ${lines[0].tag}, this is ${labelOf(algorithm)}.`;
  if (own.length > 1 || line.digest.length === digest.length) return "Does not match the expected digest.";
  return `The expected digest has ${line.digest.length} bytes, this one ${digest.length}.`;
}

/** The verdict on several messages or lines, once all digests are known. */
export function summaryOf(shown, comparison) {
  const { expected, isAll } = comparison;
  if (expected.length === 0 || shown.length === 0 || shown.some(({ digest }) => !digest)) return "";
  const good = shown.filter((each) => verdictOf(each, comparison)?.className === "good");
  if (isAll) return good.length > 0 ? "" : "No algorithm matches the expected digest.";
  if (shown.length < 2) return "";
  const names = new Set(shown.map(({ name }) => lastPart(name)));
  const absent = expected.filter(({ name }) => name && !names.has(lastPart(name))).map(({ name }) => name);
  const list = `${absent.slice(0, 5).join(", ")}${absent.length > 5 ? "…" : ""}`;
  return `${good.length} of ${shown.length} match.${absent.length > 0 ? ` Listed, but not here: ${list}.` : ""}`;
}
