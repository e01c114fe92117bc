import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/*/*.test.{ts,mjs}"],
    // The command's tests have a shell, and devices, of Linux.
    exclude: ["test/{consumers,guard,large,runtimes}/**", ...(process.platform === "linux" ? [] : ["test/cli/*"])],
    setupFiles: ["test/support/equal-bytes.ts"],
    pool: "threads",
    // One more than processors: some tests wait for files, processes and clocks.
    maxWorkers: availableParallelism() + 1,
    // For what hangs, on a machine however slow: no test is to depend on how long it takes.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000 } },
  },
});
