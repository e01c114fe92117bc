// into, update, digestInto and the updates by number allocate nothing: a call leaves no garbage on the heap, so that a
// loop over millions of them never waits for a collection.

import { blake2b as nobleBlake2b } from "@noble/hashes/blake2.js";
import { blake2b, useBackend } from "blake-simd";
import { describe, expect, it } from "vitest";
import { BACKENDS, eachBackend } from "../support/backends.ts";
import { runNode } from "../support/child.ts";
import { expectBytes } from "../support/messages.ts";
import { keyOf } from "../support/subjects.ts";

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

eachBackend((backend) => {
  it("hashes a buffer into itself over and over", () => {
    useBackend(backend);
    const key = keyOf(32);
    const buffer = blake2b("correct horse battery staple", { key });
    let wanted: Uint8Array = nobleBlake2b(new TextEncoder().encode("correct horse battery staple"), { key });
    for (let round = 0; round < 1000; round++) {
      expect(blake2b.into(buffer, buffer)).toBe(buffer);
      wanted = nobleBlake2b(wanted);
    }
    expectBytes(buffer, wanted);
  });

  it("hashes a part of a buffer into another part that overlaps it", () => {
    useBackend(backend);
    const buffer = new Uint8Array(200).map((_, i) => i);
    const wanted = nobleBlake2b(buffer.slice(10, 150));
    blake2b.into(buffer.subarray(10, 150), buffer.subarray(40));
    expectBytes(buffer.subarray(40, 104), wanted);
    expectBytes(
      buffer.subarray(0, 40),
      new Uint8Array(40).map((_, i) => i),
    );
  });
});
