// Runs the tests that other packages ship with adapters in the place of what they test.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { build } from "esbuild";

const ASSERTIONS = join(import.meta.dirname, "assertions.mjs");
const PACKAGES = join(import.meta.dirname, "../node_modules");

/**
 * Runs the tests in a file of a package with an adapter in the place of `tested`, what the file imports as the package.
 * `isFunction`: the package is a function, the adapter's default export.
 *
 * @returns how many assertions were made
 */
export async function runOwnTests({ file, tested, isFunction }, adapter, outfile) {
  const modules = {
    tape: `module.exports = require(${JSON.stringify(ASSERTIONS)}).tape`,
    vitest: `export * from ${JSON.stringify(ASSERTIONS)}`,
    [tested]: isFunction
      ? `module.exports = require(${JSON.stringify(adapter)}).default`
      : `export * from ${JSON.stringify(adapter)}`,
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
