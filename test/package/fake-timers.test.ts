// Tests of programs replace timers by fake ones, whose time stands still: nothing here waits for them.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { blake3 } from "blake-simd";
import { outboardOf } from "blake-simd/bao";
import { hashFile } from "blake-simd/node";
import { Blake3Pool } from "blake-simd/parallel";
import { DigestStream, digestOf, HashStream } from "blake-simd/streams";
import { afterAll, afterEach, beforeEach, expect, it, vi } from "vitest";
import { pattern } from "../support/messages.ts";

const folder = mkdtempSync(join(tmpdir(), "blake-simd-"));
const path = join(folder, "file");
const message = pattern(3_000_000);
writeFileSync(path, message);
const pools = [0, 1].map((threads) => new Blake3Pool({ threads }));
const { signal } = new AbortController();

afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.close()));
  rmSync(folder, { recursive: true });
});
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it.each<[string, () => Promise<Uint8Array>]>([
  ["digestOf a Blob", () => digestOf(blake3, new Blob([message]), { signal })],
  ["digestOf a short Blob", () => digestOf(blake3, new Blob([message]), { signal })],
  ["digestOf a Response", () => digestOf(blake3, new Response(message), { signal })],
  ["digestOf chunks", () => digestOf(blake3, [message], { signal })],
  ["hashFile", () => hashFile(blake3, path)],
  ["Blake3Pool.hash without threads", () => pools[0]!.hash({ path })],
  ["Blake3Pool.hash", () => pools[1]!.hash({ path })],
  ["outboardOf", async () => (await outboardOf(new Blob([message]))).root],
  [
    "streams",
    async () => {
      const [hash, sink] = [new HashStream(blake3), new DigestStream(blake3)];
      await new Blob([message]).stream().pipeThrough(hash).pipeTo(sink);
      await hash.digest;
      return sink.digest;
    },
  ],
])("%s", async (_, call) => {
  expect(await call()).toEqual(blake3(message));
});
