// The suite for tools/coverage.mjs: Node loads dist/ itself, and writes what each process and thread has run.
import { defineConfig, mergeConfig } from "vitest/config";
import suite from "../vitest.config.ts";

export default mergeConfig(
  suite,
  defineConfig({
    test: {
      // The names of files depend on their content, which has source maps here.
      exclude: ["test/package/tarball.test.ts"],
      server: { deps: { external: [/\/dist\//] } },
      setupFiles: [`${import.meta.dirname}/support/coverage.ts`],
      testTimeout: 120_000,
    },
  }),
);
