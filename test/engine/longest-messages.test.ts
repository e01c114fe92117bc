// A message never gets longer than its algorithm can count: the update that would make it so is refused, by whatever method,
// and the hasher stays as it was. States are set near the end by hand, since no message gets there.
import { type Algorithm, algorithms, blake3, type Hasher } from "blake-simd";
import { restore, save } from "blake-simd/states";
import { describe, expect, it } from "vitest";
import { eachBackend } from "../support/backends.ts";
import { expectError } from "../support/errors.ts";
import { expectBytes, pattern } from "../support/messages.ts";
import { build, parse, withState } from "../support/saved-state.ts";
import { keyOf } from "../support/subjects.ts";

/** log2 of the first number of bytes that cannot be counted, a key's block included, and the length of what is hashed at a time, which a key takes. */
const LIMITS: Record<string, readonly [bits: bigint, unit: number]> = {
  blake224: [61n, 64],
  blake256: [61n, 64],
  blake384: [125n, 128],
  blake512: [125n, 128],
  blake2b: [128n, 128],
  blake2s: [64n, 64],
  blake2bp: [128n, 4 * 128],
  blake2sp: [64n, 8 * 64],
  blake2xb: [128n, 128],
  blake2xs: [64n, 64],
};

function withCount(saved: Uint8Array, count: bigint): Uint8Array {
  return withState(saved, (head) => {
    head.setBigUint64(16, count & (2n ** 64n - 1n), true);
    head.setBigUint64(24, count >> 64n, true);
  });
}

/** The state of a hasher of BLAKE3 that begins the last chunk that can be counted: as many subtrees as bits. */
function lastChunk(options: object): [state: Uint8Array, longest: bigint] {
  const fields = parse(save(blake3.create(options).update("abc")));
  const state = new Uint8Array(176 + 32 * 54).fill(9, 176);
  state.set(fields.state);
  const saved = withState(build({ ...fields, state }), (head) => {
    head.setUint32(0, state.length, true);
    head.setUint32(164, 54, true);
  });
  return [withCount(saved, 2n ** 64n - 1024n + 3n), 2n ** 64n - 1n];
}

/** The state of a hasher three bytes into the last unit that can be counted. */
function lastUnit(name: string, options: object): [state: Uint8Array, longest: bigint] {
  if (name === "blake3") return lastChunk(options);
  const [bits, unit] = LIMITS[name]!;
  const prefix = "key" in options ? BigInt(unit) : 0n;
  const saved = save(
    algorithmOf(name)
      .create(options)
      .update(pattern(4 * unit + 3 - Number(prefix))),
  );
  return [withCount(saved, 2n ** bits - prefix - BigInt(unit - 3)), 2n ** bits - 1n - prefix];
}

const algorithmOf = (name: string) => algorithms[name as "blake3"] as unknown as Algorithm<object>;

type Update = readonly [length: number, act: (hasher: Hasher) => unknown];
const updates: Record<string, Update> = {
  "a byte": [1, (hasher) => hasher.update(Uint8Array.of(1))],
  bytes: [70_000, (hasher) => hasher.update(pattern(70_000))],
  text: [2, (hasher) => hasher.update("é")],
  "long text": [140_000, (hasher) => hasher.update("é".repeat(70_000))],
  updateUint8: [1, (hasher) => hasher.updateUint8(1)],
  updateUint16BE: [2, (hasher) => hasher.updateUint16BE(1)],
  updateUint32LE: [4, (hasher) => hasher.updateUint32LE(1)],
  updateUint64LE: [8, (hasher) => hasher.updateUint64LE(1n)],
  updateFloat32BE: [4, (hasher) => hasher.updateFloat32BE(1)],
  updateFloat64LE: [8, (hasher) => hasher.updateFloat64LE(Number.NaN)],
};

eachBackend(() => {
  describe.each(Object.keys(algorithms))("%s", (name) => {
    const modes = /^blake\d\d\d$/.test(name) ? [{}] : [{}, { key: keyOf(32) }];

    it("counts to the end, saves that, and refuses what is beyond", () => {
      for (const options of modes) {
        const [state, longest] = lastUnit(name, options);
        const hasher = restore(algorithmOf(name), state);
        const rest = Number(longest - hasher.bytesHashed);
        expect(rest).toBeGreaterThan(50);
        hasher.update(pattern(rest));
        expect(hasher.bytesHashed).toBe(longest);
        const digest = hasher.digest();
        for (const [what, [length, act]] of Object.entries(updates)) {
          const must = `message must have at most ${longest} bytes, got ${longest + BigInt(length)}`;
          expectError(() => act(hasher), RangeError, `${name} hasher.update`, must);
          expect(hasher.bytesHashed, what).toBe(longest);
          expectBytes(hasher.update("").digest(), digest, what);
        }
        const again = restore(algorithmOf(name), save(hasher));
        expectBytes(again.digest(), digest, "saved at the end");
        expectError(() => again.update("a"), RangeError, "message must have at most");
        expectBytes(again.reset().update("abc").digest(), algorithmOf(name)("abc", options), "reset");
      }
    });

    it("takes what just fits, in every way", () => {
      for (const [what, [length, act]] of Object.entries(updates).filter(([, [length]]) => length < 50)) {
        const [state, longest] = lastUnit(name, {});
        const hasher = restore(algorithmOf(name), state);
        act(hasher.update(pattern(Number(longest - hasher.bytesHashed) - length)));
        expect(hasher.bytesHashed, what).toBe(longest);
      }
    });
  });
});
