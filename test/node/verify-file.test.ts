// verifyFile of blake-simd/node: what is the expected file, and how others are refused.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { blake2b, blake3, toBase64, toHex } from "blake-simd";
import { IntegrityError, verifyFile } from "blake-simd/node";
import * as streams from "blake-simd/streams";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bytes, forbidUnhandledRejections, nobleDigest, rejection, watched } from "../support/streams.ts";

forbidUnhandledRejections();

const folder = mkdtempSync(join(tmpdir(), "blake-simd-"));
const path = join(folder, "message");
const message = bytes(100_000);
const right = nobleDigest(message);
const wrong = right.with(0, (right[0] as number) ^ 128);
beforeAll(() => writeFileSync(path, message));
afterAll(() => rmSync(folder, { recursive: true }));

it.each([
  ["bytes", right],
  ["hex", toHex(right)],
  ["base64", toBase64(right)],
  ["a line of blakesum", `${toHex(right)}  message\n`],
])("a right file is fulfilled with nothing: %s", async (_, expected) => {
  const handle = await open(path);
  for (const file of [path, Buffer.from(path), pathToFileURL(path), handle]) {
    expect(await verifyFile(blake3, file, expected)).toBe(undefined);
  }
  await handle.close();
});

it("options of the algorithm and of the read count", async () => {
  const options = { key: bytes(32), length: 20 };
  const expected = blake3(message, options);
  let read = 0;
  await verifyFile(blake3, path, expected, { ...options, onProgress: (done) => (read = done) });
  expect(read).toBe(message.length);
  const signal = AbortSignal.abort("enough");
  expect(await rejection(verifyFile(blake3, path, expected, { ...options, signal }))).toBe("enough");
  const error = await rejection(verifyFile(blake3, path, expected.with(0, 1), options));
  expect(String(error)).toBe(
    `IntegrityError: verifyFile: the digest of ${path} must be the expected one, got a different one`,
  );
});

it("a wrong file is refused by an error that names it, and has both digests", async () => {
  const handle = await open(path);
  const names = [path, path, path, "the file"];
  for (const [i, file] of [path, Buffer.from(path), pathToFileURL(path), handle].entries()) {
    const error = (await rejection(verifyFile(blake3, file, wrong))) as IntegrityError;
    const [expected, actual] = [toHex(wrong), toHex(right)];
    expect(error).toBeInstanceOf(streams.IntegrityError);
    expect(error.message).toBe(`verifyFile: the digest of ${names[i]} must be ${expected}, got ${actual}`);
    expect({ ...error }).toEqual({ expected, actual });
  }
  await handle.close();
  expect(IntegrityError).toBe(streams.IntegrityError);
});

it("what is wrong is refused before anything is read, and no hasher stays", async () => {
  const missing = join(folder, "missing");
  const of = async (...args: unknown[]) =>
    String(await rejection((verifyFile as (...a: unknown[]) => Promise<void>)(...args)));
  expect(await of(blake3, missing, "ab")).toContain("RangeError: verifyFile: expected must be 64 hexadecimal digits");
  expect(await of(blake3, missing, undefined)).toContain("TypeError: verifyFile: expected must be");
  expect(await of(missing, blake3, right)).toContain("TypeError: verifyFile: algorithm must be");
  expect(await of(blake2b, missing, bytes(64), { length: 65 })).toContain("length must be an integer from 1 to 64");
  expect(await of(blake3, missing, right, {}, 1)).toContain("verifyFile: arguments must be at most 4, got 5");
  expect(await of(blake3, missing, right)).toContain("ENOENT");
  const { algorithm, disposed } = watched();
  expect(await of(algorithm, missing, right)).toContain("ENOENT");
  expect(disposed()).toBe(true);
});
