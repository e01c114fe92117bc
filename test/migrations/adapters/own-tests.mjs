// Runs the tests that other packages ship with adapters in the place of what they test.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { build } from "esbuild";

const ASSERTIONS = join(import.meta.dirname, "assertions.mjs");
const PACKAGES = join(import.meta.dirname, "../node_modules");

/** Runs the tests in a file of a package with an adapter for `tested`, what the file imports as the package. */
export async function runOwnTests({ file, tested }, adapter, outfile) {
  const from = (path, member) => `const all = require(${JSON.stringify(path)}); module.exports = all.${member} ?? all;`;
  const modules = {
    tape: from(ASSERTIONS, "tape"),
    vitest: from(ASSERTIONS, "vitest"),
    // A package that is a function is the adapter's default export.
    [tested]: from(adapter, "default"),
  };
  const replace = {
    name: "replace",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /./ }, ({ path }) => (Object.hasOwn(modules, path) ? { path, namespace: "replaced" } : null));
      onLoad({ filter: /./, namespace: "replaced" }, ({ path }) => ({ contents: modules[path], resolveDir: PACKAGES }));
    },
  };
  await build({
    entryPoints: [join(PACKAGES, file)],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    external: ["blake-simd"],
    inject: [ASSERTIONS],
    plugins: [replace],
    logLevel: "error",
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  });
  const output = execFileSync(process.execPath, [outfile], { cwd: join(PACKAGES, file, ".."), encoding: "utf8" });
  return Number(output.trimEnd().split("\n").at(-1));
}
