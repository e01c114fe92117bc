// How a vector file looks, and the lists of lengths that all of them share.
import { createHash } from "node:crypto";

export const KIB = 1024;
export const MIB = 1024 * KIB;
export const PATTERN = "byte i of every input is i % 251";

const escaped = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
/** A number that JavaScript would not keep becomes text. */
const plain = (_, value) => (typeof value !== "bigint" ? value : value < 2n ** 53n ? Number(value) : String(value));
const itemText = (item) => JSON.stringify(item, plain).replace(/[\u0080-\uffff]/g, escaped);

/** JSON with one case per line, so that a diff names the case. */
export function render(document) {
  const fieldText = (value) =>
    Array.isArray(value) ? `[\n  ${value.map(itemText).join(",\n  ")}\n]` : itemText(value);
  const fields = Object.entries(document).map(([name, value]) => `"${name}": ${fieldText(value)}`);
  return `{\n${fields.join(",\n")}\n}\n`;
}

export const range = (first, last) => Array.from({ length: last - first + 1 }, (_, i) => first + i);
export const hex = (length, byte) => Buffer.from(range(0, length - 1).map(byte)).toString("hex");
/** The key of a length. */
export const keyOf = (length) => hex(length, (i) => 3 * i + length);
/** A salt and a personalisation that differ in every byte. */
export const labelsOf = (length) => ({ salt: hex(length, (i) => 0x51 + i), personal: hex(length, (i) => 0xa1 + i) });

export const around = (value, ...distances) => distances.map((distance) => value + distance);
export const edges = (block, count = 4) => range(1, count).flatMap((n) => around(n * block, -1, 0, 1));
export const ascending = (...lengths) => [...new Set(lengths)].sort((a, b) => a - b);

/** Every boundary where a kernel may change its way of working. */
export const lengths = (block) => [
  ...[0, 1, 2, 3, ...edges(block)],
  ...[1, 2, 3, 5].flatMap((kib) => around(kib * KIB, -1, 0, 1)),
  ...[4, 8, 12, 16].flatMap((kib) => around(kib * KIB, -63, -2, -1, 0, 1)),
  ...[64 * KIB, 128 * KIB, MIB].flatMap((size) => around(size, -1, 0, 1)),
];

/** A case without its digest; options that are not given are not written either. */
export const row = (input, options) => ({ input, ...written(options) });
export const written = (options = {}) => (Object.keys(options).length > 0 ? { options } : {});

/** Rows with the result that each has. */
export const all = (rows, name, result) =>
  Promise.all(rows.map(async (each) => ({ ...each, [name]: await result(each) })));

/** SHA-256 of the outputs' lower-case hex, one after the other: the whole list in one line. */
export const hashOfHex = (outputs) => createHash("sha256").update(outputs.join("")).digest("hex");

/** Every length from 0 to the last one; a sweep per step, so that a failure says roughly where. */
export function sweeps(digest, options, last = 16 * KIB + 1) {
  const steps = range(0, Math.floor(last / KIB)).map((i) => ({
    from: i * KIB,
    to: Math.min((i + 1) * KIB - 1, last),
    ...written(options),
  }));
  return all(steps, "sha256", async ({ from, to }) =>
    hashOfHex(await Promise.all(range(from, to).map((input) => digest({ input, ...options })))),
  );
}
