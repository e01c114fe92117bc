// What wrangler would deploy, in the workerd that it brings.
import { readdirSync } from "node:fs";
import { Miniflare } from "miniflare";

const kernels = readdirSync("out").filter((name) => name.endsWith(".wasm"));
const worker = new Miniflare({
  compatibilityDate: "2026-04-26",
  modulesRoot: "out",
  modules: [
    { type: "ESModule", path: "out/worker.js" },
    ...kernels.map((name) => ({ type: "CompiledWasm", path: `out/${name}` })),
  ],
});
const response = await worker.dispatchFetch("http://localhost/");
console.log(await response.text());
await worker.dispose();
