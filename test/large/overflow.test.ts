// A thousand caught stack overflows in each algorithm. So many replaced kernels also show that their memories are given
// back: an engine reserves gigabytes of addresses for each.
import * as main from "blake-simd";
import * as hazmat from "blake-simd/hazmat";
import * as states from "blake-simd/states";
import { expect, it } from "vitest";
import { watchInstances } from "../support/memory.ts";
import { runOverflows } from "../support/overflow.mjs";
import { inspector, oracle } from "../support/overflow-inspection.ts";

const OVERFLOWS = 1000;
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
  600_000,
);
