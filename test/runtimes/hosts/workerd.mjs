// Cloudflare's workerd: the package bundled under its conditions, kernels imported as modules, run in a request handler
// and once at global scope.
import { spawn } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { fetchOnceUp, freePort } from "./server.mjs";

const BINARY = join(import.meta.dirname, "../node_modules/@cloudflare/workerd-linux-64/bin/workerd");

function configuration(kernels, { port, compatibilityDate, bindings = {} }) {
  const embedded = kernels.map((name) => `(name = "${name}", wasm = embed "${name}")`);
  const texts = Object.entries(bindings).map(([name, text]) => `(name = "${name}", text = ${JSON.stringify(text)})`);
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker), (name = "internet", network = (allow = ["local"]))],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  compatibilityDate = "${compatibilityDate}",
  modules = [(name = "worker.js", esModule = embed "worker.js"), ${embedded.join(", ")}],
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
  await build({
    entryPoints: [entry],
    outfile: join(folder, "worker.js"),
    bundle: true,
    format: "esm",
    conditions: ["workerd", "worker", "browser"],
    external: ["node:*"],
    loader: { ".wasm": "copy" },
    logLevel: "warning",
  });
  const kernels = readdirSync(folder).filter((name) => name.endsWith(".wasm"));
  writeFileSync(join(folder, "config.capnp"), configuration(kernels, options));
  const child = spawn(BINARY, ["serve", "config.capnp"], { cwd: folder, stdio: ["ignore", "inherit", "inherit"] });
  return { url: `http://127.0.0.1:${options.port}`, child, stop: () => child.kill("SIGKILL") };
}

function workerdHost(name, compatibilityDate) {
  return {
    name,
    pinned: true,
    version: () => compatibilityDate,
    async run({ project, scratch }) {
      const options = { port: await freePort(), compatibilityDate };
      const { url, child, stop } = await startWorker(join(project, "worker.mjs"), scratch(name), options);
      try {
        const response = await fetchOnceUp(url, child);
        if (!response.ok) throw new Error(`workerd answered ${response.status}: ${await response.text()}`);
        return await response.json();
      } finally {
        stop();
      }
    },
  };
}

// Since June 2025 workerd compiles bytes at global scope; before, nowhere.
export const workerds = [workerdHost("workerd, current", "2026-11-17"), workerdHost("workerd, May 2025", "2025-05-31")];
