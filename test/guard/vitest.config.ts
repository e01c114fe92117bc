// Calls while another thread changes a caller's memory, over the built package, at its own speed.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { include: ["test/guard/*.test.ts"], pool: "threads", maxWorkers: "100%", testTimeout: 600_000 },
});
