// Stack overflows that the program catches, at depths that a fixed seed chooses; test/large makes more of them.
import * as main from "blake-simd";
import * as hazmat from "blake-simd/hazmat";
import * as parallel from "blake-simd/parallel";
import * as states from "blake-simd/states";
import { describe, expect, it } from "vitest";
import { eachBackend } from "../support/backends.ts";
import { watchInstances } from "../support/memory.ts";
import { expectBytes } from "../support/messages.ts";
import { expectedDigest } from "../support/oracle.ts";
import { runOverflows, runPoolOverflows, secretTokens } from "../support/overflow.mjs";
import { inspector, oracle } from "../support/overflow-inspection.ts";
import { atTheEndOfTheStack, isOverflow } from "../support/stack.ts";

const OVERFLOWS = 50;
const instances = watchInstances();

eachBackend((backend) => {
  describe.each(Object.keys(main.algorithms))("%s", (name) => {
    it(`is right after each of ${OVERFLOWS} overflows, and leaves no secret in memory`, () => {
      main.useBackend(backend);
      const inspect = inspector(instances);
      const seed = backend === "baseline" ? 1 : 2;
      const report = runOverflows(
        { main, hazmat, states },
        { name, overflows: OVERFLOWS, seed, digest: oracle, inspect },
      );
      expect(report.interrupted).toBe(OVERFLOWS);
      expect(report.complete).toBeGreaterThan(OVERFLOWS / 7);
      expect(Object.keys(report.calls).length).toBeGreaterThan(15);
    });
  });
});

it("a build that cannot be compiled at the end of the stack is compiled later", () => {
  const digest = expectedDigest("blake2s", Buffer.from("abc"));
  let turn = 0;
  // Every twentieth call compiles a kernel, unless it has no room for it.
  const call = () => {
    if (turn++ % 20 > 0) return undefined;
    main.useBackend(main.backend() === "baseline" ? "simd128" : "baseline");
    return main.blake2s("abc");
  };
  const outcomes = [0, 1, 2, 3].flatMap((shift) => atTheEndOfTheStack(call, 2000, shift));
  for (const { value, error } of outcomes) {
    if (value) expectBytes(value, digest);
    if (error) expect(isOverflow(error), `${error}`).toBe(true);
  }
  expect(outcomes.filter(({ error }) => error)).not.toHaveLength(0);
  expect(outcomes.filter(({ value }) => value)).not.toHaveLength(0);
  expectBytes(main.blake2s("abc"), digest);
});

it("a pool's hashes are right or rejected", async () => {
  expect(await runPoolOverflows({ main, parallel }, { overflows: 20, digest: oracle })).toEqual({ interrupted: 20 });
});

it("a secret that is in memory is found there", () => {
  main.blake3("");
  const inspect = inspector(instances);
  inspect("before");
  const { bytes } = instances.at(-1)!;
  bytes.set(secretTokens()[0]!, 0x12345);
  expect(() => inspect("after")).toThrow("after: a secret is left in memory at 0x12345");
  bytes.fill(0, 0x12345, 0x12345 + 16);
});
