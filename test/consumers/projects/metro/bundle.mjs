// node bundle.mjs [--no-exports]: a bundle as React Native has it, without React Native: Metro with its configuration,
// whose condition is `react-native`.
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { getDefaultConfig, mergeConfig } from "@react-native/metro-config";
import Metro from "metro";

const tools = resolve("../../node_modules");
// The modules that run first are React Native's.
const serializer = { getModulesRunBeforeMainModule: () => [], getPolyfills: () => [] };
const config = mergeConfig(getDefaultConfig(process.cwd()), {
  // Not all tools: Metro reads every folder that it watches.
  watchFolders: [
    process.cwd(),
    resolve("../node_modules"),
    ...["metro-runtime", "@babel/runtime"].map((name) => join(tools, name)),
  ],
  resolver: {
    nodeModulesPaths: [tools],
    sourceExts: ["js", "mjs", "json"],
    // As before React Native 0.79.
    unstable_enablePackageExports: !process.argv.includes("--no-exports"),
  },
  transformer: {
    babelTransformerPath: createRequire(import.meta.url).resolve("@react-native/metro-babel-transformer"),
  },
  serializer,
  reporter: { update() {} },
  maxWorkers: 1,
});
await Metro.runBuild(config, { entry: "index.js", out: "out.js", platform: "android", dev: false, minify: false });
