// What Chromium runs of dist/, pages and their workers: the body of test/runtimes in a page that is isolated, in one that is
// not, and in one whose policy forbids workers. The DevTools protocol over a pipe starts and takes the coverage.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { chromium, ISOLATED, STRICT } from "../../test/runtimes/hosts/browsers.mjs";
import { makeSuite } from "../../test/runtimes/suite.mjs";
import { DIST, writeRaw } from "./raw.mjs";

const PAGE = `
import * as main from "/dist/index.js";
import * as bao from "/dist/bao.js";
import * as hazmat from "/dist/hazmat.js";
import * as parallel from "/dist/parallel.js";
import * as states from "/dist/states.js";
import * as streams from "/dist/streams.js";
import { runBody } from "/test/runtimes/body.mjs";
import * as overflow from "/test/support/overflow.mjs";
import suite from "/suite.mjs";
// A worker that has ended has no coverage to take.
globalThis.Worker && (Worker.prototype.terminate = () => {});
const { checks } = await runBody({ main, bao, hazmat, parallel, states, streams, overflow }, suite);
export const failed = Object.entries(checks).filter(([, result]) => result !== "ok");
// Once its workers have started, the calling thread leaves all parts to them.
const pool = new parallel.Blake3Pool({ threads: 2 });
const message = Uint8Array.from({ length: suite.pool.input }, (_, i) => i % 251);
for (const source of [message, message, new Blob([message]), new Blob([message])]) {
  const digest = main.toHex(await pool.hash(source));
  if (digest !== suite.pool.digest) failed.push(["pool", digest]);
  await new Promise((resolve) => setTimeout(resolve, 300));
}
`;

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript" };

/** Serves the repository's files, and those that are made here. */
function serve(headers) {
  const made = {
    "/index.html": "<!doctype html><title>coverage</title>",
    "/page.mjs": PAGE,
    "/suite.mjs": `export default ${JSON.stringify(makeSuite())};`,
  };
  return createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    try {
      const content = made[pathname] ?? readFileSync(join(".", pathname));
      response.writeHead(200, { ...headers, "Content-Type": TYPES[extname(pathname)] ?? "text/plain" }).end(content);
    } catch {
      response.writeHead(404).end();
    }
  }).listen(0, "127.0.0.1");
}

/** The DevTools protocol over a browser's pipe: each message ends with a zero byte. */
class Connection {
  #next = 1;
  #waiting = new Map();
  #input;
  #rest = "";
  onEvent = () => {};

  constructor(input, output) {
    this.#input = input;
    output.setEncoding("utf8").on("data", (text) => this.#receive(text));
    // The browser is killed in the end.
    for (const pipe of [input, output]) pipe.on("error", () => {});
  }

  #receive(text) {
    const messages = (this.#rest + text).split("\0");
    this.#rest = messages.pop();
    for (const message of messages.map((json) => JSON.parse(json))) {
      if (!message.id) this.onEvent(message);
      else if (message.error) this.#waiting.get(message.id).reject(new Error(message.error.message));
      else this.#waiting.get(message.id).resolve(message.result);
    }
  }

  send(method, params = {}, sessionId = undefined) {
    const id = this.#next++;
    this.#input.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }
}

/** Starts the coverage of a page or a worker, and of the workers that it starts. */
async function watch(connection, session) {
  const attach = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true };
  await connection.send("Profiler.enable", {}, session);
  await connection.send("Profiler.startPreciseCoverage", { callCount: true, detailed: true }, session);
  await connection.send("Target.setAutoAttach", attach, session).catch(() => {});
  await connection.send("Runtime.runIfWaitingForDebugger", {}, session);
}

async function coverPage(connection, origin, name) {
  const { targetId } = await connection.send("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await connection.send("Target.attachToTarget", { targetId, flatten: true });
  const sessions = [sessionId];
  const loaded = new Promise((resolve) => {
    connection.onEvent = ({ method, params }) => {
      if (method === "Page.loadEventFired") resolve();
      if (method !== "Target.attachedToTarget") return;
      sessions.push(params.sessionId);
      watch(connection, params.sessionId);
    };
  });
  await watch(connection, sessionId);
  await connection.send("Page.enable", {}, sessionId);
  await connection.send("Page.navigate", { url: `${origin}/index.html` }, sessionId);
  await loaded;
  const expression = `import("/page.mjs").then(({ failed }) => failed.join("\\n"))`;
  const options = { expression, awaitPromise: true, returnByValue: true };
  const { result, exceptionDetails } = await connection.send("Runtime.evaluate", options, sessionId);
  if (exceptionDetails || result.value !== "")
    throw new Error(`${name}: ${JSON.stringify(exceptionDetails ?? result)}`);
  const taken = await Promise.all(
    sessions.map((session) => connection.send("Profiler.takePreciseCoverage", {}, session)),
  );
  const scripts = taken.flatMap(({ result }) => result);
  writeRaw(
    `chromium-${name}`,
    scripts.map((script) => ({ ...script, url: script.url.replace(`${origin}/dist`, DIST) })),
  );
  await connection.send("Target.closeTarget", { targetId });
}

export async function coverChromium() {
  const folder = mkdtempSync(join(tmpdir(), "blake-simd-chromium-"));
  const [program, ...args] = chromium.command("about:blank", folder);
  const stdio = ["ignore", "ignore", "ignore", "pipe", "pipe"];
  const child = spawn(program, ["--remote-debugging-pipe", ...args], { stdio, detached: true });
  const connection = new Connection(child.stdio[3], child.stdio[4]);
  const pages = { isolated: ISOLATED, plain: {}, strict: STRICT };
  try {
    for (const [name, headers] of Object.entries(pages)) {
      const server = serve(headers);
      await once(server, "listening");
      await coverPage(connection, `http://127.0.0.1:${server.address().port}`, name);
      server.closeAllConnections();
      server.close();
    }
  } finally {
    process.kill(-child.pid, "SIGKILL");
    await once(child, "close");
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
