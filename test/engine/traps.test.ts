// A kernel that a trap has ended: it is replaced before it is used again, its memory is zeroed, and the hasher whose state
// was in it goes on. Traps at each export of each call are in test/large/traps.test.ts.
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

const LOST = "blake2b: a hasher that lost its state in an interrupted call must be reset";
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

    it("while another call absorbs a hasher's bytes does not cost the hasher its state", () => {
      const hasher = blake2b.create().update(pattern(300));
      const { error } = setter.call(() => blake2b(secret), 0, moment);
      expect(setter.sprung?.name).toBe("update");
      expect(error).toBeInstanceOf(WebAssembly.RuntimeError);
      expectBytes(hasher.update("x").digest(), digestOf(Buffer.concat([pattern(300), Buffer.from("x")])));
    });

    it("in another call that has absorbed a hasher's bytes does not cost the hasher its state", () => {
      const hasher = blake2b.create().update(pattern(300));
      const { error } = setter.call(() => blake2b(secret), 1, moment);
      expect(setter.sprung?.name).toBe("hash");
      expect(error).toBeInstanceOf(WebAssembly.RuntimeError);
      expectBytes(hasher.digest(), digestOf(pattern(300)));
    });

    it("while another hasher moves in does not cost the first its state", () => {
      const second = blake2b.create().update("ab");
      const first = blake2b.create().update(pattern(300));
      const { error } = setter.call(() => second.update("c"), 0, moment);
      expect(setter.sprung?.name).toBe("update");
      expect(error).toBeInstanceOf(WebAssembly.RuntimeError);
      expectBytes(first.digest(), digestOf(pattern(300)));
      expectBytes(second.update("c").digest(), digestOf(Buffer.from("abc")));
    });

    it("leaves nothing of a hasher that is disposed of in the next instance", () => {
      const hasher = blake2b.create({ key }).update(secret);
      setter.call(() => blake2b(pattern(AREA)), 0, moment);
      expectBytes(hasher.digest(), digestOf(secret, { key }));
      const next = instances.at(-1)!;
      hasher.dispose();
      expect(holds(next.bytes, secret.subarray(0, 8))).toBe(false);
      expect(holds(next.bytes, key)).toBe(false);
    });

    it("leaves nothing of a hasher that is disposed of before its digest in the next instance", () => {
      const hasher = blake2b.create({ key }).update(secret);
      setter.call(() => blake2b(pattern(AREA)), 0, moment);
      blake2b.create().dispose();
      // Only looks at the message's length, so that its bytes stay where they are.
      expect(hasher.bytesHashed).toBe(300n);
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
    it.each(MOMENTS)("%s the export's work costs the state, which the hasher says until it is reset", (moment) => {
      const hasher = blake2b.create({ key }).update(secret);
      // Moved out and in again: the copy from before must not come back.
      blake2b.create({ key }).update("beside");
      hasher.update(pattern(AREA - 2));
      const { error } = setter.call(() => call(hasher), 0, moment);
      expect(error).toBeInstanceOf(WebAssembly.RuntimeError);
      const { sprung } = setter;
      expect(sprung!.name).toBe("update");
      for (const lost of [() => hasher.digest(), () => hasher.update("x")]) expect(lost).toThrow(LOST);
      expect(sprung!.laterCalls).toBe(0);
      expect(isZero(sprung!.bytes)).toBe(true);
      expectBytes(hasher.reset().update("abc").digest(), digestOf(Buffer.from("abc"), { key }));
    });
  });

  it("an interrupted disposal leaves nothing once the next call ends", () => {
    const hasher = blake2b.create({ key }).update(secret);
    const [used] = instances;
    const read = vi.spyOn(DataView.prototype, "getUint32").mockImplementationOnce(() => {
      throw new RangeError("Maximum call stack size exceeded");
    });
    expect(() => hasher.dispose()).toThrow("stack size");
    read.mockRestore();
    expect(holds(used!.bytes, secret)).toBe(true);
    expectBytes(blake2b("abc"), digestOf(Buffer.from("abc")));
    expect(isZero(used!.bytes)).toBe(true);
  });

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
