// Bytes of one option of BLAKE2 that change their length while another one is read: refused, since they were checked before.
import { blake2b, blake2s, blake2xb } from "blake-simd";
import { expect, it } from "vitest";
import { expectError } from "../support/errors.ts";

/** Bytes whose length is read by a getter, which runs other code first. */
function watched(length: number, act: () => void): Uint8Array {
  return new (class extends Uint8Array {
    override get length(): number {
      act();
      return super.length;
    }
  })(length);
}

it.each([
  ["blake2b", blake2b, 16],
  ["blake2xb", blake2xb, 16],
  ["blake2s", blake2s, 8],
] as const)("%s", (name, algorithm, most) => {
  const digest = algorithm.hex("abc");
  for (const [option, length, changed] of [
    ["key", 5, 6],
    ["key", 5, 4],
    ["salt", most, most + 1],
  ] as const) {
    const buffer = new ArrayBuffer(length, { maxByteLength: 64 });
    const personal = watched(most, () => buffer.resize(changed));
    const options = { [option]: new Uint8Array(buffer), personal };
    const must = `${name}: key, salt and personal must keep their lengths while options are read, got new ones`;
    expectError(() => algorithm("abc", options), RangeError, must);
    expect(algorithm.hex("abc")).toBe(digest);
  }
});
