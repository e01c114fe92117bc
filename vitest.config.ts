import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/*/*.test.{ts,mjs}"],
    exclude: ["test/{consumers,guard,large,runtimes}/**"],
    pool: "threads",
    maxWorkers: "100%",
    testTimeout: 30_000,
  },
});
