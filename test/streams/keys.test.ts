// A stream, a file, a pool and an HMAC leave no key in JavaScript's memory once they have ended, however they end.

import { createSecretKey, type KeyObject } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { blake2b, blake3 } from "blake-simd";
import { createHash, createHmac, hashFile, hashThrough } from "blake-simd/node";
import { Blake3Pool } from "blake-simd/parallel";
import { DigestStream, digestOf, HashStream, VerifyStream } from "blake-simd/streams";
import { afterAll, expect, it, vi } from "vitest";
import { arraysMadeUntil, isOfKernel } from "../support/arrays.ts";
import { pattern } from "../support/messages.ts";

type Key = Uint8Array<ArrayBuffer>;

const message = pattern(300_000);
const folder = mkdtempSync(join(tmpdir(), "blake-simd-"));
const path = join(folder, "message");
writeFileSync(path, message);
afterAll(() => rmSync(folder, { recursive: true }));

const body = () => new Blob([message]).stream();
const nowhere = () => new WritableStream();
const key = new Uint8Array(32).fill(7);
const expected = blake3(message, { key });

const uses: [string, (key: Key) => Promise<unknown>][] = [
  ["digestOf a stream", (key) => digestOf(blake3, body(), { key })],
  ["digestOf a Blob", (key) => digestOf(blake2b, new Blob([message]), { key })],
  ["DigestStream", (key) => body().pipeTo(new DigestStream(blake2b, { key }))],
  ["HashStream", (key) => body().pipeThrough(new HashStream(blake3, { key })).pipeTo(nowhere())],
  [
    "HashStream that is cancelled",
    async (key) => {
      const stream = new HashStream(blake3, { key });
      const reader = body().pipeThrough(stream).getReader();
      await reader.read();
      await reader.cancel("enough");
      await expect(stream.digest).rejects.toBe("enough");
    },
  ],
  [
    "VerifyStream",
    (key) =>
      body()
        .pipeThrough(new VerifyStream(blake3, expected, { key }))
        .pipeTo(nowhere()),
  ],
  [
    "VerifyStream of another digest",
    async (key) => {
      const piped = body().pipeThrough(new VerifyStream(blake3, new Uint8Array(32), { key }));
      await expect(piped.pipeTo(nowhere())).rejects.toThrow("VerifyStream");
    },
  ],
  [
    "VerifyStream that refuses the expected digest",
    async (key) => expect(() => new VerifyStream(blake3, "zz", { key })).toThrow("VerifyStream: expected must be"),
  ],
  ...[{ highWaterMark: -5 }, { signal: 5 as never }].map((options): (typeof uses)[number] => [
    `createHash whose stream refuses the option ${Object.keys(options)}`,
    async (key) => {
      const hash = createHash("blake3", { key, ...options });
      expect(() => hash.write("a")).toThrow();
      hash.digest();
    },
  ]),
  [
    "createHash whose copy refuses an option",
    async (key) => {
      const hash = createHash("blake3", { key });
      expect(() => hash.copy({ key } as object)).toThrow("unknown option");
      hash.digest();
    },
  ],
  [
    "createHash whose stream is destroyed",
    async (key) => {
      const hash = createHash("blake3", { key }).update(message);
      hash.destroy();
      expect(() => hash.digest()).toThrow("the digest was already taken");
    },
  ],
  ["hashFile", (key) => hashFile(blake2b, path, { key })],
  [
    "hashThrough",
    (key) =>
      finished(
        Readable.from([message])
          .pipe(hashThrough(blake3, () => {}, { key }))
          .resume(),
      ),
  ],
  ["createHmac", async (key) => createHmac("blake2b", key).update(message).digest()],
  ["createHash", async (key) => createHash("blake2b", { key }).update(message).digest()],
  [
    "Blake3Pool",
    async (key) => {
      const pool = new Blake3Pool({ threads: 1 });
      for (const source of [message, new Blob([message]), { path }]) await pool.hash(source, { key });
      await pool.close();
    },
  ],
];

/** The arrays with the key that the package has made until a call is settled. */
async function copiesLeft(use: (key: Key) => Promise<unknown>): Promise<Uint8Array[]> {
  const made = await arraysMadeUntil(() => use(key));
  const ofPackage = made.filter((array) => array.buffer !== key.buffer && !isOfKernel(array));
  return ofPackage.filter((array) => Buffer.from(array).includes(Buffer.from(key)));
}

it.each(uses)("%s", async (_, use) => {
  expect(await copiesLeft(use)).toEqual([]);
});

const aesKey = () => crypto.subtle.importKey("raw", key, "AES-GCM", false, ["encrypt"]);

it.each<[string, () => KeyObject | Promise<CryptoKey>]>([
  ["KeyObject", () => createSecretKey(key)],
  ["CryptoKey", aesKey],
])("createHmac: the export of a %s", async (_, make) => {
  const exports = vi.spyOn(Object.getPrototypeOf(createSecretKey(key)) as KeyObject, "export");
  const mac = createHmac("blake2b", await make());
  const copies = exports.mock.results.map(({ value }) => value as Buffer);
  exports.mockRestore();
  expect(copies).toEqual([Buffer.alloc(32)]);
  expect(mac.update(message).digest()).toEqual(createHmac("blake2b", key).update(message).digest());
});

it("createHmac: what a key of text is decoded to", () => {
  const made = vi.spyOn(Buffer, "from");
  createHmac("blake2b", "07".repeat(32), { encoding: "hex" }).digest();
  const copies = made.mock.results.map(({ value }) => value as Buffer);
  made.mockRestore();
  expect(copies).toContainEqual(Buffer.alloc(32));
  expect(copies).not.toContainEqual(Buffer.from(key));
});

it("a stream that has not ended has one", async () => {
  const streams: DigestStream[] = [];
  const copies = await copiesLeft(async (key) => streams.push(new DigestStream(blake2b, { key })));
  expect(copies).toHaveLength(1);
});
