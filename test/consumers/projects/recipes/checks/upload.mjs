import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { blake3 } from "@noble/hashes/blake3.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { digestsOf } from "../upload.mjs";

const server = createServer(async (request, response) => {
  try {
    const limits = request.url === "/limited" ? { fileSize: 4 } : undefined;
    response.end(JSON.stringify(await digestsOf(request, limits)));
  } catch (error) {
    response.writeHead(400).end(error.message);
  }
}).listen(0, "127.0.0.1");
await once(server, "listening");
const url = `http://127.0.0.1:${server.address().port}/`;

const form = new FormData();
const files = {
  "large.bin": Buffer.alloc(3_000_001, "large"),
  "small.txt": Buffer.from("hello"),
  empty: Buffer.alloc(0),
};
form.set("text", "no file");
for (const [name, bytes] of Object.entries(files)) form.set(name, new File([bytes], name));
const response = await fetch(url, { method: "POST", body: form });
const expected = Object.entries(files).map(([filename, bytes]) => ({ filename, digest: bytesToHex(blake3(bytes)) }));
assert.deepEqual(await response.json(), expected);

const limited = await fetch(`${url}limited`, { method: "POST", body: form });
assert.deepEqual(
  await limited.json(),
  expected.map(({ filename, digest }) => (files[filename].length > 4 ? { filename } : { filename, digest })),
);

// A body that ends early.
const headers = { "Content-Type": "multipart/form-data; boundary=x" };
const body = '--x\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\nhel';
const cut = await fetch(url, { method: "POST", headers, body });
assert.deepEqual([cut.status, await cut.text()], [400, "Unexpected end of form"]);
server.close();
