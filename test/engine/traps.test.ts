// A kernel that a trap has ended: it is replaced before it is used again, its memory is zeroed, and every hasher is as it was
// before the call. Traps at each export of each call are in test/large/traps.test.ts.
import { blake2b, blake3, useBackend } from "blake-simd";
import { restore, save } from "blake-simd/states";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { eachBackend } from "../support/backends.ts";
import { watchInstances } from "../support/memory.ts";
import { AREA, expectBytes, pattern } from "../support/messages.ts";
import { expectedDigest } from "../support/oracle.ts";
import { keyOf } from "../support/subjects.ts";
import { MOMENTS, TrapSetter } from "../support/traps.ts";

const instances = watchInstances();
const setter = new TrapSetter();
afterAll(() => setter.restore());

const key = keyOf(32);
const secret = new Uint8Array(300).fill(0xc5);
const isZero = (bytes: Uint8Array) => bytes.every((byte) => byte === 0);
const holds = (bytes: Uint8Array, part: Uint8Array) => Buffer.from(bytes.buffer).includes(Buffer.from(part));
const digestOf = (message: Uint8Array, options = {}) => expectedDigest("blake2b", message, options);

eachBackend((backend) => {
  beforeEach(() => {
    useBackend(backend === "baseline" ? "simd128" : "baseline");
    useBackend(backend);
    instances.length = 0;
  });

  describe.each(MOMENTS)("a trap that comes %s an export's work", (moment) => {
    it("in a one-shot costs its instance, whose memory is zeroed at the next call", () => {
      blake2b("");
      const [used] = instances;
      expect(setter.call(() => blake2b(secret), 0, moment).error).toBeInstanceOf(WebAssembly.RuntimeError);
      expectBytes(blake2b(pattern(100)), digestOf(pattern(100)));
      expect(instances).toHaveLength(2);
      expect(isZero(used!.bytes)).toBe(true);
    });

    it("in a one-shot with a key has zeroed the memory of its instance when the call ends", () => {
      blake2b("");
      const [used] = instances;
      expect(setter.call(() => blake2b(secret, { key }), 0, moment).error).toBeInstanceOf(WebAssembly.RuntimeError);
      expect(isZero(used!.bytes)).toBe(true);
      expectBytes(blake2b(secret, { key }), digestOf(secret, { key }));
      expect(instances).toHaveLength(2);
    });

    // Few waiting bytes are kept when another call comes, more are hashed.
    it.each([300, 5000])(
      "in another call, or in what it needs first, does not cost a hasher its %i bytes",
      (length) => {
        const others = [
          () => blake2b(secret),
          () => blake2b.create().update(pattern(AREA)).digest(),
          () => blake2b.create({ key }).update("ab").clone(),
          () => useBackend(backend === "baseline" ? "simd128" : "baseline"),
        ];
        for (const other of others) {
          for (let at = 0; at === 0 || setter.sprung; at++) {
            const hasher = blake2b.create().update(pattern(length));
            setter.call(other, at, moment);
            useBackend(backend);
            expectBytes(hasher.update("x").digest(), digestOf(Buffer.concat([pattern(length), Buffer.from("x")])));
          }
        }
      },
    );

    it("leaves nothing of a hasher that is disposed of in the next instance", () => {
      const hasher = blake2b.create({ key }).update(secret);
      setter.call(() => blake2b(pattern(AREA)), 0, moment);
      expectBytes(hasher.digest(), digestOf(secret, { key }));
      const next = instances.at(-1)!;
      hasher.dispose();
      expect(holds(next.bytes, secret.subarray(0, 8))).toBe(false);
      expect(holds(next.bytes, key)).toBe(false);
    });

    it("takes the bytes that wait along, to be wiped like any", () => {
      const hasher = blake2b.create({ key }).update(secret);
      setter.call(() => hasher.update(pattern(2 * AREA)), 0, moment);
      hasher.updateUint8(1);
      const next = instances.at(-1)!;
      expect(holds(next.bytes, secret)).toBe(true);
      hasher.dispose();
      expect(holds(next.bytes, secret.subarray(0, 8))).toBe(false);
    });
  });

  describe.each<[string, (hasher: ReturnType<typeof blake2b.create>) => unknown]>([
    ["a long update", (hasher) => hasher.update(pattern(3 * AREA))],
    ["a number that finds the input area full", (hasher) => hasher.updateUint32LE(5)],
    ["a digest", (hasher) => hasher.digest()],
    ["a digest into an output", (hasher) => hasher.digestInto(new Uint8Array(64))],
    ["a clone", (hasher) => hasher.clone()],
    ["a saved state", (hasher) => save(hasher)],
  ])("a trap in %s", (_, call) => {
    it.each(MOMENTS)("%s an export's work leaves the hasher as it was", (moment) => {
      const message = Buffer.concat([secret, pattern(AREA - secret.length - 2)]);
      const [before, wanted] = [secret, message].map((part) => digestOf(part, { key }));
      let traps = 0;
      for (const length of [secret.length, message.length]) {
        for (let at = 0; at === 0 || setter.sprung; at++) {
          const hasher = blake2b.create({ key }).update(message.subarray(0, 300));
          // Kept while another hashed, then in use again.
          blake2b.create({ key }).update("beside");
          hasher.update(message.subarray(300, length));
          const { error } = setter.call(() => call(hasher), at, moment);
          const { sprung } = setter;
          if (!sprung) break;
          traps++;
          expect(error).toBeInstanceOf(WebAssembly.RuntimeError);
          expectBytes(hasher.digest(), length === secret.length ? before : wanted);
          expect(sprung.laterCalls).toBe(0);
          expect(isZero(sprung.bytes)).toBe(true);
          expectBytes(hasher.reset().update("abc").digest(), digestOf(Buffer.from("abc"), { key }));
        }
      }
      expect(traps).toBeGreaterThan(0);
    });
  });

  it("an interrupted disposal leaves nothing once the next call ends", () => {
    const hasher = blake2b.create({ key }).update(pattern(1000));
    const [used] = instances;
    const wipe = vi.spyOn(Uint8Array.prototype, "fill").mockImplementationOnce(() => {
      throw new RangeError("Maximum call stack size exceeded");
    });
    expect(() => hasher.dispose()).toThrow("stack size");
    wipe.mockRestore();
    expect(holds(used!.bytes, pattern(1000))).toBe(true);
    expectBytes(blake2b("abc"), digestOf(Buffer.from("abc")));
    expect(holds(used!.bytes, pattern(8))).toBe(false);
  });

  it.each([600, 1000, 2048])(
    "a call interrupted while it wipes %i waiting bytes costs no hasher its message",
    (length) => {
      const message = pattern(length);
      const hasher = blake2b.create({ key }).update(message);
      const [used] = instances;
      const { fill } = Uint8Array.prototype;
      const interrupted = vi.spyOn(Uint8Array.prototype, "fill").mockImplementationOnce(function (this: Uint8Array) {
        fill.call(this, 0, 0, length / 2);
        throw new Error("Script execution timed out");
      });
      expect(() => blake2b("beside", { key })).toThrow("timed out");
      interrupted.mockRestore();
      expectBytes(hasher.clone().digest(), digestOf(message, { key }));
      expectBytes(hasher.update("abc").digest(), digestOf(Buffer.concat([message, Buffer.from("abc")]), { key }));
      expectBytes(blake2b("abc"), digestOf(Buffer.from("abc")));
      expect(holds(used!.bytes, message.subarray(length / 2))).toBe(false);
    },
  );

  it("an error while a kernel is replaced does not keep the old memory from being zeroed", () => {
    blake2b("");
    const [used] = instances;
    setter.call(() => blake2b(secret), 0, "before");
    const { prototype } = Uint8Array;
    const wipe = vi.spyOn(prototype, "fill").mockImplementation(() => {
      throw new RangeError("Maximum call stack size exceeded");
    });
    const call = () => blake2b("abc");
    try {
      expect(call).toThrow("stack size");
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

  it("calls of every kind that end as they should use one instance", () => {
    const out = new Uint8Array(32);
    const hasher = blake3.create({ key }).update(secret);
    const wanted = expectedDigest("blake3", secret, { key });
    const calls: (() => unknown)[] = [
      () => blake3.into("abc", out),
      () => hasher.clone().updateUint32LE(5).update(pattern(AREA)).updateUint8(1).digestInto(out),
      () =>
        hasher
          .clone()
          .update(pattern(AREA - 2))
          .updateUint32LE(5)
          .digest(),
      () => restore(blake3, save(hasher)).digest(),
      () => hasher.xof().read(100),
      () => hasher.xof().readInto(out),
      () => blake3.many(["a", "b"], { length: 70_000 }),
      () => useBackend(backend),
    ];
    for (const call of calls) {
      call();
      expectBytes(hasher.digest(), wanted);
    }
    expect(instances).toHaveLength(1);
  });

  it("a call that throws before it needs a kernel makes no instance", () => {
    blake2b("");
    useBackend(backend === "baseline" ? "simd128" : "baseline");
    expect(() => blake2b("abc", { length: -1 })).toThrow(RangeError);
    expect(instances).toHaveLength(1);
  });
});
