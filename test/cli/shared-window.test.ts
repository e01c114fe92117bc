// A window of files that threads share, without threads: which file is taken next, and what becomes of it.
import { truncateSync, writeFileSync } from "node:fs";
import { blake3 } from "@noble/hashes/blake3.js";
import { beforeAll, expect, it } from "vitest";
import { FileDigests, poolSizeOf } from "../../js/cli/digests/computation.ts";
import { perform, SharedWindow } from "../../js/cli/digests/shared-window.ts";
import { OutputError } from "../../js/cli/system/errors.ts";
import { hex, path, write } from "../support/blakesum.ts";

const MIB = 2 ** 20;
const COUNT = 50;
const recipe = { algorithm: "blake3", options: {}, length: 32, seek: 0n };
const content = (i: number) => new Uint8Array(10 + i);
const files = Array.from({ length: COUNT }, (_, i) => ({ name: path(`file-${i}`), recipe }));
const digests = files.map((_, i) => hex(blake3(content(i))));
const size = files.reduce((sum, _, i) => sum + content(i).length, 0);

beforeAll(() => {
  for (let i = 0; i < COUNT; i++) write(`file-${i}`, content(i));
});

/** Digests of files, and what their observer has been told. */
function counting() {
  const seen = { bytes: 0 };
  const onBytes = (count: number) => {
    seen.bytes += count;
  };
  const observer = { onLong() {}, onFile() {}, onBytes };
  return { seen, observer, fileDigests: new FileDigests(observer, poolSizeOf) };
}

function outcomesOf(window: SharedWindow) {
  return window.content.names.map((_, i) => {
    const outcome = window.outcome(i);
    return outcome instanceof Uint8Array ? hex(outcome) : outcome;
  });
}

it("each file is taken once, the next one at a time, whichever thread is free", () => {
  const [one, other] = [counting(), counting()];
  const window = SharedWindow.of(files);
  const ofOther = new SharedWindow(window.content);
  for (let i = 0; i < COUNT; i++) {
    expect([window.isOpen(i), ofOther.isOpen(i)]).toEqual([true, true]);
    expect(i % 3 ? window.hashNext(one.fileDigests) : ofOther.hashNext(other.fileDigests)).toBe(true);
    expect([window.isOpen(i), ofOther.isOpen(i)]).toEqual([false, false]);
  }
  expect([window.hashNext(one.fileDigests), ofOther.hashNext(other.fileDigests)]).toEqual([false, false]);
  expect(outcomesOf(window)).toEqual(digests);
  expect(one.seen.bytes + other.seen.bytes).toBe(size);
});

it("a worker hashes the remaining files, and its bytes are reported once", () => {
  const { seen, observer, fileDigests } = counting();
  const window = SharedWindow.of(files);
  window.hashNext(fileDigests);
  perform(window.content);
  window.report(observer);
  window.report(observer);
  expect(seen.bytes).toBe(size);
  expect(outcomesOf(window)).toEqual(digests);
});

it("no thread takes a file once the window has ended", () => {
  const window = SharedWindow.of(files);
  window.end();
  perform(window.content);
  expect(window.hashNext(counting().fileDigests)).toBe(false);
  expect(files.some((_, i) => !window.isOpen(i))).toBe(false);
});

it("the calling thread is left what only it can do: standard input, and files without a recipe, or for the pool", () => {
  write("large", "");
  truncateSync(path("large"), 128 * MIB);
  const others = [{ name: "-", recipe }, { name: "none" }, { name: path("large"), recipe }];
  const window = SharedWindow.of([...files.slice(0, 1), ...others, { name: path("missing"), recipe }]);
  perform(window.content);
  const [first, ...rest] = outcomesOf(window);
  expect(first).toBe(digests[0]);
  expect(rest.slice(0, 3)).toEqual([undefined, undefined, undefined]);
  expect(rest[3]).toMatchObject({ code: "ENOENT" });
  expect(window.content.names.some((_, i) => window.isOpen(i))).toBe(false);
});

it("digests of several lengths", () => {
  const long = { ...recipe, options: { length: 100 }, length: 100 };
  const window = SharedWindow.of(files.slice(0, 3).map(({ name }, i) => ({ name, recipe: i === 1 ? long : recipe })));
  perform(window.content);
  expect(outcomesOf(window)).toEqual([digests[0], hex(blake3(content(1), { dkLen: 100 })), digests[2]]);
});

it("waiting for a file ends when it is known, or after a while", () => {
  const window = SharedWindow.of(files.slice(0, 2));
  window.hashNext(counting().fileDigests);
  const start = performance.now();
  window.wait(1);
  expect(performance.now() - start).toBeGreaterThan(5);
  const state = window.outcome(0);
  window.wait(0);
  expect(window.outcome(0)).toEqual(state);
});

it("an error that ends the command does so, although it comes on the way", () => {
  writeFileSync(path("long"), new Uint8Array(MIB));
  const onBytes = () => {
    throw new OutputError();
  };
  const window = SharedWindow.of([{ name: path("long"), recipe }]);
  const failing = new FileDigests({ onLong() {}, onFile() {}, onBytes }, poolSizeOf);
  expect(() => window.hashNext(failing)).toThrow(OutputError);
});
