import { nodeResolve } from "@rollup/plugin-node-resolve";

export default { input: "print.mjs", output: { file: "out.mjs" }, plugins: [nodeResolve()] };
