// Downloads a file to disk and prints its digest. Each byte is read once, and the file is never in memory as a whole.
//
//   node download.js URL FILE [BLAKE3]    with a digest, a file that does not match is not kept
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { equal, fromHex, toHex } from "blake-simd";
import { createHash } from "blake-simd/node";

const [url, file, expected] = process.argv.slice(2);

async function* hashing(chunks, hash) {
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
}

const response = await fetch(url);
if (!response.ok) throw new Error(`${url}: ${response.status}`);
const hash = createHash("blake3");
await pipeline(Readable.fromWeb(response.body), (chunks) => hashing(chunks, hash), createWriteStream(file));
const digest = hash.digest();
if (expected && !equal(digest, fromHex(expected))) {
  await rm(file);
  throw new Error(`${url}: the digest is ${toHex(digest)}`);
}
console.log(`${toHex(digest)}  ${file}`);
