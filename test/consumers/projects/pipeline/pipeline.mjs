// A server that hashes what it receives on the way to a file, and a client that hashes what it sends.
import assert from "node:assert/strict";
import { createHash as cryptoHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createReadStream, createWriteStream, readFileSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { pipeline } from "node:stream/promises";
import { blake2b, blake3 } from "blake-simd";
import { createHash, hashThrough } from "blake-simd/node";

const message = randomBytes(3_000_001);
const wanted = cryptoHash("blake2b512").update(message).digest("hex");
writeFileSync("sent", message);

const server = createServer(async (incoming, response) => {
  let received;
  const note = (digest) => {
    received = digest.toString("hex");
  };
  await pipeline(incoming, hashThrough(blake2b, note), createWriteStream("received"));
  response.end(received);
}).listen(0, "127.0.0.1");
await once(server, "listening");

const upload = request({ port: server.address().port, host: "127.0.0.1", method: "POST" });
const answered = once(upload, "response");
let sent;
const refuse = (digest) => {
  sent = digest.toString("hex");
};
await pipeline(createReadStream("sent"), hashThrough(blake2b, refuse), upload);
const [response] = await answered;
assert.equal(Buffer.concat(await response.toArray()).toString(), wanted);
assert.equal(sent, wanted);
assert.ok(readFileSync("received").equals(message));
server.close();

const hash = createHash("blake2b512");
await pipeline(createReadStream("sent"), hash);
assert.equal(hash.digest("hex"), wanted);

// A throw in the callback ends the pipeline.
const wrong = new Error("not the expected digest");
const fail = () => {
  throw wrong;
};
const refused = pipeline(createReadStream("sent"), hashThrough(blake3, fail), createWriteStream("refused"));
await assert.rejects(refused, wrong);

await import("./print.mjs");
