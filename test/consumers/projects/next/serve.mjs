// node serve.mjs PATH...: the built app, asked for what computes in its runtimes.
import { once } from "node:events";
import { createServer } from "node:http";
import next from "next";

const server = createServer().listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address();
const app = next({ dev: false, dir: import.meta.dirname, hostname: "127.0.0.1", port });
await app.prepare();
server.on("request", app.getRequestHandler());
for (const path of process.argv.slice(2)) {
  const response = await fetch(`http://127.0.0.1:${port}/${path}`);
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  console.log(await response.text());
}
process.exit();
