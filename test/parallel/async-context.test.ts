// A caller's functions run in its own async context: with the store of AsyncLocalStorage that the call was made under,
// whatever other calls share the workers, the file or the connection.
import { AsyncLocalStorage } from "node:async_hooks";
import { PassThrough, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { blake3 } from "blake-simd";
import { outboardOf } from "blake-simd/bao";
import { hashFile, hashThrough } from "blake-simd/node";
import { Blake3Pool } from "blake-simd/parallel";
import { digestOf } from "blake-simd/streams";
import { afterAll, expect, it } from "vitest";
import { MESSAGE as large } from "../support/pool.ts";

const storage = new AsyncLocalStorage<string>();
const pools = [new Blake3Pool({ threads: 2 }), new Blake3Pool({ threads: 0 })];
afterAll(() => Promise.all(pools.map((pool) => pool.close())));

type Call = (note: () => void) => Promise<unknown>;

const calls: [string, Call][] = [
  ...pools.flatMap((pool): [string, Call][] => [
    [`a pool of ${pool.threads}`, (onProgress) => pool.hash(large, { onProgress })],
    [`a pool of ${pool.threads}, a Blob`, (onProgress) => pool.hash(new Blob([large]), { onProgress })],
    [`a pool of ${pool.threads}, a file`, (onProgress) => pool.hash({ path: "package-lock.json" }, { onProgress })],
    [`outboardOf, a pool of ${pool.threads}`, (onProgress) => outboardOf(large, { onProgress, pool })],
  ]),
  [
    "digestOf",
    (onProgress) => digestOf(blake3, new Blob([large]), { onProgress, signal: new AbortController().signal }),
  ],
  ["hashFile", (onProgress) => hashFile(blake3, "package-lock.json", { onProgress })],
  [
    "hashThrough",
    (onDigest) => pipeline(Readable.from([large]), hashThrough(blake3, onDigest), new PassThrough().resume()),
  ],
];

it.each(calls)("%s", async (_, call) => {
  const seen: (string | undefined)[][] = [];
  const requests = ["a", "b", "c"].map((id) =>
    storage.run(id, () => call(() => void seen.push([id, storage.getStore()]))),
  );
  await Promise.all(requests);
  expect(new Set(seen.map(([id]) => id))).toEqual(new Set(["a", "b", "c"]));
  expect(seen.filter(([id, store]) => id !== store)).toEqual([]);
});
