// What a call was given is garbage once it has ended, well or not: a key or a context of megabytes must not stay in
// memory until the next call. Goes over the table of calls: test/support/released-arguments.ts.
import { expect, it } from "vitest";
import { programOf } from "../support/bundle.ts";
import { startNode } from "../support/child.ts";

it("nothing is kept of what a call was given, if it succeeds, refuses it, or is interrupted at the stack's end", async () => {
  const { stdout, stderr } = await startNode(await programOf("released-arguments"), { flags: ["--expose-gc"] });
  const { right, wrong, ended, failures } = JSON.parse(stdout || JSON.stringify({ failures: [stderr] }));
  expect(failures).toEqual([]);
  expect(right).toBeGreaterThan(350);
  expect(wrong).toBeGreaterThan(550);
  // Within a call: how many frames that takes depends on how the engine has compiled it.
  expect(ended).toBeGreaterThan(20);
});
