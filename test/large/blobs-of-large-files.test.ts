// Blobs with a file of 4 GiB or more, whose size is too small in Node by a multiple of that: each way to hash one.
import { createHash } from "node:crypto";
import { openAsBlob } from "node:fs";
import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { blake2b } from "blake-simd";
import { outboardOf } from "blake-simd/bao";
import { digestOf } from "blake-simd/streams";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runNode } from "../support/child.ts";
import { withPool } from "../support/pool.ts";

let folder = "";
let file: Blob;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "blake-simd-large-"));
  const path = join(folder, "file");
  await writeFile(path, "the beginning");
  await truncate(path, 2 ** 32);
  file = await openAsBlob(path);
});
afterAll(() => rm(folder, { recursive: true }));

/** What Node's stream of a Blob has. */
async function streamed(blob: Blob): Promise<string> {
  const hash = createHash("blake2b512");
  for await (const chunk of blob.stream()) hash.update(chunk);
  return hash.digest("hex");
}

it.each<[string, () => Blob]>([
  ["alone", () => file],
  ["behind a byte", () => new Blob(["a", file])],
  ["between bytes, and nested", () => new Blob(["a", new Blob([file]), "b"])],
])("%s", { timeout: 600_000 }, async (_, make) => {
  const blob = make();
  expect(Buffer.from(await digestOf(blake2b, blob)).toString("hex")).toBe(await streamed(blob));
  const { root, length } = await outboardOf(blob, { group: 2 ** 20 });
  expect(length).toBe(blob.size + 2 ** 32);
  await withPool({ threads: 2 }, async (pool) => {
    expect(await pool.hash(blob)).toEqual(root);
    expect((await outboardOf(blob, { pool, group: 2 ** 20 })).root).toEqual(root);
  });
});

it("a File around a Blob of a file whose size looks short: without options, too, it is not read into memory", {
  timeout: 600_000,
}, () => {
  const code = `
    import fs from "node:fs";
    const { blake3 } = await import("blake-simd");
    const { digestOf } = await import("blake-simd/streams");
    fs.closeSync(fs.openSync(process.env.FILE, "w"));
    fs.truncateSync(process.env.FILE, 2 ** 32 + 100);
    const peak = () => Number(/VmHWM:\\s*(\\d+)/.exec(fs.readFileSync("/proc/self/status", "utf8"))[1]) * 1024;
    const end = (digest) => {
      console.log(JSON.stringify([digest && digest.length, peak() < 2 ** 29]));
      process.exit();
    };
    setInterval(() => peak() < 2 ** 30 || end(null), 50);
    end(await digestOf(blake3, new File([await fs.openAsBlob(process.env.FILE)], "name")));`;
  const outcome = runNode(code, { env: { FILE: join(folder, "wrapped") } });
  expect(outcome).toEqual([32, true]);
});
