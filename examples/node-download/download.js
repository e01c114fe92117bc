// Downloads a file to disk and prints its digest. Each byte is read once, and the file is never in memory as a whole.
//
//   node download.js URL FILE [BLAKE3]    FILE appears when it is whole and, with a digest, when that matches
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { blake3, toHex } from "blake-simd";
import { hashThrough } from "blake-simd/node";

const [url, file, expected] = process.argv.slice(2);
let digest;
const hash = hashThrough(blake3, (bytes) => {
  digest = toHex(bytes);
  if (expected !== undefined && digest !== expected.toLowerCase()) throw new Error(`${url}: the digest is ${digest}`);
});
const part = `${file}.part`;
try {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  await pipeline(response.body, hash, createWriteStream(part));
  await rename(part, file);
  console.log(`${digest}  ${file}`);
} catch (error) {
  await rm(part, { force: true });
  console.error(error.message);
  process.exitCode = 1;
}
