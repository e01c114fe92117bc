// What fails in the middle of calls, and that everything is right afterwards: the one-shots, the hasher that was inside, the
// objects beside it, and no secret left in memory. A fault is a kind (the stack's end, which the program catches, a trap of a
// kernel, or an interrupted copy or wipe), a call (test/support/overflow/calls.mjs) and a place in it; here are some places,
// in test/large/faults.test.ts all.
import * as main from "blake-simd";
import * as hazmat from "blake-simd/hazmat";
import * as parallel from "blake-simd/parallel";
import * as states from "blake-simd/states";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { eachBackend } from "../support/backends.ts";
import { CopySetter } from "../support/copies.ts";
import { watchInstances } from "../support/memory.ts";
import { expectBytes } from "../support/messages.ts";
import { expectedDigest } from "../support/oracle.ts";
import { Interruptions, runOverflows, runPoolOverflows, secretTokens } from "../support/overflow.mjs";
import { inspector, oracle } from "../support/overflow-inspection.ts";
import { atTheEndOfTheStack, isOverflow } from "../support/stack.ts";
import { keyOf } from "../support/subjects.ts";
import { trapEverywhere } from "../support/trap-runs.ts";
import { MOMENTS, TrapSetter } from "../support/traps.ts";

const { blake2b, useBackend } = main;
const OVERFLOWS = 25;
/** Of the places of traps, one in so many, but all copies and wipes of BLAKE3's calls, which are of every kind. */
const EVERY = 17;
/** One algorithm of each kind of kernel: what a fault interrupts is the TypeScript, which they share. */
const OF_EACH_KIND = ["blake512", "blake2s", "blake2bp", "blake2xs", "blake3"];
const instances = watchInstances();
const setter = new TrapSetter();
afterAll(() => setter.restore());

const key = keyOf(32);
const secret = new Uint8Array(300).fill(0xc5);
const isZero = (bytes: Uint8Array) => bytes.every((byte) => byte === 0);
const holds = (bytes: Uint8Array, part: Uint8Array) => Buffer.from(bytes.buffer).includes(Buffer.from(part));
const digestOf = (message: Uint8Array, options = {}) => expectedDigest("blake2b", message, options);

eachBackend((backend) => {
  describe.each(OF_EACH_KIND)("%s", (name) => {
    const modules = { main, hazmat, states };

    it("is right after stack overflows, and leaves no secret in memory", () => {
      useBackend(backend);
      const seed = backend === "baseline" ? 1 : 2;
      const options = { name, overflows: OVERFLOWS, seed, digest: oracle, inspect: inspector(instances) };
      const report = runOverflows(modules, options);
      expect(report.interrupted).toBe(OVERFLOWS);
      expect(report.complete).toBeGreaterThan(OVERFLOWS / 7);
      expect(Object.keys(report.calls).length).toBeGreaterThan(10);
    });

    it.each([
      ["kernels", setter, EVERY],
      ["copies and wipes", new CopySetter(), name === "blake3" ? 1 : EVERY],
    ])("is right after traps in %s, and leaves no secret in memory", (_, setter, every) => {
      useBackend(backend);
      const interruptions = new Interruptions(modules, name, oracle);
      const report = trapEverywhere(setter, interruptions, inspector(instances), every);
      expect(report.traps).toBeGreaterThan(40);
    });
  });

  describe("blake2b", () => {
    beforeEach(() => {
      useBackend(backend === "baseline" ? "simd128" : "baseline");
      useBackend(backend);
      instances.length = 0;
    });

    it.each(MOMENTS)("a trap %s an export's work, under a key, has zeroed memory when the call ends", (moment) => {
      blake2b("");
      const [used] = instances;
      expect(setter.call(() => blake2b(secret, { key }), 0, moment).error).toBeInstanceOf(WebAssembly.RuntimeError);
      expect(isZero(used!.bytes)).toBe(true);
      expectBytes(blake2b(secret, { key }), digestOf(secret, { key }));
      expect(instances).toHaveLength(2);
    });

    it("an error while a kernel is replaced does not keep the old memory from being zeroed", () => {
      blake2b("");
      const [used] = instances;
      setter.call(() => blake2b(secret), 0, "before");
      const wipe = vi.spyOn(Uint8Array.prototype, "fill").mockImplementation(() => {
        throw new RangeError("Maximum call stack size exceeded");
      });
      try {
        expect(() => blake2b("abc")).toThrow("stack size");
      } finally {
        wipe.mockRestore();
      }
      expect(holds(used!.bytes, secret)).toBe(true);
      expectBytes(blake2b("abc"), digestOf(Buffer.from("abc")));
      expect(isZero(used!.bytes)).toBe(true);
    });

    it("calls that end as they should, with options or an error, use one instance", () => {
      blake2b("");
      const hasher = blake2b.create({ key }).update(secret);
      for (let i = 0; i < 3; i++) {
        blake2b("abc", { key, salt: "salt" });
        blake2b.hex("abc", { length: 20 });
        blake2b.into("abc", new Uint8Array(20), { length: 20 });
        blake2b.many(Array(9).fill(secret), { key });
        expect(() => blake2b("abc", { length: 65 })).toThrow(RangeError);
        expect(() => blake2b(1 as never, { key })).toThrow(TypeError);
        expect(() => blake2b.into("abc", new Uint8Array(19), { length: 20 })).toThrow(RangeError);
        blake2b.create({ key }).update("abc").clone().reset().dispose();
      }
      expectBytes(hasher.digest(), digestOf(secret, { key }));
      expect(instances).toHaveLength(1);
    });
  });
});

it("a build that cannot be compiled at the end of the stack is compiled later", () => {
  const digest = expectedDigest("blake2s", Buffer.from("abc"));
  let turn = 0;
  // Every twentieth call compiles a kernel, unless it has no room for it.
  const call = () => {
    if (turn++ % 20 > 0) return undefined;
    useBackend(main.backend() === "baseline" ? "simd128" : "baseline");
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
