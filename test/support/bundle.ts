// A program of test/support in TypeScript as one piece of module code, to be run by Node alone.
import { build, type Plugin } from "esbuild";
import { ROOT } from "./child.ts";

/** What the table of calls asks of a test runner does nothing here. */
const withoutRunner: Plugin = {
  name: "without a test runner",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^vitest$/ }, ({ path }) => ({ path, namespace: "runner" }));
    onLoad({ filter: /.*/, namespace: "runner" }, () => ({
      contents: "const none = () => {};\nexport { none as afterAll, none as describe };",
    }));
  },
};

/** @param name the file's, without its ending */
export async function programOf(name: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [`${ROOT}/test/support/${name}.ts`],
    bundle: true,
    format: "esm",
    packages: "external",
    platform: "node",
    plugins: [withoutRunner],
    write: false,
  });
  return outputFiles[0]!.text;
}
