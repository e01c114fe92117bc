// Every place of a trap in each call of each algorithm, and a thousand caught stack overflows, or as many as the
// variable OVERFLOWS says (test/engine/faults.test.ts has some of both). Since an engine reserves gigabytes of
// addresses for each instance, this also shows that the memory of replaced kernels is given back.
import * as main from "blake-simd";
import * as hazmat from "blake-simd/hazmat";
import * as states from "blake-simd/states";
import { afterAll, describe, expect, it } from "vitest";
import { eachBackend } from "../support/backends.ts";
import { CopySetter } from "../support/copies.ts";
import { inspector, trapEverywhere } from "../support/faults.ts";
import { watchInstances } from "../support/memory.ts";
import { Faults, runOverflows, secretCalls } from "../support/overflow.mjs";
import { TrapSetter } from "../support/traps.ts";

const OVERFLOWS = Number(process.env.OVERFLOWS ?? 1000);
const EXTENDABLE = ["blake2xb", "blake2xs", "blake3"];
const modules = { main, hazmat, states };
const instances = watchInstances();
const setter = new TrapSetter();
afterAll(() => setter.restore());
const faultsOf = (name: string) => new Faults(modules, name, secretCalls(modules, name));

describe.each(Object.keys(main.algorithms))("%s", (name) => {
  it(`is right after each of ${OVERFLOWS} overflows`, { timeout: 3_600_000 }, () => {
    const report = runOverflows(modules, { name, overflows: OVERFLOWS, seed: 3, inspect: inspector(instances) });
    expect(report.interrupted).toBe(OVERFLOWS);
  });

  eachBackend((backend) => {
    it("is right after an interruption of each copy and each wipe of each call", () => {
      const report = trapEverywhere(new CopySetter(), faultsOf(name), inspector(instances));
      expect([...report.exports].sort()).toEqual(["fill", "set"]);
    });

    it("is right after a trap at each export of each call", () => {
      const report = trapEverywhere(setter, faultsOf(name), inspector(instances));
      expect(report.traps).toBeGreaterThan(500);
      const wanted = ["finalize", "hash", "init", "update"];
      if (EXTENDABLE.includes(name)) wanted.push("root", "squeeze");
      if (name === "blake3") wanted.push("groups", "merge", "clear");
      if (name === "blake3" && backend === "simd128") wanted.push("many");
      expect([...report.exports].sort()).toEqual(expect.arrayContaining(wanted.sort()));
    });
  });
});
