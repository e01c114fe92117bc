// What Nitro made for Cloudflare, in the workerd that wrangler brings.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Miniflare } from "miniflare";

const server = ".output/server";
const files = readdirSync(server, { recursive: true }).filter((name) => /\.(mjs|wasm)$/.test(name));
const modules = ["index.mjs", ...files.filter((name) => name !== "index.mjs")].map((name) => ({
  type: name.endsWith(".wasm") ? "CompiledWasm" : "ESModule",
  path: join(server, name),
}));
const worker = new Miniflare({
  compatibilityDate: "2026-04-26",
  compatibilityFlags: ["nodejs_compat"],
  modulesRoot: server,
  modules,
});
const response = await worker.dispatchFetch("http://localhost/");
console.log(JSON.stringify(await response.json()));
await worker.dispose();
