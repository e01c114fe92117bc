// Calls of a pool at the end of the JavaScript stack: test/support/pool-overflow.ts.
import { expect, it } from "vitest";
import { programOf } from "../support/bundle.ts";
import { startNode } from "../support/child.ts";

const program = await programOf("pool-overflow");

it.each([0, 2])("%i threads", async (threads) => {
  const { status, stdout, stderr } = await startNode(program, { env: { THREADS: String(threads) } });
  // It begins with what Node.js writes about promises.
  expect({ status, stdout }, stderr.slice(-2000)).toEqual({ status: 0, stdout: "complete\n" });
});
