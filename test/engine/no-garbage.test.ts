// into, update, digestInto and the updates by number allocate nothing: a call leaves no garbage on the heap, so that a
// loop over millions of them never waits for a collection. Other calls allocate the digests that they return.
import { algorithms } from "blake-simd";
import { expect, it } from "vitest";
import { runNode } from "../support/child.ts";

// No round of the meter fills this young generation, so nothing is collected before it is counted.
const FLAGS = ["--expose-gc", "--min-semi-space-size=64", "--max-semi-space-size=64"];
const METER = 'import "./test/support/allocation-meter.mjs";';

// The smallest thing that V8 can allocate takes 16 bytes; an engine's own bookkeeping is not a matter of calls.
const NOTHING = 1;

it("bytes left by each call are none", () => {
  const env = { NOTHING: String(NOTHING) };
  const results = Object.entries(runNode(METER, { flags: FLAGS, env }) as Record<string, number>);
  const measured = results.filter(([name]) => !/^(returned|reader): /.test(name));
  expect(measured.length).toBeGreaterThan(30);
  expect(measured.filter(([, bytes]) => bytes >= NOTHING)).toEqual([]);
  const made = Object.fromEntries(results);
  for (const [name, { digestLength }] of Object.entries(algorithms)) {
    // V8 takes some 200 bytes for an array and its buffer. `many` also makes a list, and copies of what its lanes read.
    expect(made[`returned: ${name}`], name).toBeGreaterThan(digestLength + 100);
    expect(made[`returned: ${name}`], name).toBeLessThan(digestLength + 250);
    expect(made[`returned: ${name} many`], name).toBeLessThan(8 * (digestLength + 200) + 1200);
  }
  expect(made["reader: blake3 into, length 40000"]).toBeLessThan(1000);
});
