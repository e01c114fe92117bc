// Traps at every export that a call takes, in every kind of call of every algorithm. Afterwards everything is right: the
// one-shots, the hasher that was inside, and the hashers and readers beside it.
import * as main from "blake-simd";
import * as hazmat from "blake-simd/hazmat";
import * as states from "blake-simd/states";
import { afterAll, expect, it } from "vitest";
import { eachBackend } from "../support/backends.ts";
import { Interruptions } from "../support/overflow.mjs";
import { oracle } from "../support/overflow-inspection.ts";
import { trapEverywhere } from "../support/trap-runs.ts";
import { TrapSetter } from "../support/traps.ts";

const setter = new TrapSetter();
afterAll(() => setter.restore());

const EXTENDABLE = ["blake2xb", "blake2xs", "blake3"];

eachBackend((backend) => {
  it.each(Object.keys(main.algorithms))("%s is right after a trap at each export of each call", (name) => {
    const report = trapEverywhere(setter, new Interruptions({ main, hazmat, states }, name, oracle));
    expect(report.traps).toBeGreaterThan(500);
    const wanted = ["finalize", "hash", "init", "update"];
    if (EXTENDABLE.includes(name)) wanted.push("root", "squeeze");
    if (name === "blake3") wanted.push("groups", "merge", "clear");
    if (name === "blake3" && backend === "simd128") wanted.push("many");
    expect([...report.exports].sort()).toEqual(expect.arrayContaining(wanted.sort()));
  });
});
