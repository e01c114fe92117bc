// Cloudflare's workerd: the package bundled under its conditions, kernels imported as modules, run in a request handler and
// once at global scope.
import { spawn } from "node:child_process";
import { copyFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build } from "esbuild";
import { grownBy } from "./memory.mjs";
import { fetchOnceUp, freePort } from "./server.mjs";

const BINARY = join(import.meta.dirname, "../node_modules/@cloudflare/workerd-linux-64/bin/workerd");

const WORKER = `
import * as main from "blake-simd";
import * as bao from "blake-simd/bao";
import * as hazmat from "blake-simd/hazmat";
import * as parallel from "blake-simd/parallel";
import * as states from "blake-simd/states";
import * as streams from "blake-simd/streams";
import { runBody } from "./body.mjs";
import * as overflow from "./overflow.mjs";
import { hashGibibyte, warmUp } from "./gibibyte.mjs";
import suite from "./suite.json.mjs";
const atGlobalScope = main.toHex(main.blake3("hello"));
export default {
  async fetch({ url }) {
    if (url.endsWith("/ready")) return new Response(await warmUp());
    if (url.endsWith("/gibibyte")) return new Response(await hashGibibyte({ main, streams }));
    const report = await runBody({ main, hazmat, overflow, streams, parallel, states, bao }, suite);
    report.checks["global scope"] = atGlobalScope.startsWith("ea8f163d") ? "ok" : atGlobalScope;
    return Response.json(report);
  },
};
`;

/** Leaves the kernels' imports in place, under the names that the configuration embeds. */
function externalKernels(folder, names) {
  return {
    name: "external kernels",
    setup(bundler) {
      bundler.onResolve({ filter: /\.wasm$/ }, ({ path, resolveDir }) => {
        const name = basename(path);
        copyFileSync(join(resolveDir, path), join(folder, name));
        names.add(name);
        return { path: `./${name}`, external: true };
      });
    },
  };
}

async function bundle(entry, folder) {
  const names = new Set();
  await build({
    entryPoints: [entry],
    outfile: join(folder, "worker.js"),
    bundle: true,
    format: "esm",
    conditions: ["workerd", "worker", "browser"],
    external: ["node:*"],
    plugins: [externalKernels(folder, names)],
    logLevel: "warning",
  });
  return names;
}

function configuration(names, { port, compatibilityDate, bindings = {} }) {
  const kernels = [...names].map((name) => `(name = "${name}", wasm = embed "${name}")`);
  const texts = Object.entries(bindings).map(([name, text]) => `(name = "${name}", text = ${JSON.stringify(text)})`);
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker), (name = "internet", network = (allow = ["local"]))],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  compatibilityDate = "${compatibilityDate}",
  modules = [(name = "worker.js", esModule = embed "worker.js"), ${kernels.join(", ")}],
  bindings = [${texts.join(", ")}],
);
`;
}

/**
 * Bundles a worker in a folder of its own and starts it; `stop` ends it.
 *
 * @param options its port, compatibilityDate and, as texts, its bindings
 */
export async function startWorker(entry, folder, options) {
  const names = await bundle(entry, folder);
  writeFileSync(join(folder, "config.capnp"), configuration(names, options));
  const child = spawn(BINARY, ["serve", "config.capnp"], { cwd: folder, stdio: ["ignore", "inherit", "inherit"] });
  return { url: `http://127.0.0.1:${options.port}`, child, stop: () => child.kill("SIGKILL") };
}

async function textOf(response) {
  if (!response.ok) throw new Error(`workerd answered ${response.status}: ${await response.text()}`);
  return response.text();
}

function workerdHost(name, compatibilityDate) {
  /** Uses a worker of its own. */
  const withWorker = async ({ project, scratch }, use) => {
    const entry = join(project, "worker-entry.mjs");
    writeFileSync(entry, WORKER);
    const worker = await startWorker(entry, scratch(name), { port: await freePort(), compatibilityDate });
    try {
      return await use(worker);
    } finally {
      worker.stop();
    }
  };
  return {
    name,
    pinned: true,
    version: () => compatibilityDate,
    run: (context) =>
      withWorker(context, async ({ url, child }) => JSON.parse(await textOf(await fetchOnceUp(url, child)))),
    gibibyte: (context) =>
      withWorker(context, async ({ url, child }) => {
        await textOf(await fetchOnceUp(`${url}/ready`, child));
        return grownBy(child.pid, async () => textOf(await fetch(`${url}/gibibyte`)));
      }),
  };
}

// Since June 2025 workerd compiles bytes at global scope; before, nowhere.
export const workerds = [workerdHost("workerd, current", "2026-11-17"), workerdHost("workerd, May 2025", "2025-05-31")];
