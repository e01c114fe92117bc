import webpack from "webpack";

const configuration = {
  mode: "production",
  target: ["web", "es2022"],
  entry: "./print.mjs",
  output: { path: import.meta.dirname, filename: "out.mjs" },
};
webpack(configuration, (error, stats) => {
  if (error || stats.hasErrors()) throw error ?? new Error(stats.toString("errors-only"));
});
