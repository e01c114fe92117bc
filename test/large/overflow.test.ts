// Caught stack overflows in each algorithm: a thousand, or as many as the variable OVERFLOWS says. Since an engine reserves
// gigabytes of addresses for each instance, this also shows that the memory of replaced kernels is given back.
import * as main from "blake-simd";
import * as hazmat from "blake-simd/hazmat";
import * as states from "blake-simd/states";
import { expect, it } from "vitest";
import { watchInstances } from "../support/memory.ts";
import { runOverflows } from "../support/overflow.mjs";
import { inspector, oracle } from "../support/overflow-inspection.ts";

const OVERFLOWS = Number(process.env.OVERFLOWS ?? 1000);
const instances = watchInstances();

it.each(Object.keys(main.algorithms))(
  `%s is right after each of ${OVERFLOWS} overflows`,
  (name) => {
    const inspect = inspector(instances);
    const report = runOverflows(
      { main, hazmat, states },
      { name, overflows: OVERFLOWS, seed: 3, digest: oracle, inspect },
    );
    expect(report.interrupted).toBe(OVERFLOWS);
  },
  3_600_000,
);
