// The tests over js/ as it is, without a build: `npm run test:watch`. What is tested of dist/ itself needs `npm test`.
import { build } from "esbuild";
import { defineConfig, type Plugin } from "vitest/config";

const root = new URL("../", import.meta.url).pathname;
const WORKER = "\0worker-source";

/** As scripts/bundle.mjs does: what runs in a worker is text in the module that starts it. */
const workerText: Plugin = {
  name: "worker text",
  resolveId: (id) => (id.endsWith("/worker-source.js") ? WORKER : undefined),
  async load(id) {
    if (id !== WORKER) return undefined;
    const entryPoints = [`${root}js/parallel/worker.ts`];
    const { outputFiles } = await build({ entryPoints, bundle: true, format: "iife", target: "es2022", write: false });
    return `export const workerSource = ${JSON.stringify(outputFiles[0]!.text)};`;
  },
};

export default defineConfig({
  plugins: [workerText],
  resolve: {
    alias: [
      { find: /^blake-simd$/, replacement: `${root}js/index.ts` },
      { find: /^blake-simd\/(.*)$/, replacement: `${root}js/$1.ts` },
    ],
  },
  test: {
    root,
    include: ["test/*/*.test.{ts,mjs}"],
    exclude: [
      "test/{consumers,guard,large,runtimes}/**",
      "test/cli/*",
      "test/javascript/javascript.test.ts",
      "test/package/{bundles,bun-entry,tarball}.test.ts",
    ],
    pool: "threads",
    maxWorkers: "100%",
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000 } },
  },
});
