// The official vectors over an adapter of a package that ships none: the SHA-256 of a set's digests is in
// test/vectors/official.json.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const { sets } = JSON.parse(readFileSync(new URL("../../vectors/official.json", import.meta.url), "utf8"));
const PERIODS = { ascending: 256, counting: 251 };

function inputsOf({ pattern, sizes }) {
  const lengths = sizes.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, i) => first + i));
  return lengths.map((length) => Buffer.from(Array.from({ length }, (_, i) => i % PERIODS[pattern])));
}

const hexOf = (digest) => (typeof digest === "string" ? digest : digest.toString("hex"));

/**
 * @param digests for an algorithm, what computes a digest with an adapter's module; undefined for options that it does not have
 * @returns how many digests there were
 */
export async function checkOfficial(api, digests) {
  let count = 0;
  for (const { algorithm, options = {}, sha256, ...set } of sets.filter(({ algorithm }) => digests[algorithm])) {
    const given = { ...options, ...(options.key && { key: Buffer.from(options.key, "hex") }) };
    const found = await Promise.all(inputsOf(set).map((input) => digests[algorithm](api, input, given)));
    if (found.includes(undefined)) continue;
    assert.equal(createHash("sha256").update(found.map(hexOf).join("")).digest("hex"), sha256, set.name);
    count += found.length;
  }
  assert.ok(count > 0);
  return count;
}
