// The suite over the sources, with the memory of kernels under watch (guard.ts); and calls while a caller's memory changes. The
// package's names lead to js/, so that the guard and the tests have the same classes.
import { resolve } from "node:path";
import { defineConfig } from "vitest/config";

const root = resolve(import.meta.dirname, "../..");

// Not what needs a build: the kernels as JavaScript, and the source of workers as text.
const alias = [
  { find: /^blake-simd$/, replacement: resolve(root, "js/index.ts") },
  { find: /^blake-simd\/(?!javascript|parallel)(\w+)$/, replacement: resolve(root, "js/$1.ts") },
];

export default defineConfig({
  root,
  test: {
    pool: "threads",
    maxWorkers: "100%",
    testTimeout: 600_000,
    hookTimeout: 600_000,
    projects: [
      {
        extends: true,
        resolve: { alias },
        test: {
          name: "kernel memory",
          include: [
            "test/guard/guard.test.ts",
            // What uses objects in memory. Others run the built package in processes, browsers' streams or workers of their own.
            ...[
              "api/typed-updates",
              "api/wrong-options",
              "api/wrong-outputs",
              "digests/extendable-output",
              "digests/many",
              "digests/subtrees",
              "engine/reentrant-calls",
              "api/whole-api-model",
              "engine/state-owner",
            ].map((name) => `test/${name}.test.ts`),
          ],
          setupFiles: ["test/guard/setup.ts"],
        },
      },
      {
        extends: true,
        resolve: { alias },
        test: {
          name: "changing memory",
          include: ["test/guard/changing-memory.test.ts"],
          setupFiles: ["test/guard/touches.ts", "test/guard/setup.ts"],
        },
      },
      // The built package, at its own speed.
      { extends: true, test: { name: "raced memory", include: ["test/guard/raced-memory.test.ts"] } },
    ],
  },
});
