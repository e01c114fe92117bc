// The engines that hash the same cases: each runs a module, or a page with it, which posts its digests to a server here.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { chromium, firefox, webkit } from "../../runtimes/hosts/browsers.mjs";
import { visit } from "../../runtimes/hosts/page.mjs";
import { binaries } from "../../runtimes/hosts/processes.mjs";

const root = join(import.meta.dirname, "../../..");
const HOURS = 12 * 3_600_000;
/** The longest that an engine takes between two posts, in milliseconds. */
const PATIENCE = 300_000;
const HTML = '<!doctype html><title>blake-simd</title><script type="module" src="/page.js"></script>';

const inProcess = (binary, args) => ({ begin: (context) => runProcess(binary, args, context) });
const inPage = (browser) => ({ begin: (context) => runPage(browser, context) });

const engines = {
  node: inProcess(process.execPath, []),
  node22: inProcess(binaries.node22, []),
  node24: inProcess(binaries.node24, []),
  node26: inProcess(binaries.node26, []),
  deno: inProcess(binaries.deno, ["run", "--no-prompt", "--allow-net=127.0.0.1"]),
  bun: inProcess(binaries.bun, []),
  chromium: inPage(chromium),
  firefox: inPage(firefox),
  webkit: inPage(webkit),
};
export const engineNames = Object.keys(engines);

/** A folder in which a module imports the package as a user's does. */
function makeProject(folder, request) {
  const project = join(folder, "project");
  mkdirSync(join(project, "node_modules"), { recursive: true });
  symlinkSync(root, join(project, "node_modules/blake-simd"));
  cpSync(join(root, "test/evidence/oracle"), join(project, "oracle"), { recursive: true });
  cpSync(join(root, "test/evidence/chance.mjs"), join(project, "chance.mjs"));
  writeFileSync(join(project, "package.json"), '{ "type": "module" }');
  writeFileSync(
    join(project, "entry.mjs"),
    `import * as main from "blake-simd";
import * as states from "blake-simd/states";
import { runCases } from "./oracle/run-cases.mjs";
await runCases({ main, states }, ${JSON.stringify(request)});
`,
  );
  return project;
}

async function runProcess(binary, args, { folder, request, url, ended }) {
  if (!existsSync(binary)) throw new Error(`${binary} is missing: npm ci --prefix test/runtimes`);
  const project = makeProject(folder, { ...request, url });
  const child = spawn(binary, [...args, join(project, "entry.mjs")], { cwd: project, stdio: "inherit" });
  ended.catch(() => child.kill("SIGKILL"));
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`it ended with exit code ${code}`);
}

async function runPage(browser, { folder, request, url, files, ended }) {
  const project = makeProject(folder, { ...request, url: "" });
  const outfile = join(folder, "page.js");
  const options = { bundle: true, format: "esm", target: "es2022", logLevel: "warning" };
  await build({ ...options, entryPoints: [join(project, "entry.mjs")], outfile });
  files["/"] = HTML;
  files["/page.js"] = readFileSync(outfile);
  const profile = join(folder, "profile");
  mkdirSync(profile);
  await visit(browser, `${url}/`, profile, ended, HOURS);
}

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Serves files; calls `onPost` for each post, and what its path is posted to with the body, whose error is the response. */
function serve(files, posted, onPost) {
  return createServer(async (request, response) => {
    // An engine that has hashed for long would post to a connection that the server has ended.
    response.setHeader("Connection", "close");
    if (request.method === "POST") {
      onPost();
      try {
        posted[request.url](await bodyOf(request));
        response.end();
      } catch (error) {
        response.writeHead(500).end(error.message);
      }
      return;
    }
    if (!(request.url in files)) return response.writeHead(404).end();
    const type = request.url.endsWith(".js") ? "text/javascript" : "text/html";
    response.writeHead(200, { "Content-Type": type }).end(files[request.url]);
  }).listen(0, "127.0.0.1");
}

/**
 * Lets an engine hash cases.
 *
 * @param request the seed, and the count of cases
 * @param receive called with their digests, one after the other in a buffer, many cases at a time; an error that it throws
 *   ends the run
 */
export async function runEngine(name, request, receive) {
  const folder = mkdtempSync(join(tmpdir(), "blake-simd-oracle-"));
  const files = {};
  let end;
  let fail;
  const ended = new Promise((resolve, reject) => {
    [end, fail] = [resolve, reject];
  });
  ended.catch(() => {});
  const posted = { "/digests": receive, "/end": () => end(), "/failed": (text) => fail(new Error(String(text))) };
  let timer;
  const expectPost = () => {
    clearTimeout(timer);
    timer = setTimeout(() => fail(new Error(`nothing was posted for ${PATIENCE / 1000} s`)), PATIENCE);
  };
  expectPost();
  const server = serve(files, posted, expectPost);
  await once(server, "listening");
  const url = `http://127.0.0.1:${server.address().port}`;
  try {
    await engines[name].begin({ folder, request, url, files, ended });
    fail(new Error("it ended before it had posted all digests"));
    await ended;
  } catch (error) {
    throw new Error(`${name}: ${error.message}`);
  } finally {
    clearTimeout(timer);
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
