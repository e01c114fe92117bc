// node webpack.mjs ENTRY OPTIONS: bundles to out.mjs.
import webpack from "webpack";

const [entry, text] = process.argv.slice(2);
const { output, ...options } = JSON.parse(text);
const out = { path: process.cwd(), filename: "out.mjs", ...output };
webpack({ mode: "production", entry, output: out, ...options }, (error, stats) => {
  if (error || stats.hasErrors()) throw error ?? new Error(stats.toString("errors-only"));
  if (stats.hasWarnings()) console.log(stats.toString("errors-warnings"));
});
