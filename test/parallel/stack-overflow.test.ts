// Calls of a pool at the end of the JavaScript stack: test/support/pool-overflow.ts.
import { buildSync } from "esbuild";
import { expect, it } from "vitest";
import { ROOT, startNode } from "../support/child.ts";

const { outputFiles } = buildSync({
  entryPoints: [`${ROOT}/test/support/pool-overflow`],
  bundle: true,
  format: "esm",
  packages: "external",
  platform: "node",
  write: false,
});

it.each([0, 2])("%i threads", async (threads) => {
  const { status, stdout, stderr } = await startNode(outputFiles[0]!.text, { env: { THREADS: String(threads) } });
  // It begins with what Node.js writes about promises.
  expect({ status, stdout }, stderr.slice(-2000)).toEqual({ status: 0, stdout: "complete\n" });
});
