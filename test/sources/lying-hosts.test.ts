// The contract of sources: a read that says N bytes has written N bytes where it was told to, and a size is what bytes
// have proved. A host that lies gets an error that names it, or its lie changes nothing; it never gets another digest.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { blake3 as noble } from "@noble/hashes/blake3.js";
import { blake3 } from "blake-simd";
import { outboardOf } from "blake-simd/bao";
import { hashFile } from "blake-simd/node";
import { Blake3Pool, type OpenFile } from "blake-simd/parallel";
import { afterAll, describe, expect, it } from "vitest";
import { ROOT, startNode } from "../support/child.ts";
import { pattern } from "../support/messages.ts";
import { settled } from "../support/reads.ts";
import { forbidUnhandledRejections } from "../support/streams.ts";

forbidUnhandledRejections();

const pools = [0, 2].map((threads) => new Blake3Pool({ threads }));
const folder = mkdtempSync(join(tmpdir(), "blake-simd-"));
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.close()));
  rmSync(folder, { recursive: true });
});

type Reading = [target: Uint8Array, at: number, length: number, position: number | null];
/** Lies about a read: is given where the bytes go, what they are, how many reads there were, and all of its file. */
type Lie = (reading: Reading, bytes: Uint8Array, reads: number) => unknown;

const told = (bytesRead: unknown) => ({ bytesRead });
const honest: Lie = ([target, at], bytes) => {
  target.set(bytes, at);
  return told(bytes.length);
};
const saying =
  (say: (count: number, asked: number) => unknown): Lie =>
  (reading, bytes, reads) => {
    honest(reading, bytes, reads);
    return say(bytes.length, reading[2]);
  };
const writing =
  (write: (reading: Reading, bytes: Uint8Array, reads: number) => void): Lie =>
  (reading, bytes, reads) => {
    write(reading, bytes, reads);
    return told(bytes.length);
  };

/** Whether the lie is refused, or may change nothing, or is none. */
type Outcome = "an error" | "an error or the digest" | "the digest";

const reading: Record<string, [Lie, Outcome]> = {
  nothing: [honest, "the digest"],
  "one byte at a time, at first": [
    ([target, at], bytes, reads) => {
      const some = bytes.subarray(0, reads < 20 ? 1 : bytes.length);
      target.set(some, at);
      return told(some.length);
    },
    "the digest",
  ],
  "more than asked": [saying((_, asked) => told(asked + 1)), "an error"],
  "a negative number": [saying(() => told(-1)), "an error"],
  "a fraction": [saying((count) => told(count - 0.5)), "an error"],
  NaN: [saying(() => told(Number.NaN)), "an error"],
  Infinity: [saying(() => told(Number.POSITIVE_INFINITY)), "an error"],
  text: [saying((count) => told(`${count}`)), "an error"],
  "a bigint": [saying((count) => told(BigInt(count))), "an error"],
  "an object": [saying((count) => told({ valueOf: () => count })), "an error"],
  "no number": [saying(() => ({})), "an error"],
  "no result": [saying(() => undefined), "an error"],
  "a number alone": [saying((count) => count), "an error"],
  "all of them, and writes none": [writing(() => {}), "an error"],
  "a number again, without writing": [
    (given, bytes, reads) => (reads === 0 ? honest(given, bytes, 0) : told(bytes.length || given[2])),
    "an error or the digest",
  ],
  "a number for ever, without writing": [(given) => told(given[2]), "an error"],
  "all of them, and writes to the start of the buffer": [
    writing(([target, at], bytes) => new Uint8Array(target.buffer).set(bytes, at)),
    "an error or the digest",
  ],
  "all of them, and writes to the start of the view": [
    writing(([target], bytes) => target.set(bytes)),
    "an error or the digest",
  ],
  "all of them, and writes to memory of its own": [
    writing(([target, at], bytes) => target.slice().set(bytes, at)),
    "an error",
  ],
  "all of them, and writes the first half": [
    writing(([target, at], bytes) => target.set(bytes.subarray(0, bytes.length >> 1), at)),
    "an error",
  ],
  "all of them, but the last": [writing(([target, at], bytes) => target.set(bytes.subarray(0, -1), at)), "an error"],
  "all of them, but the first 32": [
    writing(([target, at], bytes) => target.set(bytes.subarray(32), at + Math.min(32, bytes.length))),
    "an error",
  ],
  "all of them, and writes later": [
    writing(([target, at], bytes) => void setImmediate(() => target.set(bytes, at))),
    "an error",
  ],
  "an end before the end": [
    (given, bytes, reads) => honest(given, reads === 0 ? bytes.subarray(0, 100) : bytes.subarray(0, 0), reads),
    "an error",
  ],
};

type Stat = (size: number, big: boolean) => unknown;
const statOf = (size: number, big: boolean, more: object = {}) => {
  const number = big ? BigInt : Number;
  return { size: number(size), dev: number(1), ino: number(1), blocks: number(8), isFile: () => true, ...more };
};
const stats: Record<string, [Stat, Outcome]> = {
  "a size that is too large": [(size, big) => statOf(size + 5000, big), "an error or the digest"],
  "a size that is far too large": [(_, big) => statOf(Number.MAX_SAFE_INTEGER, big), "an error or the digest"],
  "a size that is too small": [(size, big) => statOf(size - 500, big), "an error or the digest"],
  "a size of nothing": [(_, big) => statOf(0, big), "the digest"],
  "a negative size": [(_, big) => statOf(-5, big), "an error"],
  "a size of the other kind": [(size, big) => statOf(0, big, { size: big ? size : BigInt(size) }), "the digest"],
  "a size in text": [(size, big) => statOf(0, big, { size: `${size}` }), "an error"],
  "no size": [(_, big) => statOf(0, big, { size: undefined }), "an error"],
  "no status": [() => undefined, "an error"],
  "a status without isFile": [(size) => ({ size, dev: 1, ino: 1 }), "an error"],
};

/** An open file of a host that lies. */
function handleOf(content: Uint8Array, lie: Lie, stat: Stat): OpenFile & FileHandle {
  let [reads, own] = [0, 0];
  const file = {
    fd: -5,
    stat: async (options?: { bigint?: boolean }) => stat(content.length, options?.bigint === true),
    async read(...given: Reading) {
      if (reads > 300) throw new Error("read for ever");
      const from = given[3] ?? own;
      const bytes = content.subarray(from, from + given[2]);
      const result = lie(given, bytes, reads++);
      if (given[3] === null) own += (result as { bytesRead?: number } | undefined)?.bytesRead ?? 0;
      return result;
    },
  };
  return file as unknown as OpenFile & FileHandle;
}

const calls: Record<string, (file: OpenFile & FileHandle) => Promise<Uint8Array>> = {
  hashFile: (file) => hashFile(blake3, file),
  "hashFile with both": (file) => hashFile(blake3, file, { signal: new AbortController().signal, onProgress() {} }),
  "Blake3Pool.hash without threads": (file) => pools[0]!.hash(file),
  "Blake3Pool.hash": (file) => pools[1]!.hash(file),
  "outboardOf with a pool": async (file) => (await outboardOf(file, { pool: pools[1]! })).root,
};

const contents = [5000, 70_000, 2 ** 20, 3_000_000].map((size) => pattern(size));
const digests = contents.map((content) => noble(content));

const isNamed = (error: unknown) =>
  /^(hashFile|Blake3Pool\.hash|outboardOf|digestOf): .*(bytes|read|size|stat|file)/i.test((error as Error).message);

async function check(call: (typeof calls)[string], lie: Lie, stat: Stat, outcome: Outcome) {
  const failures: string[] = [];
  for (const [i, content] of contents.entries()) {
    const got = await settled(call(handleOf(content, lie, stat))).catch((error) => error);
    const isDigest = got instanceof Uint8Array;
    const isRight = isDigest ? outcome !== "an error" && Buffer.compare(got, digests[i]!) === 0 : isNamed(got);
    if (!isRight || (outcome === "the digest" && !isDigest))
      failures.push(`${content.length} bytes: ${isDigest ? "a wrong digest" : got}`);
  }
  expect(failures.join("; ")).toBe("");
}

describe.each(Object.entries(calls))("%s, of a handle", (_, call) => {
  it.each(Object.entries(reading))("whose read says %s", (_name, [lie, outcome]) => check(call, lie, statOf, outcome));
  it.each(Object.entries(stats))("whose status has %s", (_name, [stat, outcome]) => check(call, honest, stat, outcome));
});

const HONEST = "nothing is wrong";

describe.each([
  HONEST,
  "bytes are said to be read that are not written",
  "byteOffset is ignored",
  "the index is ignored",
  "the first half is written",
  "the first bytes are not written",
  "a file that is missing seems open and empty",
])("a host in which %s", (lie) => {
  const preload = join(ROOT, "test/support/lying-host.mjs");
  const names = contents.map(({ length }) => join(folder, `${length}`));
  for (const [i, content] of contents.entries()) writeFileSync(names[i]!, content);

  it("hashFile, and pools", async () => {
    const code = `
      const { blake3, toHex } = await import("blake-simd");
      const { hashFile } = await import("blake-simd/node");
      const { Blake3Pool } = await import("blake-simd/parallel");
      const { outboardOf } = await import("blake-simd/bao");
      const pools = [0, 2].map((threads) => new Blake3Pool({ threads }));
      const calls = {
        hashFile: (path) => hashFile(blake3, path),
        "hashFile with a signal": (path) => hashFile(blake3, path, { signal: new AbortController().signal }),
        "Blake3Pool.hash without threads": (path) => pools[0].hash({ path }),
        "Blake3Pool.hash": (path) => pools[1].hash({ path }),
        "outboardOf with a pool": async (path) => (await outboardOf({ path }, { pool: pools[1] })).root,
      };
      const outcomes = [];
      for (const [name, call] of Object.entries(calls))
        for (const path of ${JSON.stringify(names)})
          outcomes.push([name, path, await call(path).then(toHex, (error) => "error: " + error.message)]);
      console.log(JSON.stringify(outcomes));
      process.exit();`;
    const { stdout, stderr } = await startNode(code, { flags: ["--import", preload], env: { LIE: lie } });
    expect(stderr).toBe("");
    const failures = (JSON.parse(stdout) as string[][]).filter(
      ([, path, got]) => (lie === HONEST || !got!.startsWith("error: ")) && !isRightDigest(path!, got!),
    );
    expect(failures.map(([call, path]) => `${call} of ${path!.split("/").pop()} bytes: a wrong digest`)).toEqual([]);
  });

  it("the command", async () => {
    const code = `
      process.argv.splice(1, 9, "blakesum", "-a", "blake3", ...${JSON.stringify(names)});
      const { createRequire } = await import("node:module");
      createRequire(process.cwd() + "/")("./dist/cli/blakesum.cjs");`;
    const { stdout } = await startNode(code, { flags: ["--import", preload], env: { LIE: lie } });
    const lines = stdout.split("\n").filter((line) => line !== "");
    if (lie === HONEST) expect(lines.length).toBe(names.length);
    expect(lines.filter((line) => !isRightDigest(line.slice(66), line.slice(0, 64)))).toEqual([]);
  });

  const isRightDigest = (path: string, digest: string) =>
    !lie.startsWith("a file") && digest === Buffer.from(digests[names.indexOf(path)]!).toString("hex");
});

it("an honest host is believed, whatever bytes a read begins and ends with", async () => {
  for (let first = 0; first < 256; first++) {
    for (let last = 0; last < 256; last++) {
      const content = Uint8Array.of(first, 1, last);
      const got = await hashFile(blake3, handleOf(content, honest, statOf));
      if (Buffer.compare(got, noble(content)) !== 0) throw new Error(`wrong digest of ${content}`);
    }
  }
});
