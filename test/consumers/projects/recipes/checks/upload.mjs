import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { digestOf } from "../digest.mjs";
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
const post = (path, body, headers) =>
  fetch(`http://127.0.0.1:${server.address().port}${path}`, { method: "POST", body, headers });

const form = new FormData();
const files = {
  "large.bin": Buffer.alloc(3_000_001, "large"),
  "small.txt": Buffer.from("hello"),
  empty: Buffer.alloc(0),
};
form.set("text", "no file");
for (const [name, bytes] of Object.entries(files)) form.set(name, new File([bytes], name));
const expected = Object.entries(files).map(([filename, bytes]) => ({ filename, digest: digestOf(bytes) }));
assert.deepEqual(await (await post("/", form)).json(), expected);
// Two are longer than the limit.
const [large, small, empty] = expected;
const limited = [{ filename: large.filename }, { filename: small.filename }, empty];
assert.deepEqual(await (await post("/limited", form)).json(), limited);

const half = '--x\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\nhel';
const cut = await post("/", half, { "Content-Type": "multipart/form-data; boundary=x" });
assert.deepEqual([cut.status, await cut.text()], [400, "Unexpected end of form"]);
server.close();
