import webpack from "webpack";

const configuration = {
  mode: "production",
  target: "node20",
  experiments: { asyncWebAssembly: true, outputModule: true },
  entry: "./imports.mjs",
  output: { path: import.meta.dirname, filename: "out.mjs", module: true },
};
webpack(configuration, (error, stats) => {
  if (error || stats.hasErrors()) throw error ?? new Error(stats.toString("errors-only"));
});
