// The contract of sources: nothing is looked up after the import that a program may replace. Fake timers, zone.js,
// polyfills and sandboxes change no digest, and nothing hangs.
import { join } from "node:path";
import { blake3 as noble } from "@noble/hashes/blake3.js";
import { expect, it } from "vitest";
import { ROOT, startNode } from "../support/child.ts";
import { pattern } from "../support/messages.ts";

const GLOBALS =
  "nothing Promise setTimeout setImmediate MessageChannel queueMicrotask Date performance crypto Blob File FileReader Response " +
  "Request ReadableStream TransformStream WritableStream AbortController DOMException TextEncoder TextDecoder URL Uint8Array " +
  "ArrayBuffer SharedArrayBuffer Buffer structuredClone";
const SIZES = [1000, 3_000_000];

/** By size and global, the outcomes that are not right. */
const outcomes = await Promise.all(
  SIZES.map(async (size) => {
    const env = { REPLACED: GLOBALS, SIZE: `${size}`, DIGEST: Buffer.from(noble(pattern(size))).toString("hex") };
    const code = `await import(${JSON.stringify(join(ROOT, "test/support/replaced-globals.mjs"))});`;
    const { status, stdout, stderr } = await startNode(code, { env });
    if (status !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as Record<string, Record<string, string>>;
  }),
);

it.each(GLOBALS.split(" "))("%s is replaced", (name) => {
  const wrong = outcomes.flatMap((each, i) =>
    Object.entries(each[name]!).map(([call, outcome]) => `${call}, ${SIZES[i]} bytes: ${outcome}`),
  );
  expect(wrong.join("\n")).toBe("");
});
