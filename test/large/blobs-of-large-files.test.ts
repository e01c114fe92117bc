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
