// What it takes to ask a server that was just started.
import { once } from "node:events";
import { createServer } from "node:net";

/** The first response of a server that a child process runs. */
export async function fetchOnceUp(url, child) {
  for (let attempt = 0; attempt < 3000; attempt++) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with exit code ${child.exitCode}`);
    try {
      return await fetch(url);
    } catch (error) {
      if (error.cause?.code !== "ECONNREFUSED") throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  throw new Error(`${child.spawnfile} did not listen within 5 minutes`);
}

export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}
