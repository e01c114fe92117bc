// The suite over the sources, with every byte of kernel memory that a call does not own filled before it and compared after
// it (guard.ts). The package's names lead to js/, so that the guard and the tests have the same classes.
import { resolve } from "node:path";
import { defineConfig } from "vitest/config";

const root = resolve(import.meta.dirname, "../..");

export default defineConfig({
  root,
  resolve: {
    alias: [
      { find: /^blake-simd$/, replacement: resolve(root, "js/index.ts") },
      { find: /^blake-simd\/(\w+)$/, replacement: resolve(root, "js/$1.ts") },
    ],
  },
  test: {
    include: [
      "test/guard/*.test.ts",
      // What uses objects in memory. Others run the built package in processes, browsers' streams or workers of their own.
      ...[
        "api/typed-updates",
        "api/wrong-options",
        "api/wrong-outputs",
        "digests/extendable-output",
        "digests/many",
        "digests/subtrees",
        "engine/reentrant-calls",
        "engine/resident-state",
        "engine/state-machine",
      ].map((name) => `test/${name}.test.ts`),
    ],
    setupFiles: ["test/guard/setup.ts"],
    pool: "threads",
    maxWorkers: "100%",
    testTimeout: 120_000,
  },
});
