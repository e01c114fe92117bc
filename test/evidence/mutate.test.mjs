// Each mutant of the sample changes one place of today's sources.
import { expect, it } from "vitest";
import { ROOT } from "../support/child.ts";
import { sampleOf } from "./mutate/sample.mjs";

it("the sample of mutants has its places", () => {
  expect(sampleOf(ROOT).length).toBeGreaterThan(9);
});
