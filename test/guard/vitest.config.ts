// Calls while a caller's memory changes: over the sources, which keep intrinsics that touches.ts has wrapped, and over
// the build.
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
          name: "changing memory",
          include: ["test/guard/changing-memory.test.ts"],
          setupFiles: ["test/guard/touches.ts"],
        },
      },
      // The built package, at its own speed.
      { extends: true, test: { name: "raced memory", include: ["test/guard/raced-memory.test.ts"] } },
    ],
  },
});
