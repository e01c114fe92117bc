// Follows docs/getting-started.md word for word: each section in an empty folder, with its own commands and files, from
// a registry that has the packed tarball.
//
//   node test/consumers/getting-started.mjs [SECTION...]
//
// It needs chromium, npm ci in test/runtimes, and npm install here.
//
// What stands in for a reader: a fence of `sh` is typed; one after "Save this as `NAME`" is a file, and one of `text`
// is what the command before it prints. "In another terminal" and "Open <URL>. The page shows `TEXT`" leave that
// command running. The tools that a section installs with --save-dev are those of this folder.
import assert from "node:assert/strict";
import { execFile, execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { chromium } from "../runtimes/hosts/browsers.mjs";
import { fetchOnceUp } from "../runtimes/hosts/server.mjs";
import { check } from "../support/check.mjs";
import { startRegistry } from "./registry.mjs";

const root = resolve(import.meta.dirname, "../..");
const tools = join(import.meta.dirname, "node_modules");
const runtimes = join(root, "test/runtimes/node_modules");
const scratch = mkdtempSync(join(tmpdir(), "blake-simd-started-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true, maxRetries: 5 }));
const GLOBAL = join(scratch, "global");
const PATH = [
  join(GLOBAL, "bin"),
  join(runtimes, "@deno/linux-x64-glibc"),
  join(runtimes, "@oven/bun-linux-x64/bin"),
  process.env.PATH,
].join(delimiter);

const read = (page) => readFileSync(join(root, "docs", page), "utf8");

/** What the reader of a section has already. */
const GIVEN = {
  "The command line": { "photos/a.jpg": "a", "photos/b.jpg": "b" },
  "A page without a bundler": { "index.html": fenceOf("browser.md", "html page") },
};

function fenceOf(page, info) {
  return new RegExp(`^\`\`\`${info}\\n(.*?)^\`\`\``, "ms").exec(read(page))[1];
}

/** The sections of the page: for each its title and its fences, with the prose before and after each. */
function sectionsOf(page) {
  return read(page)
    .split(/^## /m)
    .slice(1)
    .map((text) => {
      const title = text.slice(0, text.indexOf("\n"));
      const parts = text.slice(title.length).split(/^```(\w+)[^\n]*\n(.*?)^```\n/gms);
      const steps = [];
      for (let i = 1; i < parts.length; i += 3)
        steps.push({ before: parts[i - 1], language: parts[i], code: parts[i + 1], after: parts[i + 2] });
      return { title, steps };
    });
}

function environmentFor(registry) {
  return {
    ...process.env,
    ...registry.environment,
    PATH,
    NO_COLOR: "1",
    WRANGLER_SEND_METRICS: "false",
    CLOUDFLARE_CF_FETCH_ENABLED: "false",
    npm_config_prefix: GLOBAL,
    npm_config_cache: join(scratch, "npm"),
    npm_config_audit: "false",
    npm_config_yes: "true", // what npx asks before a download
    npm_config_update_notifier: "false",
    DENO_DIR: join(scratch, "deno"),
    BUN_INSTALL_CACHE_DIR: join(scratch, "bun"),
  };
}

/** Puts packages of this folder, and their commands, where `npm install --save-dev` puts them. */
function installTools(folder, names) {
  mkdirSync(join(folder, "node_modules/.bin"), { recursive: true });
  for (const name of names) {
    const link = join(folder, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(tools, name), link);
    const { bin = {} } = JSON.parse(readFileSync(join(tools, name, "package.json"), "utf8"));
    const commands = typeof bin === "string" ? { [name]: bin } : bin;
    for (const [command, file] of Object.entries(commands))
      symlinkSync(join(tools, name, file), join(folder, "node_modules/.bin", command));
  }
}

/** Starts a command that runs until it is stopped, and waits until it listens to a port. */
async function startServer(command, port, options) {
  const child = spawn("sh", ["-c", command], { ...options, stdio: ["ignore", "ignore", "inherit"], detached: true });
  const stop = () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, "SIGKILL");
  };
  try {
    await fetchOnceUp(`http://localhost:${port}/`, child);
  } catch (error) {
    stop();
    throw error;
  }
  return stop;
}

/** The page's document after its scripts have run. A dev server may reload a page once. */
async function pageShows(url, text) {
  const [command, ...args] = chromium.command(url, join(scratch, "profile"));
  args.unshift("--dump-dom", "--virtual-time-budget=5000");
  let dom = "";
  for (let attempt = 0; attempt < 4 && !dom.includes(`>${text}<`); attempt++)
    dom = (await promisify(execFile)(command, args, { timeout: 300_000 })).stdout;
  assert.ok(dom.includes(`>${text}<`), `${url} does not show ${text}: ${dom}`);
}

/** What the prose after a command needs that command to go on running for: the port that it must listen to. */
function servedPort(steps, i) {
  const url = /^\s*Open <(\S+)>/.exec(steps[i].after)?.[1];
  if (url) return new URL(url).port;
  if (/^\s*In another terminal/.test(steps[i].after)) return /localhost:(\d+)/.exec(steps[i + 1].code)[1];
}

async function runCommands(code, options) {
  const lines = code.trim().split("\n");
  let output = "";
  for (const line of lines) {
    const added = /^npm install --save-dev (.*)$/.exec(line)?.[1];
    if (added) installTools(options.cwd, added.split(" "));
    else output = (await promisify(execFile)("sh", ["-c", line], { ...options, timeout: 300_000 })).stdout;
  }
  return output;
}

async function follow({ title, steps }, env) {
  const cwd = mkdtempSync(join(scratch, "folder-"));
  mkdirSync(join(cwd, "node_modules")); // so that npm installs here even if a folder above has a package.json
  for (const [name, text] of Object.entries(GIVEN[title] ?? {})) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  let output;
  let stop = () => {};
  let checks = 0;
  try {
    for (const [i, { before, language, code, after }] of steps.entries()) {
      const name = /Save this as `([^`]+)`:\s*$/.exec(before)?.[1];
      const port = servedPort(steps, i);
      if (name) {
        writeFileSync(join(cwd, name), code);
      } else if (language === "text") {
        assert.equal(output, code);
        checks++;
      } else if (port) {
        stop();
        const commands = code.trim().split("\n");
        const server = commands.pop();
        await runCommands(commands.join("\n"), { cwd, env });
        stop = await startServer(server, port, { cwd, env });
      } else {
        assert.equal(language, "sh", `a fence that is neither a command, a file nor an output: ${code}`);
        output = await runCommands(code, { cwd, env });
      }
      const [, url, text] = /^\s*Open <(\S+)>\. The page shows `([^`]+)`/.exec(after) ?? [];
      if (url) {
        await pageShows(url, text);
        checks++;
      }
    }
  } finally {
    stop();
  }
  assert.ok(checks > 0, "the section says nowhere what comes out");
}

const wanted = process.argv.slice(2);
const sections = sectionsOf("getting-started.md").filter(({ title }) => wanted.length === 0 || wanted.includes(title));
assert.ok(sections.length > 0, `no section is called ${wanted.join(" or ")}`);
const pack = ["pack", "--ignore-scripts", "--silent", "--pack-destination", scratch];
execFileSync("npm", pack, { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
const registry = await startRegistry(
  join(
    scratch,
    readdirSync(scratch).find((name) => name.endsWith(".tgz")),
  ),
);
try {
  const env = environmentFor(registry);
  for (const section of sections) await check(section.title, () => follow(section, env));
} finally {
  registry.stop();
}
