import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { blake3 } from "@noble/hashes/blake3.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { upload } from "../tus.mjs";

// As much of https://tus.io/protocols/resumable-upload as an upload and its resumption need.
let received = Buffer.alloc(0);
const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  received = Buffer.concat([received, ...chunks]);
  const headers = { "Tus-Resumable": "1.0.0", "Upload-Offset": received.length, "Upload-Length": 100_000 };
  if (request.method === "POST") response.writeHead(201, { ...headers, Location: "/files/1" });
  else response.writeHead(request.method === "HEAD" ? 200 : 204, headers);
  response.end();
}).listen(0, "127.0.0.1");
await once(server, "listening");
const endpoint = `http://127.0.0.1:${server.address().port}/files/`;

const message = Buffer.alloc(100_000, "message");
const stored = new Map();
const urlStorage = {
  addUpload: async (fingerprint, one) => stored.set(fingerprint, one) && fingerprint,
  findUploadsByFingerprint: async (fingerprint) => (stored.has(fingerprint) ? [stored.get(fingerprint)] : []),
  removeUpload: async (key) => stored.delete(key),
};

/** Stops after the first chunk, or never. */
function send(file, stop) {
  return new Promise((resolve, reject) => {
    const started = upload(file, {
      endpoint,
      urlStorage,
      chunkSize: 40_000,
      onError: reject,
      onSuccess: resolve,
      onChunkComplete: async () => {
        if (stop) resolve(await (await started).abort());
      },
    });
    started.catch(reject);
  });
}

await send(message, true);
assert.deepEqual([...stored.keys()], [`blake3-${bytesToHex(blake3(message))}-${endpoint}`]);
assert.equal(received.length, 40_000);
await send(Buffer.from(message), false);
assert.deepEqual(received, message);
server.close();
