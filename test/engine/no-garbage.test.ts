// into, update, digestInto and the updates by number allocate nothing: a call leaves no garbage on the heap, so that a
// loop over millions of them never waits for a collection.
import { describe, expect, it } from "vitest";
import { BACKENDS } from "../support/backends.ts";
import { runNode } from "../support/child.ts";

// No round of the meter fills this young generation, so nothing is collected before it is counted.
const FLAGS = ["--expose-gc", "--min-semi-space-size=64", "--max-semi-space-size=64"];
const METER = 'import "./test/support/allocation-meter.mjs";';

// The smallest thing that V8 can allocate takes 16 bytes; an engine's own bookkeeping is not a matter of calls.
const NOTHING = 1;

describe.each(BACKENDS)("bytes left by each call, %s", (backend) => {
  it("are none", () => {
    const results = runNode(METER, { flags: FLAGS, env: { BACKEND: backend, NOTHING: String(NOTHING) } }) as Record<
      string,
      number
    >;
    const { "control: blake2b": control, ...measured } = results;
    expect(control, "a digest that is returned").toBeGreaterThan(100);
    expect(Object.keys(measured).length).toBeGreaterThan(30);
    expect(Object.entries(measured).filter(([, bytes]) => bytes >= NOTHING)).toEqual([]);
  });
});
