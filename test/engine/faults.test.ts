// What fails in the middle of calls, and that everything is right afterwards: the one-shots, the hasher that was
// inside, the objects beside it, and no secret left in memory. A fault is a kind (the stack's end, which the program
// catches, a trap of a kernel, an interrupted copy or wipe, a time limit), a call of the table (test/support/calls) and
// a place in it; here are some places, in test/large/faults.test.ts all.
import { createHash } from "node:crypto";
import * as main from "blake-simd";
import * as hazmat from "blake-simd/hazmat";
import { nobleHash } from "blake-simd/hmac";
import * as parallel from "blake-simd/parallel";
import * as states from "blake-simd/states";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { eachBackend } from "../support/backends.ts";
import { CopySetter } from "../support/copies.ts";
import { inspector, timeLimit, trapEverywhere } from "../support/faults.ts";
import { watchInstances } from "../support/memory.ts";
import { expectBytes } from "../support/messages.ts";
import { expectedDigest } from "../support/oracle.ts";
import { Faults, runOverflows, runPoolOverflows, secretCalls, secretTokens } from "../support/overflow.mjs";
import { atTheEndOfTheStack, isOverflow } from "../support/stack.ts";
import { keyOf } from "../support/subjects.ts";
import { MOMENTS, TrapSetter } from "../support/traps.ts";

const { blake2b, useBackend } = main;
const OVERFLOWS = 25;
/**
 * Of the places of traps, one in so many, but more of the copies and wipes of BLAKE3's calls, which are of every kind.
 */
const EVERY = 17;
const LONG = 2 ** 20;
/**
 * One algorithm of each kind of kernel, in turn with either build: what a fault interrupts is the TypeScript, which
 * they share.
 */
const OF_EACH_KIND = ["blake512", "blake2s", "blake2bp", "blake2xs", "blake3"];
const withBuild = (backend: string) => OF_EACH_KIND.filter((_, i) => (i % 2 === 0) === (backend === "simd128"));
const instances = watchInstances();
const setter = new TrapSetter();
afterAll(() => setter.restore());

const key = keyOf(32);
const secret = new Uint8Array(300).fill(0xc5);
const isZero = (bytes: Uint8Array) => bytes.every((byte) => byte === 0);
const holds = (bytes: Uint8Array, part: Uint8Array) => Buffer.from(bytes.buffer).includes(Buffer.from(part));
const digestOf = (message: Uint8Array, options = {}) => expectedDigest("blake2b", message, options);

eachBackend((backend) => {
  describe.each(withBuild(backend))("%s", (name) => {
    const modules = { main, hazmat, states };
    const inspect = inspector(instances);

    it("is right after stack overflows, and leaves no secret in memory", () => {
      useBackend(backend);
      const report = runOverflows(modules, {
        name,
        overflows: OVERFLOWS,
        seed: backend === "baseline" ? 1 : 2,
        inspect,
      });
      expect(report.interrupted).toBe(OVERFLOWS);
      expect(report.complete).toBeGreaterThan(OVERFLOWS / 7);
      expect(Object.keys(report.calls).length).toBeGreaterThan(10);
    });

    it.each([
      ["kernels", setter, EVERY],
      ["copies and wipes", new CopySetter(), name === "blake3" ? 3 : EVERY],
    ])("is right after traps in %s, and leaves no secret in memory", (_, setter, every) => {
      useBackend(backend);
      const report = trapEverywhere(setter, new Faults(modules, name, secretCalls(modules, name)), inspect, every);
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
}, "blake2b");

it.each(OF_EACH_KIND)("%s is right after time limits, and leaves no secret in memory", (name) => {
  const faults = new Faults(
    { main },
    name,
    secretCalls({ main, states }, name, LONG).filter(({ how }) => how.includes("under")),
  );
  // A limit may come too late for every call: until one has come in time.
  for (let struck = false, call = 0; !struck || call < faults.count; call++) {
    const limit = 1 + (call % 4);
    const { what, error } = faults.run(call % faults.count, call % faults.neighbours, timeLimit(limit), `${limit} ms`);
    if (error) inspector(instances)(what);
    struck ||= Boolean(error);
  }
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
  expect(await runPoolOverflows({ main, parallel }, { overflows: 20 })).toEqual({ interrupted: 20 });
});

it("a nobleHash hashes nothing of the message whose hash a time limit has ended", () => {
  const [long, short] = [new Uint8Array(LONG), Buffer.from("abc")];
  const wanted = createHash("blake2s256").update(short).digest();
  for (let round = 0; round < 10; round++) {
    const hash = nobleHash(main.blake2s);
    for (let ended = false; !ended; ) ended = Boolean(timeLimit(1)(() => hash(long)).error);
    expectBytes(hash.create().update(short).digest(), wanted, "an incremental hash");
    expectBytes(hash(short), wanted, "a one-shot");
  }
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
