// Downloads a file to disk and prints its digest. Each byte is read once, and the file is never in memory as a whole.
//
//   node download.js URL FILE [BLAKE3]    FILE appears when it is whole and, with a digest, when that matches
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { equal, fromHex, toHex } from "blake-simd";
import { createHash } from "blake-simd/node";

const [url, file, hex] = process.argv.slice(2);
const expected = hex === undefined ? undefined : fromHex(hex);

async function* hashing(chunks, hash) {
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
}

const response = await fetch(url);
if (!response.ok) throw new Error(`${url}: ${response.status}`);
const hash = createHash("blake3");
const part = `${file}.part`;
try {
  await pipeline(Readable.fromWeb(response.body), (chunks) => hashing(chunks, hash), createWriteStream(part));
} catch (error) {
  await rm(part, { force: true });
  throw error;
}
const digest = hash.digest();
if (expected && !equal(digest, expected)) {
  await rm(part);
  throw new Error(`${url}: the digest is ${toHex(digest)}`);
}
await rename(part, file);
console.log(`${toHex(digest)}  ${file}`);
