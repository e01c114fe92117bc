// Bundles dist/ from js/: each entry of package.json a small file, and what entries share in chunks beside them. An import
// then reads a few files instead of twenty, which makes a cold start a third shorter. Kernels stay files of their own,
// because package.json's `imports` choose them by the runtime.
import { readFileSync } from "node:fs";
import { build } from "esbuild";

const { exports, bin } = JSON.parse(readFileSync("package.json", "utf8"));
const files = [
  ...Object.values(exports).map((entry) => entry.default ?? ""),
  ...Object.values(bin).map((file) => `./${file}`),
];

// What runs in a worker becomes text in the module that starts it, so that there is no file to serve or to find.
const workerText = {
  name: "worker text",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/worker-source\.js$/ }, () => ({ path: "worker.ts", namespace: "worker" }));
    onLoad({ filter: /.*/, namespace: "worker" }, async ({ path }) => {
      const options = { bundle: true, minify: true, format: "iife", target: "es2022", write: false };
      const { outputFiles } = await build({ entryPoints: [`js/parallel/${path}`], ...options });
      return { contents: `export const workerSource = ${JSON.stringify(outputFiles[0].text)};` };
    });
  },
};

await build({
  entryPoints: files
    .filter((file) => file.startsWith("./dist/"))
    .map((file) => file.replace(/^\.\/dist\/(.*)\.js$/, "js/$1.ts")),
  outdir: "dist",
  outbase: "js",
  bundle: true,
  splitting: true,
  chunkNames: "chunks/[hash]",
  format: "esm",
  platform: "neutral",
  target: "es2022",
  external: ["#kernels/*", "node:*"],
  plugins: [workerText],
});
