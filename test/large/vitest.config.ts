import { defineConfig } from "vitest/config";

export default defineConfig({ test: { include: ["test/large/*.test.ts"], testTimeout: 300_000 } });
